"""Which fields of an element a filter and a sort order may name (contract D3, D5)."""

from django.db.models import F

from dimensions_site.api.filtering import RsqlFilter, SortFilter, TableFilterSet
from dimensions_site.elements.fields import EnumField
from dimensions_site.elements.models import Element
from dimensions_site.elements.searching import SEARCHED, SEARCHED_ID
from dimensions_site.elements.wire import Place, Wire
from dimensions_site.rsql.errors import UnknownField
from dimensions_site.rsql.expressions import JsonLeaf, MapEntry
from dimensions_site.rsql.fields import Field, Kind


class ElementFields:
    """The wire of a dimension as the filter language sees it, in a repository with a default language."""

    def __init__(self, wire: Wire, model: type[Element], language: str, unfilterable: frozenset[str]) -> None:
        self._wire = wire
        self._model = model
        self._language = language
        self._unfilterable = unfilterable

    def resolve(self, selector: str) -> Field:
        """The field that `selector` names in any spelling; raises `UnknownField` with the nearest known ones."""
        path = self._wire.canonical_path(selector)
        if path == "description":
            return Field(path, Kind.TEXT, MapEntry(SEARCHED, self._language), searched=SEARCHED)
        place = self._wire.places.get(path)
        if place is not None:
            return self._field(place)
        entry = self._wire.find_entry(path)
        if entry is not None:
            place, key = entry
            return Field(path, Kind.TEXT, MapEntry(place.column, key), searched=_searched(place))
        raise UnknownField(selector, self._wire.similar(path))

    def _field(self, place: Place) -> Field:
        leaf = place.leaf
        return Field(
            place.path,
            leaf.kind,
            JsonLeaf(place.column, place.inside, leaf.kind) if place.inside else F(place.column),
            choices=leaf.words,
            spellings=leaf.spellings if isinstance(leaf, EnumField) else {},
            open_text=isinstance(leaf, EnumField) and leaf.open_length is not None,
            filterable=place.path not in self._unfilterable,
            searched=_searched(place),
            indexed=place.column == SEARCHED_ID,
            nullable=bool(place.inside) or self._model._meta.get_field(place.column).null,
        )


def _searched(place: Place) -> str | None:
    return SEARCHED if place.column == SEARCHED else None


class ElementFilterSet(TableFilterSet):
    """`filter` and `sort` of a dimension."""

    filter = RsqlFilter(label="RSQL conditions that the elements meet")
    sort = SortFilter(label="Fields to sort by", last="element_id")
