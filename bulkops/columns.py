"""The columns of a table of elements: what a heading means, and what a cell says about an element."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bulkops.tabular import Row
from dimensions_site.api.errors import Failure
from dimensions_site.elements.fields import Leaf, shown
from dimensions_site.elements.selection import unknown_field
from dimensions_site.elements.wire import Node, Wire

# Both mean the text in the default language, as they do in a fetch (contract C4, D8).
_DEFAULT_DESCRIPTION = frozenset({"description", "descriptions"})


@dataclass(frozen=True)
class Column:
    """A column for the leaf or the entry of a map at `segments`, the wire path member by member."""

    heading: str
    segments: tuple[str, ...]
    # None for an entry of a map, which is text.
    leaf: Leaf | None

    @property
    def path(self) -> str:
        return ".".join(self.segments)

    def fill(self, data: dict[str, Any], text: str) -> None:
        """Put what the cell `text` says into the wire JSON `data`."""
        *groups, name = self.segments
        for group in groups:
            data = data.setdefault(group, {})
        data[name] = text if self.leaf is None else self.leaf.from_cell(text)

    def clear(self, data: Any) -> None:
        """Remove the column's value from the wire JSON `data`: what an empty cell says."""
        *groups, name = self.segments
        for group in groups:
            data = data.get(group) if isinstance(data, dict) else None
        if isinstance(data, dict):
            data.pop(name, None)


def read_headings(wire: Wire, headings: Iterable[str], language: str) -> tuple[list[Column], list[Failure]]:
    """The columns that `headings` mean, and what is wrong with those that mean none.

    A heading is a wire path in any spelling (contract C6), or an entry of a map such as `descriptions.de`;
    white space around it does no harm. `language` is the default language of the repository.
    """
    columns: list[Column] = []
    failures: list[Failure] = []
    for heading in headings:
        column = _column(wire, heading, heading, language) or _column(wire, heading, heading.strip(), language)
        if column is None:
            failures.append(Failure(heading, "UNKNOWN_FIELD", _unknown(wire, heading.strip())))
        else:
            columns.append(column)
    return columns, failures


def _column(wire: Wire, heading: str, spelling: str, language: str) -> Column | None:
    path = f"descriptions.{language}" if spelling in _DEFAULT_DESCRIPTION else wire.canonical_path(spelling)
    entry = wire.find_entry(path)
    if entry is not None:
        place, key = entry
        return Column(heading, (place.path, key), None)
    found = wire.places.get(path)
    return None if found is None or found.is_map else Column(heading, tuple(path.split(".")), found.leaf)


def _unknown(wire: Wire, spelling: str) -> str:
    found = wire.find(wire.canonical_path(spelling))
    if isinstance(found, Node):
        example = next(path for path in wire.places if path.startswith(f"{found.path}."))
        return f"'{spelling}' is a group and no field; name a field of it, such as {example}."
    if found is not None:
        return f"'{spelling}' has many entries; name one of them, such as {found.path}.en."
    return unknown_field(wire, spelling)


def conflicts(columns: Iterable[Column], row: Row) -> list[Failure]:
    """Where two spellings of one field have different cells in the row (contract C6)."""
    first: dict[str, Column] = {}
    failures: list[Failure] = []
    for column in columns:
        other = first.setdefault(column.path, column)
        if row.cells[other.heading] != row.cells[column.heading]:
            message = (
                f"'{other.heading}' and '{column.heading}' are one field, and their cells differ: "
                f"{shown(row.cells[other.heading])} and {shown(row.cells[column.heading])}."
            )
            failures.append(Failure(column.path, "CONFLICTING_SPELLINGS", message))
    return failures


def wire_json(columns: Iterable[Column], row: Row, current: Any) -> dict[str, Any]:
    """What the row sets, as wire JSON; what it leaves empty is removed from the wire JSON `current`."""
    data: dict[str, Any] = {}
    for column in columns:
        text = row.cells[column.heading]
        if text:
            column.fill(data, text)
        else:
            column.clear(current)
    return data


def texts_of(columns: Iterable[Column], row: Row) -> Mapping[str, str]:
    """The cells of the row by wire path."""
    return {column.path: row.cells[column.heading] for column in columns}
