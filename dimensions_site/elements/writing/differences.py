"""The differences between two versions of an element, by the paths of the wire: as values, as text for people, and as
JSON for programs (contract I5, J2).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from django.utils.translation import gettext as _
from rest_framework import serializers

from dimensions_site.api.json.texts import json_text
from dimensions_site.elements.declaration.wire import ObjectNode, Place, Wire
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Change
from dimensions_site.elements.reading.answers import template_of
from dimensions_site.elements.writing.merging import Absent, Spot


@dataclass(frozen=True)
class FieldDifference:
    """A field of the wire, or an entry of a map, at `spot`: its value before and after.

    `Absent.ENTRY` stands for an entry that the map does not have.
    """

    place: Place
    spot: Spot
    before: Any
    after: Any


@dataclass(frozen=True)
class Difference:
    path: str
    heading: str
    before: str
    after: str


def field_differences(
    wire: Wire, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> Iterator[FieldDifference]:
    """Yield what differs between the elements `before` and `after`, which are wire JSON, in the order of the wire.

    None is an element that does not exist. An entry of a map has its own path, as in `descriptions.de`; entries are in
    the order of their keys. Left out are read-only fields (contract C12) and `description`, which `descriptions`
    contain (contract C4).
    """
    return _within(wire.root, before or {}, after or {})


def differences(
    wire: Wire, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, *, as_on_the_wire: bool = False
) -> list[Difference]:
    """Return what `field_differences` yields, as `differences_in_words`."""
    return differences_in_words(field_differences(wire, before, after), as_on_the_wire=as_on_the_wire)


def differences_in_words(fields: Iterable[FieldDifference], *, as_on_the_wire: bool = False) -> list[Difference]:
    """Return the fields with their values as text for people, or `as_on_the_wire` for those who read paths."""
    text = _wire_text if as_on_the_wire else _words
    return [
        Difference(
            str(field.spot), field.place.heading_of(field.spot.key), text(field, field.before), text(field, field.after)
        )
        for field in fields
    ]


def words_of(place: Place, value: Any) -> str:
    """Return the text for people for a value of the field, or of the entry of the map, at `place`."""
    if place.is_map:
        return _entry_text(value)
    return _text(_shown(place, value))


def _within(node: ObjectNode, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[FieldDifference]:
    """Yield the differences in one object. Skips equal members, which are most of them."""
    for name, member in node.members.items():
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if isinstance(member, ObjectNode):
            yield from _within(member, old or {}, new or {})
        elif member.leaf.read_only:
            continue
        elif member.is_map and (old or new):
            old, new = old or {}, new or {}
            for key in sorted({**old, **new}):
                one, other = old.get(key, Absent.ENTRY), new.get(key, Absent.ENTRY)
                if one != other:
                    yield FieldDifference(member, Spot(member.path, key), one, other)
        else:
            yield FieldDifference(member, Spot(member.path), old, new)


def _words(field: FieldDifference, value: Any) -> str:
    if value is Absent.ENTRY:
        return _text(None)
    return _text(_shown(field.place, value)) if field.spot.key is None else _entry_text(value)


def _wire_text(field: FieldDifference, value: Any) -> str:
    return _words(field, value) if field.spot.key is not None else _text(value)


def _shown(place: Place, value: Any) -> Any:
    return value if value is None or place.is_map else place.leaf.in_words(value)


def _entry_text(text: str | None) -> str:
    """Return the text for an entry; one without a text differs from a missing one (contract C3)."""
    return _("no text") if text is None else _text(text)


def _text(value: Any) -> str:
    if value is None:
        return _("not set")
    if value == {}:
        return _("no entries")
    # Quotes show a text that is blank or empty.
    return value if isinstance(value, str) and value == value.strip() != "" else json_text(value)


# What happens to an element, and the name of its enum in the documents.
ACTIONS = [change.action for change in Change]
ACTION = "Action"


class ChangedField(serializers.Serializer[Any]):
    path = serializers.CharField(help_text="The path of the field; an entry of a map has its own.")
    before = serializers.JSONField(help_text="Its value before; null if it was not set.")
    after = serializers.JSONField(help_text="Its value after; null if it is not set.")
    entry = serializers.ChoiceField(
        ("added", "kept", "removed"),
        label="EntryChange",
        required=False,
        help_text="What became of an entry of a map; only where null is an entry without a text, not a missing one.",
    )


class ElementDifference(serializers.Serializer[Any]):
    id = serializers.CharField()
    action = serializers.ChoiceField(ACTIONS, label=ACTION)
    changes = ChangedField(many=True)


_DIFFERENCE = template_of(ElementDifference)


def difference_json(id: str, action: str, changes: str) -> str:
    """Return the JSON of an element that differs; `changes` is that of its values, as `changes_json` returns it."""
    return _DIFFERENCE % (json_text(id), f'"{action}"', changes)


def changes_json(dimension: Dimension, fields: Iterable[FieldDifference]) -> str:
    """Return the `fields` that count as a JSON array. A value is null if it is not set."""
    return json_text(
        [
            {"path": str(field.spot), "before": _value(field.before), "after": _value(field.after), **_entry(field)}
            for field in fields
            if counts(dimension, field.place)
        ]
    )


def fields_of_json(dimension: Dimension, text: str) -> Iterator[FieldDifference]:
    """Yield the fields in `text`, which `changes_json` has written."""
    for one in orjson.loads(text):
        old, new = one["before"], one["after"]
        entry = dimension.wire.split_entry(one["path"])
        if entry is None:
            yield FieldDifference(dimension.wire.places[one["path"]], Spot(one["path"]), old, new)
            continue
        place, key = entry
        was_there = old is not None or one.get("entry") in ("kept", "removed")
        is_there = new is not None or one.get("entry") in ("added", "kept")
        yield FieldDifference(
            place, Spot(place.path, key), old if was_there else Absent.ENTRY, new if is_there else Absent.ENTRY
        )


def counts(dimension: Dimension, place: Place) -> bool:
    """Return whether another value there is a difference: not in `updateInfo`, nor in what names the element."""
    return not place.leaf.read_only and place.column not in dimension.model.unique_in_repository


def _value(value: Any) -> Any:
    return None if value is Absent.ENTRY else value


def _entry(field: FieldDifference) -> dict[str, str]:
    """Return what became of an entry that has no text on one side, which differs from no entry (contract C3)."""
    if field.spot.key is None or None not in (field.before, field.after):
        return {}
    is_new, is_gone = field.before is Absent.ENTRY, field.after is Absent.ENTRY
    return {"entry": "added" if is_new else "removed" if is_gone else "kept"}
