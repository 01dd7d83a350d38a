"""The names of an object's members in requests: other spellings, converted into that of responses (contract C6), and
the errors for members that an object does not have (C5).
"""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ErrorDetail
from rest_framework.settings import api_settings

from dimensions_site.api.failures import wire_path
from dimensions_site.api.json.texts import described_value, shown_value
from dimensions_site.elements.declaration.labels import switched_on
from dimensions_site.text.formats import shortened
from dimensions_site.text.suggestions import (
    MAX_COMPARED,
    MAX_SUGGESTIONS,
    close_names,
    did_you_mean,
    same_names,
    unknown_field,
)

# The paths of the objects that have a member of this name; the whole element has the empty path.
Homes = Mapping[str, tuple[str, ...]]
# By member, nested like the JSON.
ErrorTree = dict[str, Any]

_ABSENT: Any = object()


class Spellings:
    """Accepted paths, alternative to canonical; a path covers everything below it."""

    def __init__(self, pairs: Mapping[str, str]) -> None:
        self.alternatives = dict(pairs)
        self._pairs = [(tuple(alternative.split(".")), tuple(wire.split("."))) for alternative, wire in pairs.items()]
        self._first = {path[0] for _, path in self._pairs}
        # Groups that only alternative spellings have, such as `bankingData`.
        self._foreign = {path[0] for path, _ in self._pairs if len(path) > 1} - self._first

    def canonical_path(self, path: str) -> str:
        """Return the wire path that `path` means; `path` itself if it is not an alternative spelling."""
        segments = tuple(path.split("."))
        for alternative, wire in self._pairs:
            if segments[: len(alternative)] == alternative:
                segments = wire + segments[len(alternative) :]
        return ".".join(segments)

    def spellings_of(self, path: Sequence[str]) -> list[tuple[str, ...]]:
        """Return all accepted spellings of the wire path whose segments are `path`.

        If several were sent, `canonical` keeps the first value and reports the others as conflicts.
        """
        spellings = [tuple(path)]
        if not self._first.intersection(path[:1]):
            return spellings  # as for most fields, and a body may have thousands of errors
        # `canonical` applies these in order, so undo the last one first.
        for alternative, wire in reversed(self._pairs):
            spellings[1:1] = [
                alternative + spelling[len(wire) :] for spelling in spellings if spelling[: len(wire)] == wire
            ]
        return spellings

    def canonical(self, data: Mapping[str, Any], homes: Homes) -> tuple[dict[str, Any], ErrorTree]:
        """Return a copy of the JSON object `data` in the spelling of responses, and the errors by wire path.

        `homes` are the objects of responses by the names of their members, for suggestions.

        Two spellings of a field with different values are an error. All other members stay as they are, valid or not.
        """
        result: dict[str, Any] = _copy(data)
        errors: ErrorTree = {}
        for alternative, wire in self._pairs:
            cleared = alternative[0] in self._foreign and result.get(alternative[0], _ABSENT) is None
            value = result.pop(alternative[0]) if cleared else _take(result, alternative)
            if value is not _ABSENT:
                errors = join_details(errors, _put(result, wire, value, ".".join(alternative)))
        for group in self._foreign.intersection(result):
            errors |= self._unknown_members(group, result.pop(group), homes)
        return result, errors

    def _unknown_members(self, group: str, value: Any, homes: Homes) -> ErrorTree:
        if not isinstance(value, dict):
            return {group: [not_an_object(group, value)]}
        known = tuple(dict.fromkeys(path[1] for path, _ in self._pairs if path[0] == group))
        meant = {".".join(wire) for path, wire in self._pairs if path[0] == group}
        belonging = {name: found for name in value if (found := tuple(meant.intersection(homes.get(name, ()))))}
        unknown = {name: unknown_member(name, group, known, belonging) for name in value}
        return {group: unknown} if unknown else {}


def join_details(one: Any, other: Any) -> Any:
    """Return the details of both errors; errors of a whole object stand beside errors inside it."""
    if isinstance(one, list) and isinstance(other, list):
        return one + other
    result = dict(_by_name(one))
    for name, details in _by_name(other).items():
        result[name] = join_details(result[name], details) if name in result else details
    return result


def _by_name(details: Any) -> dict[str, Any]:
    return details if isinstance(details, dict) else {api_settings.NON_FIELD_ERRORS_KEY: details}


def _copy(value: Any) -> Any:
    return {key: _copy(member) for key, member in value.items()} if isinstance(value, dict) else value


def _take(data: dict[str, Any], path: tuple[str, ...]) -> Any:
    """Remove and return the value at `path`, or return `_ABSENT`; objects that become empty are removed, too."""
    head, *rest = path
    if not rest:
        return data.pop(head, _ABSENT)
    inner = data.get(head, _ABSENT)
    if not isinstance(inner, dict):
        return _ABSENT
    value = _take(inner, tuple(rest))
    if value is not _ABSENT and not inner:
        del data[head]
    return value


def _put(data: dict[str, Any], path: tuple[str, ...], value: Any, alternative: str) -> ErrorTree:
    """Set `value` at `path`, or return the error that `path` already has another value."""
    *groups, name = path
    group: Any = data
    for segment in groups:
        group = group.setdefault(segment, {})
        if not isinstance(group, dict):
            break
    present = group.get(name) if isinstance(group, dict) else group
    # The members of a null group are null; any other value there is an error of the group.
    fits = _merge(group, name, value) if isinstance(group, dict) else group is not None or value is None
    if fits:
        return {}
    message = _(
        "{one} ({value}) and {other} ({present}) are two spellings of one field and must have the same value; "
        "send only one of them."
    ).format(one=alternative, value=shown_value(value), other=".".join(path), present=shown_value(present))
    details: ErrorTree = {name: [ErrorDetail(message, code="conflicting_spellings")]}
    for segment in reversed(groups):
        details = {segment: details}
    return details


def _merge(data: dict[str, Any], name: str, value: Any) -> bool:
    """Set a member, or merge two objects member by member. Return False when two different values meet."""
    present = data.setdefault(name, value)
    if isinstance(present, dict) and isinstance(value, dict):
        fits = [_merge(present, member, inner) for member, inner in value.items()]  # all, even after a conflict
        return all(fits)
    return type(present) is type(value) and present == value


# --- Unknown members -----------------------------------------------------------------------------

_names_docs: ContextVar[bool] = ContextVar("docs_in_messages", default=False)
# Makes messages about unknown fields name the address of all fields, for clients of REST.
docs_in_messages = partial(switched_on, _names_docs)


def not_an_object(name: str, value: object) -> ErrorDetail:
    """Return the error at `name`, which has another JSON value where an object is expected."""
    message = _("{name} must be an object, not {value}.").format(name=name, value=described_value(value))
    return ErrorDetail(message, code="invalid")


def unknown_member(
    name: str, group: str, members: tuple[str, ...], homes: Homes, spellings: tuple[str, ...] = ()
) -> list[ErrorDetail]:
    """Return the error at the member `name` of the object at the path `group`, which has only the `members`.

    It suggests the nearest member, one of the alternative `spellings`, or the objects that have a member of this name.
    """
    path = wire_path(group, name)
    is_dotted = "." in name and len(path) <= MAX_COMPARED
    if is_dotted and any(f"{path}.".startswith(f"{spelling}.") for spelling in spellings):
        advice = did_you_mean([_nested(name)], in_quotes=False)
    else:
        advice = did_you_mean(same_names(path, spellings)) or _advice(name, group, members, homes)
    message = unknown_field(wire_path(group, shortened(name))) + (advice or all_fields())
    return [ErrorDetail(message, code="unknown_member")]


def all_fields() -> str:
    """Return the sentence with the address of all fields, for a program; an empty text on pages and in commands."""
    return " /docs has the list of all fields." if _names_docs.get() else ""


def _advice(name: str, group: str, members: tuple[str, ...], homes: Homes) -> str:
    if name == "description" and not group and "descriptions" in members:
        return " " + _('Use descriptions, such as {"en": …}.')
    outer, dot, last = name.rpartition(".")
    if dot and wire_path(group, outer) in homes.get(last, ()):
        return did_you_mean([_nested(name)], in_quotes=False)
    if dot:
        return _advice(last, group, members, homes) or did_you_mean(
            [wire_path(group, outer)] if outer in members else []
        )
    siblings = [wire_path(group, found) for found in same_names(name, members)]
    if siblings:
        return did_you_mean(siblings)
    if name in homes:
        return _belongs_in(homes[name], group)
    near = close_names(name, tuple(homes) or members)
    here = [found for found in near if found in members]
    elsewhere = [wire_path(home, found) for found in near if found not in here for home in homes[found]]
    if not here and len(elsewhere) <= MAX_SUGGESTIONS:
        return did_you_mean(elsewhere)
    return did_you_mean([wire_path(group, found) for found in here or close_names(name, members)])


def _nested(path: str) -> str:
    """Return the JSON that the dotted `path` means: `{"conversion": {"conversionType": …}}`."""
    text = "…"
    for name in reversed(path.split(".")):
        text = f'{{"{name}": {text}}}'
    return text


def _belongs_in(groups: Sequence[str], here: str) -> str:
    """Return the sentence about the objects that have such a member; of many the first, if possible within `here`."""
    if "" in groups:
        return " " + _("It belongs at the top level.") if len(groups) <= MAX_SUGGESTIONS else ""
    if len(groups) > MAX_SUGGESTIONS:
        inner = [group for group in groups if group.startswith(f"{here}.")]
        return " " + _("It belongs in objects such as '{group}'.").format(group=(inner or groups)[0])
    return " " + _("It belongs in {groups}.").format(groups=_(" or ").join(f"'{group}'" for group in groups))
