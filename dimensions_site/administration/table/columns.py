"""The columns, rows and cells of a table that people edit: as they are stored, and as its page sends them.

There may be a column for each field, or entry of a map, that can be changed.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from django.core.exceptions import BadRequest
from msgspec import Meta

from dimensions_site.administration.base.naming import FieldGroup, grouped_fields, known_keys, last_versions
from dimensions_site.elements.declaration.texts import CODE_LENGTH
from dimensions_site.elements.declaration.wire import NamedField, Place
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.reading.selection import DESCRIPTIONS
from dimensions_site.elements.reading.table_rows import value_rows
from dimensions_site.elements.writing.merging import Absent, Spot
from dimensions_site.repositories.models import Repository

_LINE_BREAK = re.compile(r"\r\n|\r")
# Each costs every row time and room in the browser.
MAX_TABLE_COLUMNS = 60
MAX_ROWS, MAX_CELLS = 5_000, 60_000
# How many languages have a column at first, and how many entries of a map are offered.
_LANGUAGES, _OFFERED_ENTRIES = 4, 50
# The longest number of a version, and the longest name of a column.
_NUMBER = Annotated[int, Meta(ge=0, le=2**63 - 1)]
_NAME = Annotated[str, Meta(max_length=3 * CODE_LENGTH)]


def spot_of(column: NamedField) -> Spot:
    """Return the field that the column shows."""
    return Spot(column.place.path, column.key)


class TableColumns:
    """The columns that a table with elements of the `repository` may have. One query."""

    def __init__(self, dimension: Dimension, repository: Repository) -> None:
        self._dimension = dimension
        self._fixed = set(dimension.model.unique_in_repository.values())
        self._keys: Mapping[str, Sequence[str]] = known_keys(dimension, repository)

    def named(self, name: str) -> NamedField | None:
        """Return the column of the field or entry with this wire path; None if there is none that can be changed."""
        found = self._dimension.wire.named(name)
        is_column = (
            found is not None
            and found.path == name
            and self._is_writable(found.place)
            and found.is_entry is found.place.is_map
        )
        return found if is_column else None

    def at_first(self, listed: Iterable[str]) -> list[NamedField]:
        """Return the columns of a new table: those of the list, with a description for each language in use."""
        languages = [f"{DESCRIPTIONS}.{language}" for language in self._keys[DESCRIPTIONS][:_LANGUAGES]]
        names = [name for path in listed for name in (languages if path == DESCRIPTIONS else [path])]
        return [column for name in dict.fromkeys(names) if (column := self.named(name)) is not None]

    def groups(self, chosen: Iterable[NamedField] = ()) -> list[FieldGroup]:
        """Return everything that can be chosen, with the entries that are `chosen`; a whole map may get another one."""
        keys = {path: list(known[:_OFFERED_ENTRIES]) for path, known in self._keys.items()}
        for column in chosen:
            if column.key is not None and column.key not in keys[column.place.path]:
                keys[column.place.path].append(column.key)
        return grouped_fields(self._dimension, keys, lambda field: self._is_writable(field.place))

    def _is_writable(self, place: Place) -> bool:
        return not (place.leaf.read_only or place.is_default_description or place.path in self._fixed)


def cell_text(column: NamedField, value: Any) -> str:
    """Return the text of the cell for a JSON `value`: labels, not codes; an empty text for what is not set."""
    if value is None or isinstance(value, Absent):
        return ""
    text = value if column.key is not None else column.place.leaf.in_words(value)
    return _LINE_BREAK.sub("\n", text)


def typed_value(column: NamedField, text: str) -> Any:
    """Return the JSON value that the `text` of a cell means; null for an empty one. Raises AmbiguousText."""
    if not text:
        return None
    return text if column.key is not None else column.place.leaf.from_words(text)


@dataclass(frozen=True)
class StoredRow:
    """An element: the number of its newest version, and the texts of its cells."""

    id: str
    number: int
    texts: Sequence[str]


def stored_rows(
    dimension: Dimension, repository: Repository, ids: Sequence[str], columns: Sequence[NamedField]
) -> list[StoredRow]:
    """Return the elements with the `ids`, in their order; those that do not exist are left out. Two queries.

    The number is read first: an element that changes in between seems older than its cells, so the user is asked once
    too often, and no change of others is overwritten.
    """
    numbers = last_versions(dimension, repository, ids)
    id_column = NamedField("id", dimension.wire.places["id"])
    rows = value_rows([id_column, *columns], lambda value: value, with_ids(dimension.model, repository, ids))
    texts = {str(id): list(map(cell_text, columns, values)) for id, *values in rows}
    return [StoredRow(id, numbers.get(id, 0), texts[id]) for id in ids if id in texts]


class SentRow(msgspec.Struct):
    """One row: the element's id, the number of the version that was read, and the text of each cell that was changed.

    `kept` has the number of a newer version for the cells in which the user has decided against its value. The id of
    an element that `is_new` is what was typed, valid or not.
    """

    id: str
    base: _NUMBER
    typed: dict[_NAME, str] = {}
    kept: dict[_NAME, _NUMBER] = {}
    is_new: bool = False

    @property
    def is_edited(self) -> bool:
        """Whether something was typed in the row."""
        return self.is_new or bool(self.typed)


class SentTable(msgspec.Struct):
    """The whole table, of one repository (a primary key)."""

    repository: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    columns: Annotated[list[_NAME], Meta(max_length=2 * MAX_TABLE_COLUMNS)]
    rows: Annotated[list[SentRow], Meta(max_length=MAX_ROWS)]

    @property
    def digest(self) -> str:
        """A short text that differs as soon as something else is typed."""
        typed = msgspec.json.encode([(row.id, sorted(row.typed.items())) for row in self.rows if row.is_edited])
        return hashlib.sha256(typed).hexdigest()[:32]


_decoder = msgspec.json.Decoder(SentTable)


def read_sent(text: str) -> SentTable:
    """Return the table. Raises `BadRequest` for what no page sends."""
    try:
        sent = _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        raise BadRequest("The table was not sent as this page sends it.") from None
    ids = [row.id for row in sent.rows if not row.is_new]
    if len({*ids}) < len(ids) or any("\0" in id or not 0 < len(id) <= CODE_LENGTH for id in ids):
        raise BadRequest("The table names an element twice, or one that cannot exist.")
    return sent
