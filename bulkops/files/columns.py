"""The columns of a table of elements: what a heading names, and what a cell sets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.utils.translation import gettext as _

from bulkops.files.formats.rows import REASON
from dimensions_site.api.errors import Failure
from dimensions_site.api.json.texts import shown
from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.elements.reading.cells import UNSET, read_cell
from dimensions_site.text.shortening import shortened
from dimensions_site.text.suggestions import close_names, did_you_mean

# Both are the text in the default language, as in a fetch (contract C4, D8).
_DEFAULT_DESCRIPTION = frozenset({"description", "descriptions"})

# A wire path, split into its members.
Segments: TypeAlias = tuple[str, ...]


@dataclass
class Column:
    """The column of a leaf, or of an entry of a map, at `segments`."""

    heading: str
    segments: Segments
    # None for an entry of a map, which is text.
    leaf: Leaf | None

    def fill(self, data: dict[str, Any], text: str) -> bool:
        """Set the value of the cell `text` in the wire JSON `data`; return False if the cell means "not set"."""
        value = self.value_of(text)
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


class Columns:
    """The columns of a table, by their `headings`."""

    def __init__(self, headings: Sequence[str], columns: Sequence[Column]) -> None:
        self.headings = headings
        self._columns = columns
        self._by_path = {".".join(column.segments): column for column in reversed(columns)}
        self._others = [column for column in columns if self._first(column) is not column]

    def heading_of(self, path: str) -> str:
        """Return the heading of the wire path's column, or the path itself if there is no such column."""
        column = self._by_path.get(path)
        return path if column is None else column.heading

    def read(self, cells: Mapping[str, str]) -> tuple[dict[str, Any], list[Segments]]:
        """Return the wire JSON of a row's cells, and the places of its empty cells."""
        data: dict[str, Any] = {}
        cleared = [column.segments for column in self._columns if not column.fill(data, cells[column.heading])]
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
                values = {"one": heading, "first": shown(cells[heading]), "second": shown(cells[column.heading])}
                message = message.format(other=column.heading, **values)
                failures.append(Failure(column.heading, "CONFLICTING_SPELLINGS", message))
        return failures

    def _first(self, column: Column) -> Column:
        return self._by_path[".".join(column.segments)]


def clear(data: Any, segments: Segments) -> None:
    """Remove the value at `segments` from the wire JSON `data`, as an empty cell does."""
    *groups, name = segments
    for group in groups:
        data = data.get(group) if isinstance(data, dict) else None
    if isinstance(data, dict):
        data.pop(name, None)


def read_headings(
    wire: Wire,
    headings: Sequence[str],
    language: str,
    mapping: Mapping[str, str],
    made: Callable[[Column], Column] = lambda column: column,
) -> tuple[Columns, list[Failure]]:
    """Return the columns of the `headings`, and the errors of unknown ones.

    A heading is a wire path in any spelling (contract C6), or an entry of a map such as `descriptions.de`; white space
    around it is ignored. `mapping` overrides headings, with "" to leave a column out. `language` is the repository's
    default language. Columns that cannot be imported, such as `updateInfo`, are skipped (contract C12). `made` may
    return a column that reads more.
    """
    columns: list[Column] = []
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
        meaning = mapping.get(heading, heading)
        if heading == REASON or not meaning:
            continue
        column = _column(wire, heading, meaning, language) or _column(wire, heading, meaning.strip(), language)
        if column is None:
            failures.append(Failure(heading, "UNKNOWN_FIELD", wire.refusal(meaning.strip())))
        elif column.leaf is None or not column.leaf.read_only:
            columns.append(made(column))
    if all(column.segments != ("id",) for column in columns):
        message = _("The heading 'id' is missing; each row must name its element.")
        failures.append(Failure("id", "REQUIRED", message))
    return Columns(headings, columns), failures


def _column(wire: Wire, heading: str, spelling: str, language: str) -> Column | None:
    path = f"descriptions.{language}" if spelling in _DEFAULT_DESCRIPTION else wire.canonical_path(spelling)
    entry = wire.find_entry(path)
    if entry is not None:
        place, key = entry
        return Column(heading, (place.path, key), None)
    found = wire.places.get(path)
    return None if found is None or found.is_map else Column(heading, tuple(path.split(".")), found.leaf)
