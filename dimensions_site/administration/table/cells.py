"""The cells of a table that people edit: what is stored, how they show it, and what is typed there means."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.db.models import Max, QuerySet

from dimensions_site.elements.declaration.wire import NamedField
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.reading.table_rows import value_rows
from dimensions_site.elements.writing.merging import Absent
from dimensions_site.repositories.models import Repository

_LINE_BREAK = re.compile(r"\r\n|\r")


def cell_text(column: NamedField, value: Any) -> str:
    """Return the text of the cell for a JSON `value`: labels, not codes; an empty text for what is not set."""
    if value is None or isinstance(value, Absent):
        return ""
    text = value if column.key is not None else column.place.leaf.in_words(value)
    return _LINE_BREAK.sub("\n", text)


def typed_value(column: NamedField, text: str) -> Any:
    """Return the JSON value that the `text` of a cell means to people, valid or not; null for an empty cell.

    Raises AmbiguousText.
    """
    if not text:
        return None
    return text if column.key is not None else column.place.leaf.from_words(text)


@dataclass(frozen=True)
class StoredRow:
    """An element: the number of its newest version, and the texts of its cells."""

    id: str
    number: int
    texts: Sequence[str]


def newest_numbers(dimension: Dimension, repository: Repository, ids: Collection[str]) -> dict[str, int]:
    """Return the number of the newest version of each element with one of the `ids`; one query."""
    versions = dimension.model.versions_of(repository).filter(element_id__in=ids)
    return dict(versions.order_by().values_list("element_id").annotate(Max("number")))


def stored_rows(
    dimension: Dimension, repository: Repository, ids: Sequence[str], columns: Sequence[NamedField]
) -> list[StoredRow]:
    """Return the elements with the `ids`, in their order; those that do not exist are left out. Two queries.

    The number is read first: an element that changes in between seems older than its cells, so the user is asked once
    too often, and no change of others is overwritten.
    """
    numbers = newest_numbers(dimension, repository, ids)
    id_column = NamedField("id", dimension.wire.places["id"])
    rows = value_rows([id_column, *columns], lambda value: value, with_ids(dimension.model, repository, ids))
    texts = {str(id): list(map(cell_text, columns, values)) for id, *values in rows}
    return [StoredRow(id, numbers.get(id, 0), texts[id]) for id in ids if id in texts]


def elements_json(dimension: Dimension, repository: Repository, rows: QuerySet[Any]) -> Mapping[str, dict[str, Any]]:
    """Return the wire JSON of the elements or versions `rows` by id; one query."""
    found = map(orjson.loads, full_renderer(dimension, repository.default_language).each(rows))
    return {element["id"]: element for element in found}
