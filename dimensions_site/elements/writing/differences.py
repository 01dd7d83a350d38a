"""The differences between two versions of an element, as text for people, with the names of the wire."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dimensions_site.api.json.texts import json_text
from dimensions_site.elements.declaration.timestamps import TimestampField, as_people_write
from dimensions_site.elements.declaration.wire import Place, Wire
from dimensions_site.elements.writing.merging import Spot, value_at


@dataclass(frozen=True)
class Difference:
    """A changed value: its path, and its text before and after."""

    path: str
    before: str
    after: str


def differences(wire: Wire, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[Difference]:
    """Return the differences between the elements `before` and `after`, which are wire JSON, in the order of the wire.

    None is an element that does not exist. An entry of a map has its own path, as in `descriptions.de`. Left out are
    read-only fields (contract C12) and `description`, which `descriptions` contain (contract C4).
    """
    return [
        difference
        for place in wire.places.values()
        if not place.leaf.read_only
        for difference in _differences(place, _value(place, before), _value(place, after))
    ]


def words_of(place: Place, value: Any) -> str:
    """Return the text for people for a value of the field, or of the entry of the map, at `place`."""
    if place.is_map:
        return _entry_text(value)
    return _text(_shown(place, value))


def _value(place: Place, element: Mapping[str, Any] | None) -> Any:
    return None if element is None else _shown(place, value_at(element, Spot(place.path)))


def _shown(place: Place, value: Any) -> Any:
    return as_people_write(value) if isinstance(place.leaf, TimestampField) and isinstance(value, str) else value


def _differences(place: Place, before: Any, after: Any) -> Iterator[Difference]:
    if before == after and type(before) is type(after):
        return
    if not place.is_map or not (before or after):
        yield Difference(place.path, _text(before), _text(after))
        return
    old, new = ({key: _entry_text(text) for key, text in (entries or {}).items()} for entries in (before, after))
    for key in {**old, **new}:
        texts = old.get(key, _text(None)), new.get(key, _text(None))
        if (key in old) != (key in new) or texts[0] != texts[1]:
            yield Difference(f"{place.path}.{key}", *texts)


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
