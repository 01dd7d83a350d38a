"""The stored report of an import, which its page shows long after the file is deleted."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from bulkops.files.imports.reports import ErrorDetails, Report, RowErrors
from dimensions_site.text.formats import shortened

_LONGEST_TEXT = 300
# A longer text is shown shortened, and corrected in the file.
LONGEST_CELL = 1_000
# How many other cells show which row it is.
_OTHER_CELLS = 4
_SHORT_TEXT = 60


def stored_report(
    report: Report, mapping: Mapping[str, str], reason: str = "", *, has_rejects: bool = False
) -> Mapping[str, Any]:
    """Return the JSON of the `report`, with the `reason` why nothing can be imported, if there is one.

    `mapping` has the wire path of each heading. `has_rejects` says whether the rows with errors are stored as a file.
    """
    stored = asdict(replace(report, failures=(), details=ErrorDetails()), dict_factory=_shortened_members)
    del stored["details"]
    return {
        **stored,
        "reason": reason,
        "has_rejects": has_rejects,
        "kinds": [asdict(kind) for kind in report.details.kinds],
        "rows": [_row(row, mapping) for row in report.details.rows],
        "failures": [
            {"line": failure.line, "place": failure.failure.path, "message": failure.failure.message}
            for failure in report.failures
        ],
    }


def _shortened_members(members: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object, of which both values of a difference may be as long as a page."""
    return {name: shortened(value, _LONGEST_TEXT) if name in ("before", "after") else value for name, value in members}


def _row(row: RowErrors, mapping: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the row with its invalid cells, the first of its other cells, and the errors of no cell."""
    by_heading: dict[str, list[str]] = {}
    errors: list[str] = []
    for failure in row.failures:
        heading = _heading_of(failure.failure.path, row, mapping)
        found = errors if heading is None else by_heading.setdefault(heading, [])
        found.append(failure.failure.message)
    others = [text for heading, text in row.cells.items() if text and heading not in by_heading]
    return {
        "line": row.line,
        "cells": [
            {
                "heading": heading,
                "text": shortened(row.cells[heading], LONGEST_CELL),
                "is_whole": len(row.cells[heading]) <= LONGEST_CELL,
                "errors": messages,
            }
            for heading, messages in by_heading.items()
        ],
        "others": [shortened(text, _SHORT_TEXT) for text in others[:_OTHER_CELLS]],
        "errors": errors,
    }


def _heading_of(path: str, row: RowErrors, mapping: Mapping[str, str]) -> str | None:
    """Return the heading of the cell with the error at `path`: for a map, that of its first entry."""
    if path in row.cells:
        return path
    entries = (
        heading for heading, of in mapping.items() if path and of.startswith(f"{path}.") and heading in row.cells
    )
    return next(entries, None)
