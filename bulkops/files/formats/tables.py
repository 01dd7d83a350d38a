"""What the tables of all formats share: headings, and rows of cells below them."""

from collections import Counter
from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bulkops.files.formats.rows import REASON, Row, RowFailure, UnreadableFile
from dimensions_site.api.failures import Failure
from dimensions_site.text.formats import grouped
from dimensions_site.text.shortening import shortened

MAX_CELL_CHARACTERS = 1024**2
MAX_ROW_CHARACTERS = 4 * MAX_CELL_CHARACTERS
# The number of columns in Excel.
MAX_HEADINGS = 16_384
MAX_HEADING_CHARACTERS = 1_000


def read_headings(line: int, cells: Sequence[str]) -> list[str]:
    """Return the headings on `line`, without empty cells at the end.

    Raises UnreadableFile for no headings, too many, one missing between others, one that is far too long, and a
    repeated one.
    """
    headings = list(cells)
    while headings and not headings[-1]:
        headings.pop()
    if not headings:
        raise UnreadableFile(line, _("The first line must have the headings, such as id,descriptions.en."))
    if len(headings) > MAX_HEADINGS:
        message = _("The table has {count} columns; the limit is {maximum}. Delete those that are not needed.")
        values = {"count": grouped(len(headings)), "maximum": grouped(MAX_HEADINGS)}
        raise UnreadableFile(line, message.format(**values))
    longest = max(headings, key=len)
    if len(longest) > MAX_HEADING_CHARACTERS:
        message = _("The heading {heading} is {count} characters long; the limit is {maximum}.")
        values = {"count": grouped(len(longest)), "maximum": grouped(MAX_HEADING_CHARACTERS)}
        raise UnreadableFile(line, message.format(heading=shortened(longest), **values))
    if "" in headings:
        position = headings.index("") + 1
        message = _("Column {position} has no heading. Give it one, or delete the column.")
        raise UnreadableFile(line, message.format(position=position))
    heading, count = Counter(headings).most_common(1)[0]
    if count > 1:
        message = _("The heading '{heading}' must appear only once; it appears {count} times.")
        raise UnreadableFile(line, message.format(heading=shortened(heading), count=count))
    return headings


def table_row(line: int, headings: Sequence[str], cells: Sequence[str]) -> Row | RowFailure | None:
    """Return the row of the `cells` below `headings`; None if it is empty, a failure if the two do not match."""
    if not any(cells):
        return None
    behind = next(filter(None, cells[len(headings) :]), None)
    if behind is not None and REASON in headings:
        message = _("'{text}' is after the last heading. Correct the row, then delete that text.")
        return row_failure(line, message.format(text=shortened(behind)), cells=cells)
    if behind is not None or len(cells) < len(headings):
        message = _("The row has {cells}, but there are {headings}.")
        of_cells = ngettext("{count} cell", "{count} cells", len(cells))
        of_headings = ngettext("{count} heading", "{count} headings", len(headings))
        values = {
            "cells": of_cells.format(count=grouped(len(cells))),
            "headings": of_headings.format(count=grouped(len(headings))),
        }
        return row_failure(line, message.format(**values), cells=cells)
    named = dict(zip(headings, cells, strict=False))
    longest = max(named, key=lambda heading: len(named[heading]))
    if len(named[longest]) > MAX_CELL_CHARACTERS:
        message = _("The cell is {count} characters long; the limit is {maximum}.")
        values = {"count": grouped(len(named[longest])), "maximum": grouped(MAX_CELL_CHARACTERS)}
        return row_failure(line, message.format(**values), longest, cells)
    return Row(line, named)


def row_failure(line: int, message: str, path: str = "", cells: Sequence[str] = ()) -> RowFailure:
    """Return the failure of an unreadable row; `path` is the heading of the cell with the error."""
    return RowFailure(line, Failure(path, "INVALID_ROW", message), cells)
