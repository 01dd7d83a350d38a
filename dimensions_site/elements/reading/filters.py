"""The fields of an element that a filter and a sort order may name (contract D3, D5), and filters by their shapes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.db.models.expressions import Combinable
from django.utils.functional import cached_property

from dimensions_site.api.errors import Failure
from dimensions_site.api.lists import SortFilter, TableFilterSet
from dimensions_site.db.compiled import Param
from dimensions_site.elements.declaration.indexes import SEARCHED, SEARCHED_ID
from dimensions_site.elements.declaration.wire import Place
from dimensions_site.elements.dimension import Dimension
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.compiler import Read, compile_filter, parse_sort, without_values
from dimensions_site.rsql.errors import RsqlError, UnknownField
from dimensions_site.rsql.expressions import MapEntry
from dimensions_site.rsql.fields import Field, ValueKind
from dimensions_site.rsql.parser import Node, parse

# Clients choose shapes: how many are kept, and how many characters their filters and sort orders may have together.
KEPT_SHAPES = 80
KEPT_LENGTH = 500


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
            spellings=leaf.spellings,
            open_text=leaf.is_open,
            filterable=place.path not in self._dimension.unfilterable,
            bounds=leaf.bounds,
            searched=_searched(place),
            indexed=place.column == SEARCHED_ID,
            nullable=bool(place.inside) or self._dimension.model._meta.get_field(place.column).null,
        )


def _searched(place: Place) -> str | None:
    return SEARCHED if place.column == SEARCHED else None


class ElementFilterSet(TableFilterSet):
    """The parameters `filter` and `sort` of a dimension."""

    sort = SortFilter(last="element_id")


class CompiledFilter:
    """The filters of one shape, whose `tree` has no values.

    Many are kept, so the condition, which is a tree of large objects, is made again for each statement.
    """

    def __init__(self, dimension: Dimension, language: str, tree: Node | None) -> None:
        """Raises `RsqlError`."""
        self.dimension = dimension
        self.language = language
        self.fields = ElementFields(dimension, language)
        self._tree = tree
        self._readers, _ = self._compile()

    def condition(self) -> Q:
        return self._compile()[1]

    def matches(self) -> Combinable:
        """Return whether a row meets the condition, as a value; false or null if it does not."""
        return ExpressionWrapper(self.condition(), BooleanField())

    def given(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return the values of the bind parameters, which `texts` has in their order. Raises `RsqlError`."""
        pairs = zip(self._readers, texts, strict=True)
        return {f"value_{number}": read(text) for number, (read, text) in enumerate(pairs, start=1)}

    def _compile(self) -> tuple[Sequence[Callable[[str], Any]], Q]:
        readers: list[Callable[[str], Any]] = []

        def value(read: Read, field: Field, text: str) -> Param:
            readers.append(partial(read, field))
            return Param(f"value_{len(readers)}")

        return readers, Q() if self._tree is None else compile_filter(self._tree, self.fields, value)


_compiled_filter = lru_cache(KEPT_SHAPES)(CompiledFilter)


@dataclass(frozen=True)
class ElementFilter:
    """The filter that a client has sent for the elements of a repository; without a `text` all match."""

    dimension: Dimension
    repository: Repository
    text: str | None

    def failures(self, sort: str | None = None) -> Sequence[Failure]:
        """Return the errors in it, and in the order `sort` (contract B1)."""
        try:
            _ = self.given
            if sort is not None:
                parse_sort(sort, self.compiled.fields)
        except RsqlError:
            return self.filterset(self.dimension.model.of(self.repository), sort).failures
        return ()

    def filterset(self, rows: QuerySet[Any], sort: str | None = None) -> ElementFilterSet:
        """Return those of the `rows`, elements or versions, that match, in the order of `sort`, as a new query."""
        query = {"filter": self.text, "sort": sort}
        return ElementFilterSet(query, rows, table=ElementFields(self.dimension, self.repository.default_language))

    @property
    def is_short(self) -> bool:
        """Whether what is composed for it is kept."""
        return len(self.text or "") <= KEPT_LENGTH

    @cached_property
    def compiled(self) -> CompiledFilter:
        """The filter without its values. Raises `RsqlError`."""
        compile_shape = _compiled_filter if self.is_short else CompiledFilter
        return compile_shape(self.dimension, self.repository.default_language, self._tree[0])

    @cached_property
    def given(self) -> dict[str, Any]:
        """The values of its bind parameters. Raises `RsqlError`."""
        return self.compiled.given(self._tree[1])

    @cached_property
    def _tree(self) -> tuple[Node | None, list[str]]:
        texts: list[str] = []
        return without_values(parse(self.text), texts) if self.text else None, texts
