"""The values that differ between two versions of an element, as JSON for programs (contract I5, J2)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson
from rest_framework import serializers

from dimensions_site.api.json.texts import json_text
from dimensions_site.elements.declaration.wire import Place
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Change
from dimensions_site.elements.reading.answers import template_of
from dimensions_site.elements.writing.differences import FieldDifference
from dimensions_site.elements.writing.merging import Absent, Spot

# What happens to an element, and the name of its enum in the documents.
ACTIONS = [change.action for change in Change]
ACTION = "Action"


class ChangedField(serializers.Serializer[Any]):
    path = serializers.CharField(help_text="The path of the field; an entry of a map has its own.")
    before = serializers.JSONField(help_text="Its value before; null if it was not set.")
    after = serializers.JSONField(help_text="Its value after; null if it is not set.")


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
            {"path": str(field.spot), "before": _value(field.before), "after": _value(field.after)}
            for field in fields
            if counts(dimension, field.place)
        ]
    )


def fields_of_json(dimension: Dimension, text: str, after: Mapping[str, Any] | None) -> Iterator[FieldDifference]:
    """Yield the fields in `text`, which `changes_json` has written; `after` is the element's wire JSON afterwards.

    A null of a map is an entry without a text, or none; `after` says which.
    """
    for one in orjson.loads(text):
        old, new = one["before"], one["after"]
        entry = dimension.wire.split_entry(one["path"])
        if entry is None:
            yield FieldDifference(dimension.wire.places[one["path"]], Spot(one["path"]), old, new)
            continue
        place, key = entry
        is_there = key in ((after or {}).get(place.path) or {})
        was_there = old is not None or (new is None and not is_there)
        yield FieldDifference(
            place, Spot(place.path, key), old if was_there else Absent.ENTRY, new if is_there else Absent.ENTRY
        )


def counts(dimension: Dimension, place: Place) -> bool:
    """Return whether another value there is a difference: not in `updateInfo`, nor in what names the element."""
    return not place.leaf.read_only and place.column not in dimension.model.unique_in_repository


def _value(value: Any) -> Any:
    return None if value is Absent.ENTRY else value
