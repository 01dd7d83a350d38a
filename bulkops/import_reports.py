"""The report of an import as it is kept: what a page tells of it long after the file is gone."""

from collections.abc import Mapping
from typing import Any

from bulkops.imports.reports import Report

# So many changes are told from what to what; a text of a sample may be a page long.
_SAMPLES = 50
_LONGEST_TEXT = 300


def stored_report(report: Report, reason: str = "", *, has_rejects: bool = False) -> Mapping[str, Any]:
    """The `report` as JSON, with the `reason` why nothing can be imported, if there is one.

    `has_rejects` tells whether the faulty rows are kept as a file.
    """
    return {
        "reason": reason,
        "has_rejects": has_rejects,
        "created": report.created,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "deleted": report.deleted,
        "rejected": report.rejected,
        "failure_count": report.failure_count,
        "failures": [
            {"line": failure.line, "place": failure.failure.path, "message": failure.failure.message}
            for failure in report.failures
        ],
        "samples": [
            {
                "line": sample.line,
                "id": sample.id,
                "differences": [
                    {"path": difference.path, "before": _cut(difference.before), "after": _cut(difference.after)}
                    for difference in sample.differences
                ],
            }
            for sample in report.samples[:_SAMPLES]
        ],
        "deleted_ids": list(report.deleted_ids),
    }


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"
