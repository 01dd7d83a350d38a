"""What the check of a file found, or what its import did, in words for people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bulkops.dimensions import model_of
from bulkops.models import FileImport, ImportStatus
from dimensions_site.elements.lookup import with_ids
from dimensions_site.formats import grouped


@dataclass(frozen=True)
class Result:
    """`lead` says it in a sentence; the others are shown below it where there is something to show.

    `can_import` tells whether there is anything to confirm, `leaves_out` that this would leave the faulty rows out.
    """

    lead: str
    error: str
    counts: Sequence[tuple[str, int]]
    can_import: bool
    leaves_out: bool
    failures: Sequence[Mapping[str, Any]]
    failure_count: int
    more_failures: int
    samples: Sequence[Mapping[str, Any]]
    deleted_ids: Sequence[str]
    has_rejects: bool
    # The list of the repository's elements.
    elements_address: str


def result_of(file_import: FileImport) -> Result:
    """What is told of an import on which no worker is at work."""
    report = file_import.report
    failures = report.get("failures", [])
    return Result(
        lead=_lead(file_import),
        error=file_import.error or "",
        counts=_counts(file_import) if report else [],
        can_import=file_import.status == ImportStatus.CHECKED and not report["reason"] and _writes(report),
        leaves_out=bool(report.get("rejected")),
        failures=failures,
        failure_count=report.get("failure_count", 0),
        more_failures=report.get("failure_count", 0) - len(failures),
        samples=_linked(file_import, report.get("samples", [])),
        deleted_ids=report.get("deleted_ids", []),
        has_rejects=report.get("has_rejects", False),
        elements_address=f"{_address(file_import, 'changelist')}?repository__id__exact={file_import.repository_id}",
    )


def _writes(report: Mapping[str, Any]) -> bool:
    return any(report[name] for name in ("created", "changed", "deleted"))


def _lead(file_import: FileImport) -> str:
    report = file_import.report
    match file_import.status:
        case ImportStatus.COMPLETED:
            return _("The import is complete.")
        case ImportStatus.FAILED:
            return _("The import failed.")
        case ImportStatus.ABORTED:
            return _("The import was dropped. Nothing of it was saved.")
        case ImportStatus.DRAFT:
            return _("%(who)s is still preparing this import.") % {"who": file_import.requester}
    if report["reason"]:
        return _("Nothing can be imported: %(reason)s") % {"reason": report["reason"]}
    if not _writes(report):
        if report["rejected"]:
            return _("Nothing can be imported: no row without a fault changes anything.")
        return _("There is nothing to import: everything in the file is stored like that already.")
    if report["rejected"]:
        told = ngettext(
            "%(count)s row has a fault. Mend the file and upload it again, or import the other rows without it.",
            "%(count)s rows have faults. Mend the file and upload it again, or import the other rows without them.",
            report["rejected"],
        )
        return told % {"count": grouped(report["rejected"])}
    return _("The file is without faults. Look at what the import changes, and confirm it.")


def _counts(file_import: FileImport) -> list[tuple[str, int]]:
    report = file_import.report
    is_done = file_import.status == ImportStatus.COMPLETED
    return [
        (_("created") if is_done else _("to be created"), report["created"]),
        (_("changed") if is_done else _("to be changed"), report["changed"]),
        (_("unchanged"), report["unchanged"]),
        (_("deleted") if is_done else _("to be deleted"), report["deleted"]),
        (_("left out") if is_done else _("faulty"), report["rejected"]),
    ]


def _linked(file_import: FileImport, samples: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The samples with the addresses of the elements that are stored."""
    stored = with_ids(model_of(file_import.dimension), file_import.repository, [sample["id"] for sample in samples])
    keys = dict(stored.values_list("element_id", "pk"))
    return [
        {**sample, "address": _address(file_import, "change", keys[sample["id"]]) if sample["id"] in keys else ""}
        for sample in samples
    ]


def _address(file_import: FileImport, page: str, *arguments: object) -> str:
    return reverse(f"admin:{file_import.dimension}_{file_import.dimension}_{page}", args=arguments)
