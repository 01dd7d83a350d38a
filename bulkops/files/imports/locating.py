"""Find the sheet and the row of the headings before a file is read: people put covers and titles before tables."""

from collections.abc import Mapping
from dataclasses import replace

from bulkops.files.formats.rows import Beginnings, ReadingOptions
from dimensions_site.elements.declaration.names import names_of
from dimensions_site.elements.declaration.wire import Wire

_ID = "id"
# So many headings that are known, the id among them, are no accident.
_ENOUGH = 2


def locate_headings(
    options: ReadingOptions, beginnings: Beginnings, wire: Wire, mapping: Mapping[str, str]
) -> ReadingOptions:
    """Return the options with the sheet and the row of the headings, where they leave that open.

    The headings are in the first row with a text, unless it has none that is known, or is a title of one cell, and a
    later one has several, the id among them. Of several sheets, it is the only one with such headings. `beginnings` are
    those of the file, `mapping` has the fields of headings, as in an import.
    """
    names = names_of(wire)
    known: dict[str, list[str]] = {heading: [field] for heading, field in mapping.items() if field}

    def paths_in(cells: list[str]) -> set[str]:
        for cell in cells:
            if cell not in known:
                known[cell] = names.find(cell)
        return {path for cell in cells for path in known[cell]}

    rows: dict[str, int | None] = {}
    tables = []
    for sheet, first_rows in beginnings.items():
        filled = [(line, [cell for cell in cells if cell.strip()]) for line, cells in first_rows]
        found = {line: paths_in(cells) for line, cells in filled}
        clear = [line for line, paths in found.items() if len(paths) >= _ENOUGH and _ID in paths]
        is_first = bool(filled) and len(filled[0][1]) > 1 and bool(found[filled[0][0]])
        rows[sheet] = clear[0] if clear and not is_first else None
        tables += [sheet] if clear else []
    is_clear = len(beginnings) > 1 and len(tables) == 1
    chosen = tables[0] if options.sheet is None and is_clear else options.sheet
    row = rows.get(next(iter(beginnings), "") if chosen is None else chosen)
    return replace(options, sheet=chosen, heading_row=options.heading_row or row)
