"""The columns of a table of elements: what a heading names, and what a cell sets."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from bulkops.files.formats.rows import REASON, FileRow
from bulkops.files.formats.tables import INVISIBLE, nameless
from bulkops.session.items import Segments
from dimensions_site.api.errors import Failure
from dimensions_site.api.json.texts import shown_value
from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.elements.reading.cells import UNSET, read_cell
from dimensions_site.text.formats import shortened
from dimensions_site.text.suggestions import close_names, did_you_mean

# Both are the text in the default language, as in a fetch (contract C4, D8).
_DEFAULT_DESCRIPTION = frozenset({"description", "descriptions"})


@dataclass
class FileColumn:
    """The column of a leaf, or of an entry of a map, at `segments`."""

    heading: str
    segments: Segments
    # None for an entry of a map, which is text.
    leaf: Leaf | None

    def takes(self, number: str) -> bool:
        """Return whether the `number`, date or truth value is taken as such, whatever it looks like in a workbook."""
        return self.leaf is not None and self.leaf.takes_number(number)

    def fill(self, data: dict[str, Any], text: str, *, is_number: bool = False) -> bool:
        """Set the value of the cell `text` in the wire JSON `data`; return False if the cell means "not set".

        A number of a workbook has one meaning in all languages.
        """
        value = FileColumn.value_of(self, text) if is_number else self.value_of(text)
        if value is UNSET:
            return False
        *groups, name = self.segments
        for group in groups:
            data = data.setdefault(group, {})
        data[name] = value
        return True

    def value_of(self, text: str) -> Any:
        """Return the JSON value of the cell `text`; `UNSET` for "not set"."""
        value = read_cell(text)
        # Null is not "not set": a map entry is stored as null, and a leaf does not get its default.
        return value if self.leaf is None or value is None or value is UNSET else self.leaf.from_cell(value)


class FileColumns:
    """The columns of a table, by their `headings`; the `untitled` ones must have no texts."""

    def __init__(self, headings: Sequence[str], columns: Sequence[FileColumn], untitled: Sequence[str] = ()) -> None:
        self.headings = headings
        self._untitled = untitled
        self._columns = columns
        self._by_path = {".".join(column.segments): column for column in reversed(columns)}
        self._others = [column for column in columns if self._first(column) is not column]
        self._used = {column.heading: column for column in columns}

    def heading_of(self, path: str) -> str:
        """Return the heading of the wire path's column, or the path itself if there is no such column."""
        column = self._by_path.get(path)
        return path if column is None else column.heading

    def settled(self, row: FileRow) -> tuple[FileRow, list[Failure]]:
        """Return the row with the numbers that its columns take, and the errors of its cells; what is left out of the
        import has none.
        """
        unnamed = [name for name in self._untitled if row.cells[name].strip()]
        if not (row.errors or row.numbers or unnamed):
            return row, []
        used = self._used
        numbers = {name: number for name, number in row.numbers.items() if name in used and used[name].takes(number)}
        failures = [
            Failure(name, "INVALID_ROW", message)
            for name, message in row.errors.items()
            if name in used and name not in numbers
        ]
        failures += (Failure(name, "UNKNOWN_FIELD", nameless(name)) for name in unnamed)
        return msgspec.structs.replace(row, cells={**row.cells, **numbers}, numbers=numbers), failures

    def computed(self, row: FileRow) -> int:
        """Return how many values of the row a program has computed."""
        return sum(name in self._used for name in row.formulas)

    def read(self, cells: Mapping[str, str], numbers: Container[str] = ()) -> tuple[dict[str, Any], list[Segments]]:
        """Return the wire JSON of a row's cells, and the places of its empty cells; `numbers` are the headings of those
        that are numbers in a workbook.
        """
        data: dict[str, Any] = {}
        cleared = [
            column.segments
            for column in self._columns
            if not column.fill(data, cells[column.heading], is_number=column.heading in numbers)
        ]
        return data, cleared

    def conflicts(self, cells: Mapping[str, str]) -> list[Failure]:
        """Return the errors where two spellings of one field have different cells in a row (contract C6)."""
        failures: list[Failure] = []
        for column in self._others:
            heading = self._first(column).heading
            if cells[heading] != cells[column.heading]:
                message = _(
                    "'{one}' and '{other}' are one field and must not have different cells; got {first} and {second}."
                )
                values = {
                    "one": heading,
                    "first": shown_value(cells[heading]),
                    "second": shown_value(cells[column.heading]),
                }
                message = message.format(other=column.heading, **values)
                failures.append(Failure(column.heading, "CONFLICTING_SPELLINGS", message))
        return failures

    def _first(self, column: FileColumn) -> FileColumn:
        return self._by_path[".".join(column.segments)]


def read_columns(
    wire: Wire,
    headings: Sequence[str],
    language: str,
    mapping: Mapping[str, str],
    made: Callable[[FileColumn], FileColumn] | None = None,
    written: Mapping[str, str] = MappingProxyType({}),
) -> tuple[FileColumns, list[Failure]]:
    """Return the columns of the `headings`, and the errors of unknown ones.

    A heading is a wire path in any spelling (contract C6), or an entry of a map such as `descriptions.de`; white space
    around it, and what nobody sees, is ignored. `mapping` overrides headings, with "" to leave a column out. `language`
    is the repository's default language. Columns that cannot be imported, such as `updateInfo`, are skipped (contract
    C12). `made` may return a column that reads more. `written` has the headings that were named apart, as in `Found`:
    a column of which the heading is repeated or missing is used only if it is mapped by its own name, and a text in a
    column without a heading is an error of its row.
    """
    columns: list[FileColumn] = []
    untitled: list[str] = []
    failures = [
        Failure(
            heading,
            "UNKNOWN_HEADING",
            _("The file has no heading '{heading}' that could be mapped.{hint}").format(
                heading=shortened(heading), hint=did_you_mean(close_names(heading, tuple(headings)))
            ),
        )
        for heading in mapping
        if heading not in headings
    ]
    for heading in headings:
        called = written.get(heading, heading)
        meaning = mapping.get(heading, mapping.get(called, called))
        untitled += [heading] * (not called.strip() and heading not in mapping)
        if heading == REASON or not meaning.strip():
            continue
        seen = meaning.rstrip(INVISIBLE).strip()
        column = _column(wire, heading, meaning, language) or _column(wire, heading, seen, language)
        is_read_only = column is not None and column.leaf is not None and column.leaf.read_only
        if called != heading and heading not in mapping and not is_read_only:
            failures.append(Failure(heading, "UNKNOWN_FIELD", nameless(heading, called)))
        elif column is None:
            failures.append(Failure(heading, "UNKNOWN_FIELD", wire.refusal(seen)))
        elif not is_read_only:
            columns.append(made(column) if made else column)
    if all(column.segments != ("id",) for column in columns):
        message = _("The heading 'id' is missing; each row needs an id.")
        failures.append(Failure("id", "REQUIRED", message))
    return FileColumns(headings, columns, untitled), failures


def _column(wire: Wire, heading: str, spelling: str, language: str) -> FileColumn | None:
    path = f"descriptions.{language}" if spelling in _DEFAULT_DESCRIPTION else wire.canonical_path(spelling)
    found = wire.named(path)
    if found is None or found.is_entry is not found.place.is_map:
        return None
    if found.key is not None:
        return FileColumn(heading, (found.place.path, found.key), None)
    return FileColumn(heading, tuple(found.path.split(".")), found.place.leaf)
