"""The users and groups of people who sign in at the OpenID provider (contracts N2, N3; design/sign-in.md)."""

import re
import unicodedata
from collections.abc import Mapping
from itertools import chain, count
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError
from django.db.transaction import atomic

from dimensions_site.changes.placing import SYSTEM
from dimensions_site.tokens.models import ProviderAccount, ProviderGroup
from dimensions_site.tokens.openid.provider import provider

# The entries of the groups claim, and the characters of the names that are kept.
_MOST_GROUPS = 5_000
_LONGEST_SUBJECT = 255
_LONGEST_NAME = 140  # which leaves room for a number
_LONGEST_FIELD = {"first_name": 150, "last_name": 150, "email": 254}
# In user names, as Django's forms allow them.
_NOT_IN_NAMES = re.compile(r"[^\w.@+-]+")


class SignInRefused(Exception):
    """The person does not get in, or no longer; `reason` is a word of `REASONS` in `openid/views.py`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def signed_in_account(claims: Mapping[str, Any]) -> ProviderAccount:
    """Return the account of the person in the verified `claims`, with the groups of the claim.

    Who comes for the first time gets a user. Raises SignInRefused, after which nothing is changed.
    """
    try:
        return _account(claims)
    except IntegrityError:  # the same person, or one of the same name, at the same moment
        return _account(claims)


def name_in(claims: Mapping[str, Any]) -> str:
    """Return the name that the provider has for the person, as a user name, or an empty text."""
    for claim in ("preferred_username", "email", "sub"):
        # Letters of other scripts that look the same would be another person of the same name.
        latin = unicodedata.normalize("NFKD", text_in(claims, claim)).encode("ascii", "ignore").decode()
        if name := _NOT_IN_NAMES.sub("-", latin)[:_LONGEST_NAME].strip("-"):
            return name
    return ""


@atomic
def _account(claims: Mapping[str, Any]) -> ProviderAccount:
    subject = claims["sub"]
    if not isinstance(subject, str) or not 1 <= len(subject) <= _LONGEST_SUBJECT or not subject.isprintable():
        raise SignInRefused("subject")
    names = _groups(claims)
    linked = list(ProviderGroup.objects.values_list("group_id", "name"))
    wanted = {group for group, name in linked if name in names}
    known = ProviderAccount.objects.select_related("user").filter(issuer=claims["iss"], subject=subject).first()
    if known is None:
        if not wanted:
            raise SignInRefused("no_group")
        known = ProviderAccount.objects.create(user=_new_user(claims), issuer=claims["iss"], subject=subject)
    if not known.user.is_active or not known.user.is_staff:
        raise SignInRefused("locked" if not known.user.is_active else "no_access")
    current = set(known.user.groups.values_list("pk", flat=True))
    known.user.groups.add(*sorted(wanted - current))
    known.user.groups.remove(*sorted(({group for group, _ in linked} - wanted) & current))
    return known


def _groups(claims: Mapping[str, Any]) -> frozenset[str]:
    """Return the names in the groups claim; a provider leaves it out for a person without groups.

    Raises SignInRefused for any other form, for too many, and if the provider has only counted them.
    """
    claim = provider().setting.groups_claim
    # Entra ID leaves out more than 200 groups, and says so here (OpenID Connect Core, 5.6.2).
    elsewhere = claims.get("_claim_names")
    if (isinstance(elsewhere, dict) and claim in elsewhere) or claims.get("hasgroups"):
        raise SignInRefused("too_many_groups")
    groups = claims.get(claim, [])
    if not isinstance(groups, list) or not all(isinstance(name, str) for name in groups):
        raise SignInRefused("groups_claim")
    if len(groups) > _MOST_GROUPS:
        raise SignInRefused("too_many_groups")
    return frozenset(groups)


def _new_user(claims: Mapping[str, Any]) -> User:
    """Create a user without a password, who may use the administration and is no superuser."""
    name = name_in(claims) or "person"
    # The name of somebody else here is another person: no claim takes over their user, or the name of commands.
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    users = User.objects.all()
    free = next(name for name in names if name.lower() != SYSTEM and not users.filter(username__iexact=name).exists())
    user = User(username=free, is_staff=True)
    for field, claim in (("first_name", "given_name"), ("last_name", "family_name"), ("email", "email")):
        setattr(user, field, text_in(claims, claim)[: _LONGEST_FIELD[field]])
    user.set_unusable_password()
    user.save()
    return user


def text_in(claims: Mapping[str, Any], claim: str) -> str:
    """Return the claim if it is a printable text, else an empty one."""
    value = claims.get(claim)
    return value.strip() if isinstance(value, str) and value.isprintable() else ""
