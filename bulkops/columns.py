"""The columns of a table of elements: what a heading means, and what a cell says about an element."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias

from django.utils.translation import gettext as _

from bulkops.formats.rows import REASON
from dimensions_site.api.errors import Failure
from dimensions_site.api.problems import shortened
from dimensions_site.elements.cells import UNSET, read_cell
from dimensions_site.elements.fields import Leaf
from dimensions_site.elements.json_texts import shown
from dimensions_site.elements.maps import MapField
from dimensions_site.elements.selection import no_field, unknown_field
from dimensions_site.elements.wire import Node, Wire

# Both mean the text in the default language, as they do in a fetch (contract C4, D8).
_DEFAULT_DESCRIPTION = frozenset({"description", "descriptions"})

# A wire path member by member.
Segments: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """A column for the leaf or the entry of a map at `segments`."""

    heading: str
    segments: Segments
    # None for an entry of a map, which is text.
    leaf: Leaf | None

    def fill(self, data: dict[str, Any], text: str) -> bool:
        """Put what the cell `text` says into the wire JSON `data`; False when it says that nothing is set."""
        value: Any = read_cell(text)
        if value is UNSET:
            return False
        *groups, name = self.segments
        for group in groups:
            data = data.setdefault(group, {})
        # Null is not the same as unset: an entry of a map is there with it, and a leaf does without its default.
        data[name] = value if self.leaf is None or value is None else self.leaf.from_cell(value)
        return True


class Columns:
    """The columns of a table, by `headings` as they stand there."""

    def __init__(self, headings: Sequence[str], columns: Sequence[Column]) -> None:
        self.headings = headings
        self._columns = columns
        self._by_path = {".".join(column.segments): column for column in reversed(columns)}
        self._others = [column for column in columns if self._first(column) is not column]

    def heading_of(self, path: str) -> str:
        """The heading of the column for the wire path; the path itself when there is none."""
        column = self._by_path.get(path)
        return path if column is None else column.heading

    def read(self, cells: Mapping[str, str]) -> tuple[dict[str, Any], list[Segments]]:
        """What the cells of a row set, as wire JSON, and the places of what they leave empty."""
        data: dict[str, Any] = {}
        cleared = [column.segments for column in self._columns if not column.fill(data, cells[column.heading])]
        return data, cleared

    def conflicts(self, cells: Mapping[str, str]) -> list[Failure]:
        """Where two spellings of one field have different cells in a row (contract C6)."""
        failures: list[Failure] = []
        for column in self._others:
            heading = self._first(column).heading
            if cells[heading] != cells[column.heading]:
                message = _("'{one}' and '{other}' are one field, and their cells differ: {first} and {second}.")
                told = {"one": heading, "first": shown(cells[heading]), "second": shown(cells[column.heading])}
                message = message.format(other=column.heading, **told)
                failures.append(Failure(column.heading, "CONFLICTING_SPELLINGS", message))
        return failures

    def _first(self, column: Column) -> Column:
        return self._by_path[".".join(column.segments)]


def clear(data: Any, segments: Segments) -> None:
    """Remove what stands at `segments` from the wire JSON `data`: what an empty cell says."""
    *groups, name = segments
    for group in groups:
        data = data.get(group) if isinstance(data, dict) else None
    if isinstance(data, dict):
        data.pop(name, None)


def read_headings(
    wire: Wire, headings: Sequence[str], language: str, mapping: Mapping[str, str]
) -> tuple[Columns, list[Failure]]:
    """The columns that `headings` mean, and what is wrong with those that mean none.

    A heading is a wire path in any spelling (contract C6), or an entry of a map such as `descriptions.de`; white space
    around it does no harm. `mapping` gives headings other meanings, "" to leave a column out. `language` is the default
    language of the repository. What cannot be imported, such as `updateInfo`, is passed over (contract C12).
    """
    columns: list[Column] = []
    failures = [
        Failure(
            heading,
            "UNKNOWN_HEADING",
            _("There is no heading '{heading}' in the file to be mapped.").format(heading=shortened(heading)),
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
            failures.append(Failure(heading, "UNKNOWN_FIELD", _unknown(wire, meaning.strip())))
        elif column.leaf is None or not column.leaf.read_only:
            columns.append(column)
    if all(column.segments != ("id",) for column in columns):
        message = _("A heading 'id' is needed: without it no element is named.")
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


def _unknown(wire: Wire, spelling: str) -> str:
    found = wire.find(wire.canonical_path(spelling))
    if isinstance(found, Node):
        example = next(path for path in wire.places if path.startswith(f"{found.path}."))
        message = _("'{name}' is a group and no field; name a field of it, such as {example}.")
        return message.format(name=spelling, example=example)
    if found is not None:
        message = _("'{name}' has many entries; name one of them, such as {example}.")
        return message.format(name=spelling, example=f"{found.path}.en")
    nearest = _written_otherwise(wire, spelling)
    if nearest is not None:
        return no_field(spelling, [nearest])
    group, dot, key = spelling.partition(".")
    map = _maps(wire).get(group.casefold())
    return map.key_refusal(key) if map and dot else unknown_field(wire, spelling)


def _written_otherwise(wire: Wire, spelling: str) -> str | None:
    """The path that differs from `spelling` in capital letters alone, or the entry of a map with a similar name."""
    folded = {path.casefold(): path for path in (*wire.places, *wire.spellings.alternatives)}
    same = folded.get(spelling.casefold())
    if same is not None:
        return same
    group, _, key = spelling.partition(".")
    maps = _maps(wire)
    near = (maps[name] for name in get_close_matches(group.casefold(), maps, n=1))
    return next((f"{map.field_name}.{map.key_as_written(key)}" for map in near if map.has_key(key)), None)


def _maps(wire: Wire) -> dict[str, MapField]:
    """The maps by their paths in small letters."""
    leaves = ((path.casefold(), place.leaf) for path, place in wire.places.items())
    return {path: leaf for path, leaf in leaves if isinstance(leaf, MapField)}
