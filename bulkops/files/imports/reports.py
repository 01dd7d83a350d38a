"""The reports of an import: during its run and at its end, with errors by kind and row by row for who corrects them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from operator import itemgetter

from django.utils.translation import gettext, ngettext

from bulkops.files.formats.rows import RowFailure
from bulkops.files.imports.records import Record
from bulkops.files.totals import Total
from bulkops.files.understanding import Meaning
from dimensions_site.api.json.texts import shown_value
from dimensions_site.elements.writing.differences import Difference
from dimensions_site.text.formats import grouped_number, shortened

# The limits of what is kept; all errors are counted nevertheless.
MAX_KINDS = 200
MAX_ROWS = 500
_EXAMPLES = 5
_ELLIPSIS = "…"


class Phase(StrEnum):
    """The phases of an import; others may write until it compares rows with stored elements."""

    READING = "reading"
    CHECKING = "checking"
    SAVING = "saving"


@dataclass(frozen=True)
class Sample:
    """The effect on one element: the `line` of its row, its id, and what changes."""

    line: int
    id: str
    differences: Sequence[Difference]


@dataclass
class ErrorKind:
    """The errors with one cause in one column: the message without the value, the first values and the first lines."""

    heading: str
    message: str
    count: int = 0
    texts: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


@dataclass
class RowErrors:
    """A row with errors: the texts of its cells by heading, empty if they could not be read."""

    line: int
    cells: Mapping[str, str]
    failures: list[RowFailure]


@dataclass
class ErrorDetails:
    """The errors of an import by kind, the most frequent first, and the first rows with errors."""

    kinds: list[ErrorKind] = field(default_factory=list)
    rows: list[RowErrors] = field(default_factory=list)


@dataclass
class Report:
    """The effect of an import, or of its dry run, in elements; `rejected` counts rows with errors.

    `failures` are the first errors in the order of the lines, `failure_count` is their total, or a minimum if
    `is_count_exact` is false. `formulas` counts the values that the program that saved the file had computed.
    `samples` are the first created or changed elements, `deleted_ids` the first deleted ones. `details` and
    `understood`, the most frequent of `understood_count` cells that do not say literally what they mean, are for people
    only; so are `unknown`, the most frequent texts that are no value of their columns, and `deleted_texts`, the
    descriptions of the deleted elements, and `totals`, the first of `total_count` rows without an id or with one such
    as "Total".
    """

    created: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0
    rejected: int = 0
    formulas: int = 0
    failures: Sequence[RowFailure] = ()
    failure_count: int = 0
    is_count_exact: bool = True
    samples: Sequence[Sample] = field(default_factory=list)
    deleted_ids: Sequence[str] = field(default_factory=list)
    deleted_texts: Mapping[str, str] = field(default_factory=dict)
    details: ErrorDetails = field(default_factory=ErrorDetails)
    understood: Sequence[Meaning] = ()
    understood_count: int = 0
    unknown: Sequence[Meaning] = ()
    totals: Sequence[Total] = ()
    total_count: int = 0


class ImportRefused(Exception):
    """Nothing was saved; the text says why, and the `report` has the errors."""

    def __init__(self, report: Report, reason: str | None = None) -> None:
        count = ngettext("{count} error.", "{count} errors.", report.failure_count)
        if not report.is_count_exact:
            count = gettext("At least {count} errors; the rest of the file was not checked.")
        super().__init__(reason or count.format(count=grouped_number(report.failure_count)))
        self.report = report


def details_of(errors: Iterable[tuple[int, RowFailure]], record: Callable[[int], Record | None]) -> ErrorDetails:
    """Return the details of `errors`, ordered by the position of their rows; `record` returns the row at a position."""
    kinds: dict[tuple[str, str, str], ErrorKind] = {}
    details = ErrorDetails()
    for position, group in groupby(errors, key=itemgetter(0)):
        failures = [failure for _, failure in group]
        row = record(position)
        cells = row.cells if row is not None and isinstance(row.cells, Mapping) else {}
        if row is not None and len(details.rows) < MAX_ROWS:
            details.rows.append(RowErrors(row.line, cells, failures))
        for found in failures:
            path = found.failure.path
            text = cells.get(path)
            message = _without_value(found.failure.message, text)
            # Numbers of other lines differ, too.
            key = (path, found.failure.code, re.sub(r"\d+", "0", message))
            if key not in kinds and len(kinds) >= MAX_KINDS:
                continue
            kind = kinds.setdefault(key, ErrorKind(path, message))
            kind.count += 1
            if len(kind.lines) < _EXAMPLES and found.line not in kind.lines:
                kind.lines.append(found.line)
            if text and len(kind.texts) < _EXAMPLES and shortened(text) not in kind.texts:
                kind.texts.append(shortened(text))
    details.kinds = sorted(kinds.values(), key=lambda kind: -kind.count)
    return details


def _without_value(message: str, cell: str | None) -> str:
    """Return the message with an ellipsis for the text of the `cell`."""
    for text in () if cell is None else {cell, cell.strip()}:
        message = message.replace(shown_value(text), _ELLIPSIS).replace(f"'{shortened(text)}'", f"'{_ELLIPSIS}'")
    return message.replace(f"{_ELLIPSIS}.", _ELLIPSIS)
