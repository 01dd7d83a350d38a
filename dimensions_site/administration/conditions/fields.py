"""The fields that a condition or a column of the list may name, as people call them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from dimensions_site.elements.declaration.timestamps import as_people_write
from dimensions_site.elements.declaration.wire import NamedField, ObjectNode
from dimensions_site.elements.dimension import Dimension
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.text.formats import shortened

_SHOWN = 60
# The time of a day alone.
_MIDNIGHT = "T00:00:00.000+0000"


def words_of(named: NamedField, text: str) -> str:
    """Return what people call the value that a filter writes as `text`."""
    leaf: Any = named.place.leaf
    kind = named.kind
    if kind is ValueKind.ENUM:
        return shortened(leaf.in_words(leaf.spellings.get(text, text)), _SHOWN)
    if kind is ValueKind.BOOLEAN and text in ("true", "false"):
        return str(leaf.in_words(text == "true"))
    if kind is ValueKind.TIMESTAMP:
        return shortened(as_people_write(text if "T" in text else f"{text}{_MIDNIGHT}"), _SHOWN)
    if kind is ValueKind.DECIMAL:
        return shortened(leaf.in_words(text), _SHOWN)
    shown = shortened(text, _SHOWN)
    return _("“%(text)s”") % {"text": shown} if kind in (ValueKind.TEXT, ValueKind.TEXT_MAP) else shown


# How many elements are read to learn which languages and attributes are in use; reading all would take too long.
_SAMPLE = 200


def known_keys(dimension: Dimension, repository: Repository) -> Mapping[str, Sequence[str]]:
    """Return the keys in the maps of the repository's elements, by the path of the map, the most frequent first.

    All maps of languages share theirs, with the default language first. One query.
    """
    places = [place for place in dimension.wire.places.values() if place.is_map]
    columns = [place.column for place in places]
    rows = dimension.model.of(repository).order_by("element_id").values_list(*columns)[:_SAMPLE]
    languages = Counter({repository.default_language: _SAMPLE * len(places) + 1})
    counters = {place.path: languages if place.leaf.has_languages else Counter[str]() for place in places}
    for row in rows:
        for place, entries in zip(places, row, strict=True):
            counters[place.path].update(list(entries or ()))
    return {path: sorted(uses, key=lambda key: (-uses[key], key)) for path, uses in counters.items()}


@dataclass
class FieldGroup:
    """Fields under one heading."""

    title: str
    fields: list[NamedField] = field(default_factory=list)


def grouped_fields(
    dimension: Dimension, known_keys: Mapping[str, Sequence[str]], is_offered: Callable[[NamedField], bool]
) -> list[FieldGroup]:
    """Return the offered fields by group, first those without a group.

    A map is followed by its entries with the `known_keys`, by its path.
    """
    general = FieldGroup(_("General"))
    groups = {"": general}
    for place in dimension.wire.places.values():
        outermost = dimension.wire.root.members[place.path.partition(".")[0]]
        group = general
        if isinstance(outermost, ObjectNode):
            group = groups.setdefault(outermost.path, FieldGroup(str(outermost.label)))
        entries = known_keys.get(place.path, ()) if place.is_map else ()
        named = [NamedField(place.path, place), *(NamedField(f"{place.path}.{key}", place, key) for key in entries)]
        group.fields += filter(is_offered, named)
    return [group for group in groups.values() if group.fields]
