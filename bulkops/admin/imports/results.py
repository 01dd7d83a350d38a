"""The result of checking or importing a file, in words for people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bulkops.admin.element_links import element_addresses, element_route
from bulkops.models import FileImport, ImportStatus
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.text.formats import grouped


@dataclass(frozen=True)
class Result:
    """What the page adds to the report: a sentence about it, and the number of errors that are not listed.

    `can_import` says whether there is anything to confirm. Each of the samples has the URL of its element.
    """

    lead: str
    counts: Sequence[tuple[str, int]]
    can_import: bool
    more_failures: int
    samples: Sequence[Mapping[str, Any]]
    # The list of the repository's elements.
    elements_address: str


def result_of(file_import: FileImport) -> Result:
    """Return the result of an import that no worker has claimed."""
    report = file_import.report
    elements = element_route(dimension_named(file_import.dimension), "changelist")
    return Result(
        lead=_lead(file_import),
        counts=_counts(file_import) if report else [],
        can_import=file_import.status == ImportStatus.CHECKED and not report["reason"] and writes(report),
        more_failures=report.get("failure_count", 0) - len(report.get("failures", [])),
        samples=_linked(file_import, report.get("samples", [])),
        elements_address=f"{elements}?repository__id__exact={file_import.repository_id}",
    )


def writes(report: Mapping[str, Any]) -> bool:
    """Return whether the import that the `report` is about changes anything."""
    return any(report[name] for name in ("created", "changed", "deleted"))


def _lead(file_import: FileImport) -> str:
    report = file_import.report
    match file_import.status:
        case ImportStatus.COMPLETED:
            return _("The import is complete.")
        case ImportStatus.FAILED:
            return _("The import failed.")
        case ImportStatus.ABORTED:
            return _("The import was cancelled. Nothing was saved.")
        case ImportStatus.DRAFT:
            return _("%(who)s is still preparing this import.") % {"who": file_import.requester}
    if report["reason"]:
        return _("Nothing can be imported: %(reason)s") % {"reason": report["reason"]}
    if not writes(report):
        if report["rejected"]:
            return _("Nothing to import: all rows are either unchanged or have errors.")
        return _("Nothing to import: everything in the file is stored already.")
    if report["rejected"]:
        message = ngettext(
            "%(count)s row has errors. Correct it here or in the file, or import the other rows without it.",
            "%(count)s rows have errors. Correct them here or in the file, or import the other rows without them.",
            report["rejected"],
        )
        return message % {"count": grouped(report["rejected"])}
    return _("The file has no errors. Check what the import changes, and confirm it.")


def _counts(file_import: FileImport) -> list[tuple[str, int]]:
    report = file_import.report
    is_done = file_import.status == ImportStatus.COMPLETED
    return [
        (_("created") if is_done else _("to be created"), report["created"]),
        (_("changed") if is_done else _("to be changed"), report["changed"]),
        (_("unchanged"), report["unchanged"]),
        (_("deleted") if is_done else _("to be deleted"), report["deleted"]),
        (_("left out") if is_done else _("with errors"), report["rejected"]),
    ]


def _linked(file_import: FileImport, samples: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the samples, with the URLs of the elements that exist, or did."""
    dimension = dimension_named(file_import.dimension)
    addresses = element_addresses(dimension, file_import.repository, [sample["id"] for sample in samples])
    return [{**sample, "address": addresses.get(sample["id"], "")} for sample in samples]
