"""The reports of an import: during its run and at its end, with errors by kind and row by row for who corrects them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.utils.translation import gettext, ngettext

from bulkops.files.formats.rows import RowFailure
from bulkops.files.understanding import Meaning, Total
from bulkops.session.items import Item
from dimensions_site.api.json.texts import shown_value
from dimensions_site.elements.writing.differences import Difference
from dimensions_site.text.formats import grouped_number, shortened

# The limits of what is kept; all errors are counted nevertheless.
MAX_KINDS = 200
MAX_REPORTED_ROWS = 500
_EXAMPLES = 5
_ELLIPSIS = "…"
_LONGEST_TEXT = 300
# A longer text is shown shortened, and corrected in the file.
LONGEST_CELL = 1_000
# How many other cells show which row it is.
_OTHER_CELLS = 4
_SHORT_TEXT = 60


class Phase(StrEnum):
    """The phases of an import; others may write until it compares rows with stored elements."""

    READING = "reading"
    CHECKING = "checking"
    SAVING = "saving"


class Record(Item, kw_only=True, array_like=True):
    """A row on its `line` of the file.

    `cells` are those of a table by heading, or in their order if the row could not be read.
    """

    text: bytes
    line: int
    cells: Mapping[str, str] | Sequence[str] = ()


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
class Report:
    """The effect of an import, or of its dry run, in elements; `rejected` counts rows with errors.

    `failures` are the first errors in the order of the lines, `failure_count` is their total, or a minimum if
    `is_count_exact` is false. `formulas` counts the values that the program that saved the file had computed.
    `samples` are the first created or changed elements, `deleted_ids` the first deleted ones.

    The rest is for people only: `kinds` of errors, the most frequent first, and the first `rows` with errors;
    `understood`, the most frequent of `understood_count` cells that do not say literally what they mean; `unknown`, the
    most frequent texts that are no value of their columns; `deleted_texts`, the descriptions of the deleted elements;
    `totals`, the first of `total_count` rows without an id, or with one such as "Total" or "1000 Total".
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
    kinds: Sequence[ErrorKind] = ()
    rows: Sequence[Mapping[str, Any]] = ()
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


def stored_report(report: Report, reason: str = "", *, has_rejects: bool = False) -> Mapping[str, Any]:
    """Return the JSON of the `report`, which the page of an import shows long after the file is deleted.

    `reason` says why nothing can be imported; `has_rejects`, whether the rows with errors are stored as a file.
    """
    failures = [
        {"line": found.line, "place": found.failure.path, "message": found.failure.message} for found in report.failures
    ]
    stored = asdict(replace(report, failures=()), dict_factory=_shortened_members)
    return {**stored, "reason": reason, "has_rejects": has_rejects, "failures": failures}


def _shortened_members(members: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object, of which both values of a difference may be as long as a page."""
    return {name: shortened(value, _LONGEST_TEXT) if name in ("before", "after") else value for name, value in members}


def details_of(
    errors: Iterable[tuple[int, RowFailure]], record: Callable[[int], Record | None], mapping: Mapping[str, str]
) -> tuple[Sequence[ErrorKind], Sequence[Mapping[str, Any]]]:
    """Return the kinds of the `errors`, which are ordered by the position of their rows, and the first of these rows.

    `record` returns the row at a position, `mapping` has the wire path of each heading.
    """
    kinds: dict[tuple[str, str, str], ErrorKind] = {}
    rows: list[Mapping[str, Any]] = []
    for position, group in groupby(errors, key=itemgetter(0)):
        failures = [failure for _, failure in group]
        row = record(position)
        cells = row.cells if row is not None and isinstance(row.cells, Mapping) else {}
        if row is not None and len(rows) < MAX_REPORTED_ROWS:
            rows.append(_row(row.line, cells, failures, mapping))
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
    return sorted(kinds.values(), key=lambda kind: -kind.count), rows


def _without_value(message: str, cell: str | None) -> str:
    for text in () if cell is None else {cell, cell.strip()}:
        message = message.replace(shown_value(text), _ELLIPSIS).replace(f"'{shortened(text)}'", f"'{_ELLIPSIS}'")
    return message.replace(f"{_ELLIPSIS}.", _ELLIPSIS)


def _row(
    line: int, cells: Mapping[str, str], failures: Iterable[RowFailure], mapping: Mapping[str, str]
) -> Mapping[str, Any]:
    """Return the JSON of a row: its invalid cells, the first of its other cells, and the errors of no cell.

    What a table has no column for is no error of the row: it is counted with its kind.
    """
    by_heading: dict[str, list[str]] = {}
    errors: list[str] = []
    for failure in failures:
        heading = _heading_of(failure.failure.path, cells, mapping)
        if heading is not None:
            by_heading.setdefault(heading, []).append(failure.failure.message)
        elif not cells or failure.failure.code != "REQUIRED":
            errors.append(failure.failure.message)
    others = [text for heading, text in cells.items() if text and heading not in by_heading]
    return {
        "line": line,
        "cells": [
            {
                "heading": heading,
                "text": shortened(cells[heading], LONGEST_CELL),
                "is_whole": len(cells[heading]) <= LONGEST_CELL,
                "errors": messages,
            }
            for heading, messages in by_heading.items()
        ],
        "others": [shortened(text, _SHORT_TEXT) for text in others[:_OTHER_CELLS]],
        "errors": errors,
    }


def _heading_of(path: str, cells: Mapping[str, str], mapping: Mapping[str, str]) -> str | None:
    """Return the heading of the cell with the error at `path`: for a map, that of its first entry."""
    if path in cells:
        return path
    entries = (heading for heading, of in mapping.items() if path and of.startswith(f"{path}.") and heading in cells)
    return next(entries, None)
