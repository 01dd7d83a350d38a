"""What separates the cells of a text in CSV: its delimiter, and quotes around whole records (design/files.md)."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from bulkops.files.formats.tables import has_text

_NAMES: dict[str, str | Promise] = {
    ",": gettext_lazy("commas"),
    ";": gettext_lazy("semicolons"),
    "\t": gettext_lazy("tabs"),
    "|": gettext_lazy("vertical bars"),
}
DELIMITERS = tuple(_NAMES)
# More than titles have that stand above a table.
_SAMPLE_ROWS = 50
_OTHER_DELIMITER = gettext_lazy(
    "The cells of this row are separated by {these}, those of the headings by {others}. Use the same separator in all "
    "rows."
)
_IN_QUOTES = gettext_lazy(
    "The whole row stands in quotes, so all of it is one cell. Remove the quotes around it, and write a quote within "
    "it once instead of twice."
)


class Layout(NamedTuple):
    """How a text in CSV is written: its `delimiter`, and the number of cells that most of its first rows have.

    `stands_in_quotes` says that each record is in quotes as a whole, which Excel writes where CSV was pasted into one
    column. `quote` is the sign around cells: a single quote if it is around all headings.
    """

    delimiter: str
    width: int
    stands_in_quotes: bool
    quote: str


class Otherwise(NamedTuple):
    """The `cells` of a record that is written otherwise than its text, or the `failure` of one that may be a cell."""

    cells: Sequence[str]
    failure: str


def recognised(sample: str, delimiters: Sequence[str] = DELIMITERS) -> Layout:
    """Return the layout with the one of the `delimiters` that best separates the headings and the first rows."""
    quoted = {each: found for each in delimiters if (found := _without_outer_quotes(sample, each))}
    single = [each for each in delimiters if each != "'" and _is_in_single_quotes(sample, each)]
    quote = "'" if single else '"'
    fitness = {each: _fitness(quoted.get(each, sample), each, quote) for each in single or quoted or delimiters}
    # A comma is also in numbers and texts.
    delimiter = max(fitness, key=lambda each: (*fitness[each], fitness[each][0] and each != ","))
    return Layout(delimiter, fitness[delimiter][-2], bool(quoted), quote)


def read_otherwise(cell: str, record: str, layout: Layout, widest: int) -> Otherwise | None:
    """Return how a record is read of which all is one `cell`, empty if it is broken, if it has as many cells as others
    with another delimiter, or without the quotes around it; None if it has not.

    `widest` is the number of cells of the records before it. While that is 1, it may have the headings of the others,
    and has one meaning; after them, it may be a cell.
    """
    width = layout.width if widest == 1 else widest
    for delimiter in () if width == 1 else dict.fromkeys((layout.delimiter, *DELIMITERS)):
        is_own = delimiter == layout.delimiter
        text = cell if is_own else record
        # Most such records are the id of a row without anything else.
        found = only_record(text, delimiter) if delimiter in text else None
        if found is None or len(found) != width:
            continue
        if widest == 1:
            return Otherwise(found, "")
        names = {"these": _named(delimiter), "others": _named(layout.delimiter)}
        return Otherwise([cell or record], str(_IN_QUOTES) if is_own else _OTHER_DELIMITER.format(**names))
    return None


def only_record(text: str, delimiter: str) -> list[str] | None:
    """Return the cells of the one record in the text; None if it is not one."""
    try:
        found = list(_cells_of(text, delimiter))
    except csv.Error:
        return None
    return found[0] if len(found) == 1 else None


def _named(delimiter: str) -> str:
    return str(_NAMES.get(delimiter, f"'{delimiter}'"))


def _cells_of(text: str, delimiter: str, quote: str = '"', *, strict: bool = True) -> Iterator[list[str]]:
    # Line breaks inside quotes are content.
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote, strict=strict)


def _first_rows(sample: str, delimiter: str, quote: str = '"', *, strict: bool = True) -> Sequence[list[str]]:
    rows = _cells_of(sample, delimiter, quote, strict=strict)
    return list(islice((cells for cells in rows if cells[1:] or has_text(cells)), _SAMPLE_ROWS))


def _without_outer_quotes(sample: str, delimiter: str) -> str:
    """Return the first records of the sample without quotes if each of them is in quotes as a whole, else nothing."""
    try:
        found = [cells for cells in _first_rows(sample, delimiter) if any(cells)]
    except csv.Error:
        return ""
    is_quoted = all(delimiter in cells[0] and not any(cells[1:]) for cells in found)
    return "\n".join(cells[0] for cells in found) if is_quoted else ""


def _is_in_single_quotes(sample: str, delimiter: str) -> bool:
    """Return whether there are single quotes around all headings of the sample. Titles may stand above several."""
    mark, end = re.escape(delimiter), r"(?:\r\n?|\n)"
    blanks = rf"[^\S\r\n{mark}]*+"
    quoted = rf"{blanks}'(?:[^']|'')*+'{blanks}"
    titles = rf"(?:(?:[^'{mark}\r\n]*+{end})*+(?={quoted}{mark}))?"
    found = re.match(rf'[\ufeff\s]*+{titles}{quoted}(?:{mark}{quoted})*+(?:{end}(?!{blanks}")|\Z)', sample)
    return found is not None


def _fitness(sample: str, delimiter: str, quote: str) -> tuple[bool, int, bool, int, int]:
    """Rate the delimiter: several headings or not, how many rows have as many cells, whether the next one has, how many
    headings, and how few rows above them.

    The headings are those that fit most rows: titles may stand above them. Rows may lack empty cells at their end.
    """
    # The last record may be cut off.
    widths = [len(cells) for cells in _first_rows(sample, delimiter, quote, strict=False)]
    ratings = []
    for number, width in enumerate(widths):
        fit = [1 < other <= width for other in widths[number + 1 :]]
        ratings.append((width > 1, sum(fit), any(fit[:1]), width, -number))
    return max(ratings, default=(False, 0, False, 0, 0))
