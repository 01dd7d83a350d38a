"""Decide whether a client has access to a repository, and in which role (contract A6, G2, G3).

One query reads the repository, the user's role in it, and whether the credential covers it.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson
from django.contrib.auth.models import AnonymousUser, User
from django.db import DEFAULT_DB_ALIAS
from django.db.models import BooleanField, F, JSONField, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import JSONObject

from dimensions_site.api.errors import forbidden, not_found
from dimensions_site.db.compiled import CompiledQuery, Param
from dimensions_site.repositories.dimensions import ALL
from dimensions_site.repositories.models import DB_ID_PATTERN, AccessGrant, Repository, Role
from dimensions_site.text.formats import shortened

_COLUMNS = [field.attname for field in Repository._meta.concrete_fields]
# SQLite's JSON has 0 and 1 for false and true, and a stored JSON as a text.
_BOOLEANS, _JSON = (
    [field.attname for field in Repository._meta.concrete_fields if isinstance(field, kind)]
    for kind in (BooleanField, JSONField)
)
_BEST_ROLE = "best_role"
_IS_WITHIN = "is_within"


@dataclass(frozen=True)
class Access:
    """A repository, the best role that grants give the user there, and whether the credential covers it."""

    repository: Repository
    best_role: int | None
    is_within: bool

    @classmethod
    def read(cls, found: dict[str, Any]) -> "Access":
        values = found.copy()
        for name in _BOOLEANS:
            values[name] = bool(found[name])
        for name in _JSON:
            if isinstance(found[name], str):
                values[name] = orjson.loads(found[name])
        repository = Repository.from_db(DEFAULT_DB_ALIAS, _COLUMNS, [values[name] for name in _COLUMNS])
        return cls(repository, found[_BEST_ROLE], bool(found[_IS_WITHIN]))


@dataclass(frozen=True)
class Credential:
    """REST framework's `request.auth` for every authentication mode except passwords (contract G1).

    `kind` and `name` identify it to people, as in "API key" and "Data warehouse"; neither is secret. A credential
    narrows the grants of its user, and never widens them: `role` is the highest role, or None if the credential permits
    nothing; `dimension` is one dimension or all. `Access` checks the repositories.
    """

    kind: str
    name: str
    role: Role | None = Role.MANAGER
    dimension: str = ALL
    # Whether a person has signed in for it, so that it may approve (contract O3); a key never may.
    is_person: bool = False

    def __str__(self) -> str:
        return f"{self.kind} '{self.name}'"

    def access(self, user: User, db_id: str, dimension: str) -> Access | None:
        """Return the `user`'s access to the `dimension` of the repository `db_id`; None for an unknown repository."""
        return find_access(user, db_id, dimension)

    def repositories(self) -> QuerySet[Repository]:
        """Return the repositories that the credential covers, whatever its user's grants."""
        return Repository.objects.all()

    def challenge(self, role: Role) -> dict[str, str]:
        """Return the headers of a 403 for a credential that is too narrow for `role`; none unless its standard defines
        one.
        """
        return {}


# A user name and password, which narrow nothing.
PASSWORD = Credential("password", "", is_person=True)


def find_access(user: User, db_id: str, dimension: str) -> Access | None:
    """Return the `user`'s access to the `dimension` of the repository `db_id`, or None if it does not exist; one
    query.
    """
    if not is_db_id(db_id):
        return None
    row = _compiled(dimension).first(user=user.pk, db_id=db_id)
    return None if row is None else Access.read(row[0])


def is_db_id(text: str) -> bool:
    """Return whether `text` is a valid `dbID`; PostgreSQL fails on some invalid ones, such as NUL."""
    return re.fullmatch(DB_ID_PATTERN, text) is not None


def access_query(user: Combinable, dimension: str, is_within: Combinable) -> QuerySet[Repository, Any]:
    """Return a query with at most one value for `Access.read`, and with the bind parameter `Param("db_id")`.

    `user` is the user's primary key, and `is_within` whether the credential covers the repository with the key
    `OuterRef("pk")`; in a subquery, both can refer to the outer query.
    """
    here = grants(OuterRef("client"), dimension).order_by().filter(repository_id=OuterRef("pk")).values("repository_id")
    best_role = Subquery(here.values(best=Max("role")))
    columns = {name: F(name) for name in _COLUMNS}
    return (
        Repository.objects.order_by()
        .filter(db_id=Param("db_id"))
        .alias(client=user)
        .values_list(JSONObject(**columns, **{_BEST_ROLE: best_role, _IS_WITHIN: is_within}))
    )


def grants(user: Combinable, dimension: str) -> QuerySet[AccessGrant]:
    """Return the grants for the `dimension` of the user with the primary key `user`, direct or by group."""
    groups = User.groups.through.objects.filter(user=OuterRef("client")).values("group")
    return AccessGrant.objects.alias(client=user).filter(
        Q(user=F("client")) | Q(group__in=groups), dimension__in=[ALL, dimension]
    )


@cache
def _compiled(dimension: str) -> CompiledQuery:
    # Compiled once: building it takes a quarter of the time of a GET.
    return CompiledQuery(access_query(Param("user"), dimension, Value(True)))


@dataclass(frozen=True)
class Scope:
    """A client's rights in one dimension of one repository.

    `granted` is the role of its grants. Its `credential`, which allows a role, may narrow it.
    """

    repository: Repository
    dimension: str
    granted: Role
    credential: Credential = PASSWORD

    def require(self, role: Role) -> None:
        """Raise 403 if the grants do not permit what needs the `role`, or the credential does not (contract G2)."""
        allowed = self.credential.role
        if self.granted >= role and (allowed is None or allowed >= role):
            return
        needs = (
            f"This call needs the role {role.label} for the {self.dimension} dimension of repository "
            f"'{self.repository.db_id}'"
        )
        if self.granted < role:
            raise forbidden("ROLE_TOO_SMALL", f"{needs}; you have the role {self.granted.label}.")
        if allowed is not None:
            detail = f"{needs}; the {self.credential} allows the role {allowed.label}."
            raise forbidden("CREDENTIAL_TOO_NARROW", detail, self.credential.challenge(role))

    def require_person(self) -> None:
        """Raise 403 unless a person has signed in: no key and no program approves or rejects (contract O3)."""
        if not self.credential.is_person:
            detail = (
                f"The {self.credential} is not a person: sign in with a password or an authorization code to approve "
                "or reject a plan."
            )
            raise forbidden("NOT_A_PERSON", detail)


def check_access(user: User, db_id: str, dimension: str, credential: Credential | None = None) -> Scope:
    """Return the scope of `user`, authenticated by `credential`, in the `dimension` of the repository `db_id`.

    Costs one query, unless authentication has already read the access.

    Raises 404 for an unknown repository, then 403 without a grant, then 403 for a credential that does not cover the
    repository or dimension, then 403 if the API of the repository is disabled, for superusers too (contract A6, G1, G2,
    G3).
    """
    credential = credential or PASSWORD
    found = credential.access(user, db_id, dimension)
    if found is None:
        raise not_found("REPOSITORY_NOT_FOUND", f"There is no repository '{shortened(db_id)}'.")
    repository = found.repository
    granted = Role.MANAGER if user.is_superuser else found.best_role
    if granted is None:
        raise forbidden("NO_GRANT", f"You have no grant for the {dimension} dimension of repository '{db_id}'.")
    if credential.role is None or not found.is_within or credential.dimension not in (ALL, dimension):
        raise forbidden(
            "CREDENTIAL_TOO_NARROW",
            f"The {credential} is not for the {dimension} dimension of repository '{db_id}', though your grants are.",
            credential.challenge(Role.READER) if credential.role is None else None,
        )
    if not repository.api_enabled:
        raise forbidden("API_NOT_ENABLED", f"The REST API is not enabled in repository '{db_id}'.")
    return Scope(repository, dimension, Role(granted), credential)


def grants_of(user: User, dimension: str) -> QuerySet[AccessGrant]:
    """Return the grants of `user` for `dimension`, direct or by group."""
    return grants(Value(user.pk), dimension)


def repositories_open_to(user: User | AnonymousUser, dimension: str, role: Role = Role.READER) -> QuerySet[Repository]:
    """Return the repositories in whose `dimension` the user has at least `role`: the scope of the admin (contract
    G2).
    """
    if user.is_anonymous:
        return Repository.objects.none()
    if user.is_superuser:
        return Repository.objects.all()
    return Repository.objects.filter(pk__in=grants_of(user, dimension).filter(role__gte=role).values("repository"))


def roles_of(user: User | AnonymousUser, dimension: str) -> dict[int, Role]:
    """Return the user's best role for the `dimension` of each repository, by its primary key; one query."""
    if user.is_anonymous:
        return {}
    if user.is_superuser:
        return dict.fromkeys(Repository.objects.order_by().values_list("pk", flat=True), Role.MANAGER)
    best = grants_of(user, dimension).order_by().values_list("repository").annotate(Max("role"))
    return {key: Role(role) for key, role in best}
