"""Record each change of access rights as an `AccessChange` row and a log line, with the values before and after.

The row is written in the transaction of the change, and the line after its commit. Passwords and keys are never
recorded, only that they changed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial, reduce
from typing import Any

import structlog
from django.contrib.auth.models import Group, User
from django.contrib.auth.signals import user_login_failed
from django.db import transaction
from django.db.models import Model
from django.db.models.signals import m2m_changed, post_save, pre_delete, pre_save
from django.dispatch import receiver

from dimensions_site.observability.observation import current_observation
from dimensions_site.repositories.models import AccessChange, AccessGrant, ApiKey, Repository, Role

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _Subject:
    """The event prefix of a model, the paths of recorded fields, and the fields of which only a change is recorded."""

    name: str
    fields: Mapping[str, str]
    secrets: tuple[str, ...]

    def of(self, row: Model) -> dict[str, object]:
        """Return the values of the recorded fields; users and repositories by name, which outlives their rows."""
        return {name: _read(row, name, path) for name, path in self.fields.items()}


SUBJECTS: dict[type[Model], _Subject] = {}
# How the values of these fields are written in JSON.
_WRITTEN: Mapping[str, Callable[[Any], str]] = {
    "dimension": str,
    "role": lambda role: Role(role).name,
    "expires": datetime.isoformat,
}
# Many-to-many tables whose entries are rights.
_LISTS = {User.groups.through: "groups", ApiKey.repositories.through: "repositories"}
_CHANGES = {"post_add": "added", "post_remove": "removed", "pre_clear": "cleared"}
# Written often, and not access rights.
_NOT_RECORDED = (frozenset({"last_login"}), frozenset({"last_used_at"}))
# The attribute that keeps an instance's values from before it is saved.
_BEFORE = "_recorded_before"


def _read(row: Any, name: str, path: str) -> object:
    """Return the value at the `path`, as the field `name` has it in JSON; None if something on the way is not set."""
    value = reduce(lambda found, part: None if found is None else getattr(found, part), path.split("."), row)
    return value if value is None or name not in _WRITTEN else _WRITTEN[name](value)


def watch(model: type[Model], name: str, fields: str, *, secrets: tuple[str, ...] = ()) -> None:
    """Record creations, changes and deletions of `model`: its `fields`, and of `secrets` only that they changed.

    `fields` are names, each with a colon and the path of its value if that is another: `"user:user.username role"`.
    Connect only the models that need it: Django cannot delete the rows of a model with receivers in one statement.
    """
    paths = (field.partition(":") for field in fields.split())
    SUBJECTS[model] = _Subject(name, {field: path or field for field, _, path in paths}, secrets)
    pre_save.connect(remember, sender=model)
    post_save.connect(record_save, sender=model)
    pre_delete.connect(record_deletion, sender=model)


def record_event(event: str, subject: Mapping[str, object], changes: Mapping[str, object] | None = None) -> None:
    """Record the event of the subject, which is described by names, and its changes; log it after the commit."""
    context = structlog.contextvars.get_contextvars()
    names = observed.names() if (observed := current_observation()) else {}
    command = context.get("command")
    address = names.get("address")
    AccessChange.objects.create(
        changed_by=str(names.get("user") or (f"manage.py {command}" if command else "system")),
        address=None if address is None else str(address),
        request_id=context.get("request_id"),
        event=event,
        subject=subject,
        changes=changes,
    )
    more = {} if changes is None else {"changed": changes}
    transaction.on_commit(partial(log.info, event, subject=subject, **more))


def _record(instance: Model, what: str, changed: Mapping[str, object] | None = None) -> None:
    described = SUBJECTS[type(instance)]
    subject = {name: value for name, value in described.of(instance).items() if value is not None}
    record_event(f"{described.name}_{what}", subject, changed)


def remember(sender: type[Model], instance: Any, raw: bool, update_fields: frozenset[str] | None, **_: Any) -> None:
    """Keep the stored values, unless only unrecorded fields are saved: the last login, or the last use of a key."""
    if raw or instance._state.adding or update_fields in _NOT_RECORDED:
        return
    before = sender._default_manager.filter(pk=instance.pk).first()
    if before is not None:
        subject = SUBJECTS[sender]
        secrets = () if _is_rehashed(instance, update_fields) else subject.secrets
        setattr(instance, _BEFORE, (subject.of(before), {name: getattr(before, name) for name in secrets}))


def _is_rehashed(instance: Any, update_fields: frozenset[str] | None) -> bool:
    """Return whether the same password gets a stronger hash, as Django does at a login."""
    return update_fields == frozenset({"password"}) and getattr(instance, "_password", "") is None


def record_save(sender: type[Model], instance: Any, raw: bool, created: bool, **_: Any) -> None:
    """Record what was created or changed."""
    if raw:
        return
    if created:
        _record(instance, "created")
        return
    before, secrets = instance.__dict__.pop(_BEFORE, ({}, {}))
    now = SUBJECTS[sender].of(instance)
    changed: dict[str, object] = {name: [was, now[name]] for name, was in before.items() if was != now[name]}
    changed |= {name: "changed" for name, was in secrets.items() if was != getattr(instance, name)}
    if changed:
        _record(instance, "changed", changed)


def record_deletion(sender: type[Model], instance: Any, **_: Any) -> None:
    """Record a deletion; what was deleted along with it cannot be read afterwards."""
    _record(instance, "deleted")


def list_changed(
    sender: type[Model], instance: Any, action: str, reverse: bool, model: Any, pk_set: set[Any] | None, **_: Any
) -> None:
    """Record the entries that were added to or removed from a many-to-many field."""
    if action not in _CHANGES or pk_set == set():
        return
    entries = None if pk_set is None else sorted(map(str, model._default_manager.filter(pk__in=pk_set)))
    name = f"{model._meta.model_name}s" if reverse else _LISTS[sender]
    _record(instance, "changed", {name: {_CHANGES[action]: entries or "all"}})


@receiver(user_login_failed)
def sign_in_failed(credentials: Mapping[str, Any], **_: Any) -> None:
    """Add the name of the existing user of a failed login to the log; an unknown name may be a password and is not
    logged.
    """
    name = credentials.get(User.USERNAME_FIELD)
    # PostgreSQL fails on NUL and lone surrogates, which no name contains.
    is_name = isinstance(name, str) and name.isprintable()
    if (observed := current_observation()) and is_name and User.objects.filter(**{User.USERNAME_FIELD: name}).exists():
        observed.name(tried=name)


watch(AccessGrant, "grant", "repository:repository.db_id user:user.username group:group.name dimension role")
watch(User, "user", "user:username is_active is_staff is_superuser", secrets=("password",))
watch(Group, "group", "group:name")
watch(ApiKey, "api_key", "key:name prefix user:user.username revoked expires:expiry_date dimension role is_limited")
watch(Repository, "repository", "repository:db_id api_enabled requires_reason approval")
for _list in _LISTS:
    m2m_changed.connect(list_changed, sender=_list)
