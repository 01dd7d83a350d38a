"""A line in the log for each change of who may do what: by whichever way it is made, and with what was before.

Who made it and from where, the request or the command beside it tells. Passwords and keys are never told, only that
they have changed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog
from django.contrib.auth.models import Group, User
from django.contrib.auth.signals import user_login_failed
from django.db import transaction
from django.db.models import Model
from django.db.models.signals import m2m_changed, post_save, pre_delete, pre_save
from django.dispatch import receiver

from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role
from dimensions_site.telemetry.observation import current

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _Subject:
    """How events of a model begin, what is told of a row, and of which columns only that they have changed."""

    name: str
    told: Mapping[str, Callable[[Any], object]]
    secrets: tuple[str, ...]

    def of(self, row: Model) -> dict[str, object]:
        """People and repositories by their names, which outlive their rows."""
        return {name: read(row) for name, read in self.told.items()}


SUBJECTS: dict[type[Model], _Subject] = {}
# Lists of which an entry more or less is a change of rights, by their tables.
_LISTS = {User.groups.through: "groups", ApiKey.repositories.through: "repositories"}
_CHANGES = {"post_add": "added", "post_remove": "removed", "pre_clear": "cleared"}
# Written often, and no change of rights.
_NOT_TOLD = (frozenset({"last_login"}), frozenset({"last_used_at"}))
# Where an instance keeps, while it is saved, how it was before.
_BEFORE = "_told_before"


def watch(
    model: type[Model], name: str, told: Mapping[str, Callable[[Any], object]], *, secrets: tuple[str, ...] = ()
) -> None:
    """Log what is created, changed and deleted of `model`: `told` by its names, and that one of `secrets` has changed.

    Only of models that are named: rows of a model that somebody listens to are no longer deleted by one statement.
    """
    SUBJECTS[model] = _Subject(name, told, secrets)
    pre_save.connect(remember, sender=model)
    post_save.connect(saved, sender=model)
    pre_delete.connect(deleted, sender=model)


def _log(instance: Model, what: str, **more: object) -> None:
    """Write the line as soon as the change is committed; `instance` is described as it is now."""
    subject = SUBJECTS[type(instance)]
    told = {name: value for name, value in subject.of(instance).items() if value is not None}
    transaction.on_commit(partial(log.info, f"{subject.name}_{what}", subject=told, **more))


def remember(sender: type[Model], instance: Any, raw: bool, update_fields: frozenset[str] | None, **_: Any) -> None:
    """Keep how it was, unless only what is not told is written: the last sign-in, or the use of a key."""
    if raw or instance._state.adding or update_fields in _NOT_TOLD:
        return
    before = sender._default_manager.filter(pk=instance.pk).first()
    if before is not None:
        subject = SUBJECTS[sender]
        secrets = () if _is_rehashed(instance, update_fields) else subject.secrets
        setattr(instance, _BEFORE, (subject.of(before), {name: getattr(before, name) for name in secrets}))


def _is_rehashed(instance: Any, update_fields: frozenset[str] | None) -> bool:
    """Whether the same password gets a stronger hash, as Django does when somebody signs in with it."""
    return update_fields == frozenset({"password"}) and getattr(instance, "_password", "") is None


def saved(sender: type[Model], instance: Any, raw: bool, created: bool, **_: Any) -> None:
    """Tell what was created or changed."""
    if raw:
        return
    if created:
        _log(instance, "created")
        return
    before, secrets = instance.__dict__.pop(_BEFORE, ({}, {}))
    now = SUBJECTS[sender].of(instance)
    changed: dict[str, object] = {name: [was, now[name]] for name, was in before.items() if was != now[name]}
    changed |= {name: "changed" for name, was in secrets.items() if was != getattr(instance, name)}
    if changed:
        _log(instance, "changed", changed=changed)


def deleted(sender: type[Model], instance: Any, **_: Any) -> None:
    """Tell what is deleted, also along with what it belongs to, which is gone afterwards."""
    _log(instance, "deleted")


def list_changed(
    sender: type[Model], instance: Any, action: str, reverse: bool, model: Any, pk_set: set[Any] | None, **_: Any
) -> None:
    """Tell which entries were added to a list and which were taken out of it."""
    if action not in _CHANGES or pk_set == set():
        return
    entries = None if pk_set is None else sorted(map(str, model._default_manager.filter(pk__in=pk_set)))
    name = f"{model._meta.model_name}s" if reverse else _LISTS[sender]
    _log(instance, "changed", changed={name: {_CHANGES[action]: entries or "all"}})


@receiver(user_login_failed)
def sign_in_failed(credentials: Mapping[str, Any], **_: Any) -> None:
    """Name the user as whom somebody tried to sign in; not what is no user's name, which may be a password."""
    name = credentials.get(User.USERNAME_FIELD)
    # PostgreSQL fails on NUL and on half a surrogate pair, which no name has.
    is_name = isinstance(name, str) and name.isprintable()
    if (observed := current()) and is_name and User.objects.filter(**{User.USERNAME_FIELD: name}).exists():
        observed.name(tried=name)


watch(
    AccessGrant,
    "grant",
    {
        "repository": lambda grant: grant.repository.db_id,
        "user": lambda grant: grant.user and grant.user.get_username(),
        "group": lambda grant: grant.group and grant.group.name,
        "dimension": lambda grant: str(grant.dimension),
        "role": lambda grant: Role(grant.role).name,
    },
)
watch(
    User,
    "user",
    {
        "user": lambda user: user.get_username(),
        "is_active": lambda user: user.is_active,
        "is_staff": lambda user: user.is_staff,
        "is_superuser": lambda user: user.is_superuser,
    },
    secrets=("password",),
)
watch(Group, "group", {"group": lambda group: group.name})
watch(
    ApiKey,
    "api_key",
    {
        "key": lambda key: key.name,
        "prefix": lambda key: key.prefix,
        "user": lambda key: key.user.get_username(),
        "revoked": lambda key: key.revoked,
        "expires": lambda key: key.expiry_date and key.expiry_date.isoformat(),
        "dimension": lambda key: str(key.dimension),
        "role": lambda key: Role(key.role).name,
        "is_limited": lambda key: key.is_limited,
    },
)
watch(
    Repository,
    "repository",
    {"repository": lambda repository: repository.db_id, "api_enabled": lambda repository: repository.api_enabled},
)
for _list in _LISTS:
    m2m_changed.connect(list_changed, sender=_list)
