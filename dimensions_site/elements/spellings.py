"""Alternative spellings of the wire, turned into the spelling that responses use (contract C6)."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ErrorDetail

from dimensions_site.api.problems import shortened
from dimensions_site.elements.details import at, joined

# By member, nested like the JSON.
Errors = dict[str, Any]

_ABSENT: Any = object()


class Spellings:
    """A table of accepted paths, alternative to canonical; a path covers everything below it."""

    def __init__(self, pairs: Mapping[str, str]) -> None:
        self.alternatives = dict(pairs)
        self._pairs = [(tuple(alternative.split(".")), tuple(wire.split("."))) for alternative, wire in pairs.items()]
        # Groups that only alternative spellings have, such as `bankingData`.
        self._foreign = {path[0] for path, _ in self._pairs if len(path) > 1} - {path[0] for _, path in self._pairs}

    def canonical_path(self, path: str) -> str:
        """The wire path that `path` means; itself when it is no alternative spelling."""
        segments = tuple(path.split("."))
        for alternative, wire in self._pairs:
            if segments[: len(alternative)] == alternative:
                segments = wire + segments[len(alternative) :]
        return ".".join(segments)

    def spellings_of(self, path: Sequence[str]) -> list[tuple[str, ...]]:
        """All accepted spellings of the wire path `path`, given by its segments.

        Of several that were sent, `canonical` keeps the value of the first and finds the others in conflict with it.
        """
        spellings = [tuple(path)]
        # What `canonical` does last is undone first.
        for alternative, wire in reversed(self._pairs):
            spellings[1:1] = [
                alternative + spelling[len(wire) :] for spelling in spellings if spelling[: len(wire)] == wire
            ]
        return spellings

    def canonical(self, data: Mapping[str, Any]) -> tuple[dict[str, Any], Errors]:
        """A copy of the JSON object `data` in the spelling of responses, and the errors at the wire paths.

        It is an error when two spellings of one field have different values. Members that are no
        alternative spelling stay as they are, right or wrong.
        """
        result: dict[str, Any] = _copy(data)
        errors: Errors = {}
        for alternative, wire in self._pairs:
            cleared = alternative[0] in self._foreign and result.get(alternative[0], _ABSENT) is None
            value = result.pop(alternative[0]) if cleared else _take(result, alternative)
            if value is not _ABSENT:
                errors = joined(errors, _put(result, wire, value, ".".join(alternative)))
        for group in self._foreign.intersection(result):
            errors |= _unknown_members(group, result.pop(group))
        return result, errors


def unknown_member(name: str) -> list[ErrorDetail]:
    """The error at a member that is no field of the wire (contract C5)."""
    return [ErrorDetail(_("There is no field '{name}' here.").format(name=shortened(name)), code="unknown_member")]


def _unknown_members(group: str, value: Any) -> Errors:
    if not isinstance(value, dict):
        return {group: [ErrorDetail(_("{name} has to be an object.").format(name=group), code="invalid")]}
    unknown = {name: unknown_member(name) for name in value}
    return {group: unknown} if unknown else {}


def _copy(value: Any) -> Any:
    return {key: _copy(member) for key, member in value.items()} if isinstance(value, dict) else value


def _take(data: dict[str, Any], path: tuple[str, ...]) -> Any:
    """Remove what stands at `path` and return it, or `_ABSENT`; objects that become empty by that go too."""
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


def _put(data: dict[str, Any], path: tuple[str, ...], value: Any, alternative: str) -> Errors:
    """Set `value` at `path`, or return the error that another value stands there already."""
    *groups, name = path
    group: Any = data
    for segment in groups:
        group = group.setdefault(segment, {})
        if not isinstance(group, dict):
            break
    # The members of a group that is null are null; of anything else in its place the group's own error tells.
    fits = _merge(group, name, value) if isinstance(group, dict) else group is not None or value is None
    if fits:
        return {}
    message = _(
        "{one} and {other} are two spellings of one field, and their values differ; "
        "send one of them, or the same value twice."
    ).format(one=alternative, other=".".join(path))
    return at(path, [ErrorDetail(message, code="conflicting_spellings")])


def _merge(data: dict[str, Any], name: str, value: Any) -> bool:
    """Set a member, or merge two objects member by member; False when two different values meet."""
    present = data.setdefault(name, value)
    if isinstance(present, dict) and isinstance(value, dict):
        fits = [_merge(present, member, inner) for member, inner in value.items()]  # all of them, also after a misfit
        return all(fits)
    return type(present) is type(value) and present == value
