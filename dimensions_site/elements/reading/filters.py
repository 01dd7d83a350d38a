"""The fields of an element that a filter and a sort order may name (contract D3, D5)."""

from dimensions_site.api.filtering import RsqlFilter, SortFilter, TableFilterSet
from dimensions_site.elements.declaration.fields import EnumField
from dimensions_site.elements.declaration.indexes import SEARCHED, SEARCHED_ID
from dimensions_site.elements.declaration.numbers import IntegerField
from dimensions_site.elements.declaration.wire import Place
from dimensions_site.elements.dimension import Dimension
from dimensions_site.rsql.errors import UnknownField
from dimensions_site.rsql.expressions import MapEntry
from dimensions_site.rsql.fields import Field, ValueKind


class ElementFields:
    """The fields of a dimension for the filter language, in a repository with a default language."""

    def __init__(self, dimension: Dimension, language: str) -> None:
        self._dimension = dimension
        self.wire = dimension.wire
        self._language = language

    def resolve(self, selector: str) -> Field:
        """Return the field that `selector` names in any spelling. Raises `UnknownField` with the nearest known ones."""
        path = self.wire.canonical_path(selector)
        if path == "description":
            return Field(path, ValueKind.TEXT, MapEntry(SEARCHED, self._language), searched=SEARCHED)
        place = self.wire.places.get(path)
        if place is not None:
            return self._field(place)
        entry = self.wire.find_entry(path)
        if entry is not None:
            place, key = entry
            return Field(path, ValueKind.TEXT, MapEntry(place.column, key), searched=_searched(place))
        raise UnknownField(self.wire.refusal(selector))

    def _field(self, place: Place) -> Field:
        leaf = place.leaf
        return Field(
            place.path,
            leaf.kind,
            place.expression,
            choices=leaf.words,
            spellings=leaf.spellings if isinstance(leaf, EnumField) else {},
            open_text=isinstance(leaf, EnumField) and leaf.open_length is not None,
            filterable=place.path not in self._dimension.unfilterable,
            bounds=(leaf.minimum, leaf.maximum) if isinstance(leaf, IntegerField) else None,
            searched=_searched(place),
            indexed=place.column == SEARCHED_ID,
            nullable=bool(place.inside) or self._dimension.model._meta.get_field(place.column).null,
        )


def _searched(place: Place) -> str | None:
    return SEARCHED if place.column == SEARCHED else None


class ElementFilterSet(TableFilterSet):
    """The parameters `filter` and `sort` of a dimension."""

    filter = RsqlFilter(label="RSQL conditions that the elements meet")
    sort = SortFilter(label="Fields to sort by", last="element_id")
