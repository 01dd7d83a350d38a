"""The stored report of an import, which its page shows long after the file is deleted."""

from collections.abc import Mapping
from typing import Any

from bulkops.files.imports.reports import Report
from dimensions_site.text.shortening import shortened

# How many changes are shown with both values; a text in a sample may be a page long.
_SAMPLES = 50
_LONGEST_TEXT = 300


def stored_report(report: Report, reason: str = "", *, has_rejects: bool = False) -> Mapping[str, Any]:
    """Return the `report` as JSON, with the `reason` why nothing can be imported, if there is one.

    `has_rejects` says whether the rows with errors are stored as a file.
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
        "is_count_exact": report.is_count_exact,
        "failures": [
            {"line": failure.line, "place": failure.failure.path, "message": failure.failure.message}
            for failure in report.failures
        ],
        "samples": [
            {
                "line": sample.line,
                "id": sample.id,
                "differences": [
                    {
                        "path": difference.path,
                        "before": shortened(difference.before, _LONGEST_TEXT),
                        "after": shortened(difference.after, _LONGEST_TEXT),
                    }
                    for difference in sample.differences
                ],
            }
            for sample in report.samples[:_SAMPLES]
        ],
        "deleted_ids": list(report.deleted_ids),
    }
