"""What the tables of all formats have in common: headings, and rows of cells below them."""

from collections import Counter
from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bulkops.formats.rows import REASON, Row, RowFailure, UnreadableFile
from dimensions_site.api.errors import Failure
from dimensions_site.api.problems import shortened
from dimensions_site.formats import grouped

MAX_CELL_CHARACTERS = 1024**2
MAX_ROW_CHARACTERS = 4 * MAX_CELL_CHARACTERS


def read_headings(line: int, cells: Sequence[str]) -> list[str]:
    """The headings that stand on `line`; empty cells behind the last one do not count.

    Raises UnreadableFile when there are none, when one is missing between others, and when one stands there twice.
    """
    headings = list(cells)
    while headings and not headings[-1]:
        headings.pop()
    if not headings:
        raise UnreadableFile(line, _("The first line has to have the headings, such as id,descriptions.en."))
    if "" in headings:
        position = headings.index("") + 1
        message = _("Column {position} has no heading. Give it one, or delete the column.")
        raise UnreadableFile(line, message.format(position=position))
    heading, count = Counter(headings).most_common(1)[0]
    if count > 1:
        message = _("The heading '{heading}' stands there {count} times.")
        raise UnreadableFile(line, message.format(heading=shortened(heading), count=count))
    return headings


def table_row(line: int, headings: Sequence[str], cells: Sequence[str]) -> Row | RowFailure | None:
    """The row of `cells` below `headings`; None when it has no text, a failure when the two do not fit."""
    if not any(cells):
        return None
    behind = next(filter(None, cells[len(headings) :]), None)
    if behind is not None and REASON in headings:
        message = _("Behind the last heading stands '{text}'. Mend the row, and then delete that.")
        return row_failure(line, message.format(text=shortened(behind)), cells=cells)
    if behind is not None or len(cells) < len(headings):
        message = _("The row has {cells}, but there are {headings}.")
        of_cells = ngettext("{count} cell", "{count} cells", len(cells))
        of_headings = ngettext("{count} heading", "{count} headings", len(headings))
        told = {
            "cells": of_cells.format(count=grouped(len(cells))),
            "headings": of_headings.format(count=grouped(len(headings))),
        }
        return row_failure(line, message.format(**told), cells=cells)
    named = dict(zip(headings, cells, strict=False))
    longest = max(named, key=lambda heading: len(named[heading]))
    if len(named[longest]) > MAX_CELL_CHARACTERS:
        message = _("The cell has {count} characters; a cell may have up to {maximum}.")
        told = {"count": grouped(len(named[longest])), "maximum": grouped(MAX_CELL_CHARACTERS)}
        return row_failure(line, message.format(**told), longest, cells)
    return Row(line, named)


def row_failure(line: int, message: str, path: str = "", cells: Sequence[str] = ()) -> RowFailure:
    """The failure of a row that cannot be read; `path` is the heading of the faulty cell."""
    return RowFailure(line, Failure(path, "INVALID_ROW", message), cells)


def counted(count: int, noun: str) -> str:
    """The number with its noun: '1 cell', '5 cells'."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
