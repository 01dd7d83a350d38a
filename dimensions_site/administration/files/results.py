"""The progress and the result of checking or importing a file, in words for people (contract F4)."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bulkops.files.imports.reports import Phase
from bulkops.jobs.file_imports import AT_WORK, Choices
from bulkops.models import FileImport, ImportStatus
from dimensions_site.administration.base.differences import ShownDifference
from dimensions_site.administration.base.naming import element_addresses, element_route
from dimensions_site.administration.files.filling import filled_in_words
from dimensions_site.administration.jobs.deletions import JobProgress, waiting_words
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.models import Change
from dimensions_site.elements.writing.differences import Difference
from dimensions_site.text.formats import grouped_number

# Up to so many rows with errors, and such a share of all, may stay out without a second thought.
_FEW = 3
_SHARE = 0.01
_PHASES = tuple(Phase)


def import_progress(file_import: FileImport) -> JobProgress:
    """Return the current progress of the import, over all its phases."""
    done = _PHASES.index(Phase(file_import.phase)) if file_import.phase else 0
    share = (done + file_import.progress) / len(_PHASES)
    return JobProgress(file_import.status in AT_WORK, round(100 * share), _import_status(file_import))


def result_of(file_import: FileImport) -> dict[str, Any]:
    """Return what the page adds to the report of an import that no worker has claimed.

    `can_import` says whether there is anything to confirm, and `left_out` what stays out then; `deleted` has the ids
    and descriptions of the first elements that are deleted.
    """
    report, choices = file_import.report, Choices.of(file_import)
    dimension = dimension_named(file_import.dimension)
    elements = f"{element_route(dimension, 'changelist')}?repository__id__exact={file_import.repository_id}"
    if not report:
        return {"lead": _lead(file_import), "elements_address": elements}
    known, places = choices.mapping, dimension.wire.places
    # What the file has no column for has the name of its field.
    fields = {path: str(place.heading) for path, place in places.items() if path not in known}
    return {
        "lead": _lead(file_import),
        "counts": _counts(file_import),
        "can_import": file_import.status == ImportStatus.CHECKED and not report["reason"] and writes(report),
        "left_out": _left_out(report) if report["rejected"] else "",
        "leaves_out_few": report["rejected"] <= min(_FEW, _SHARE * _rows(report)),
        "filled": list(filled_in_words(dimension.wire, choices.filled)),
        "surprising": [meaning for meaning in report["understood"] if meaning["is_surprising"]],
        "usual": [meaning for meaning in report["understood"] if not meaning["is_surprising"]],
        "kinds": [{**kind, "heading": fields.get(kind["heading"], kind["heading"])} for kind in report["kinds"]],
        "more_failures": report["failure_count"] - len(report["failures"]),
        "samples": _shown(file_import, report["samples"]),
        "more_deleted": report["deleted"] - len(report["deleted_ids"]),
        "deleted": [(id, report["deleted_texts"].get(id, "")) for id in report["deleted_ids"]],
        "elements_address": elements,
    }


def effect_of(file_import: FileImport) -> str:
    """Return what the import does, or has done, in a line for the list; empty before the check."""
    counts = _counts(file_import) if file_import.report else []
    return " · ".join(f"{grouped_number(count)} {name}" for name, count in counts if count)


def writes(report: Mapping[str, Any]) -> bool:
    """Return whether the import that the `report` is about changes anything."""
    return any(report[name] for name in ("created", "changed", "deleted"))


def _lead(file_import: FileImport) -> str:
    report = file_import.report
    match file_import.status:
        case ImportStatus.COMPLETED if Choices.of(file_import).proposes:
            return _("A change proposal was made of this file; it is no longer stored.")
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
        return message % {"count": grouped_number(report["rejected"])}
    return _("The file has no errors. Check what the import changes, and confirm it.")


def _rows(report: Mapping[str, Any]) -> int:
    return sum(report[name] for name in ("created", "changed", "unchanged", "rejected"))


def _left_out(report: Mapping[str, Any]) -> str:
    """Return the sentence about the rows that an import without them leaves out, with the first of them."""
    named = ngettext(
        "{count} of {total} rows is left out: {rows}",
        "{count} of {total} rows are left out: {rows}",
        report["rejected"],
    )
    rows = []
    for row in report["rows"][:_FEW]:
        texts = filter(None, [*(cell["text"] for cell in row["cells"]), *row["others"]])
        line = _("line %(line)s") % {"line": row["line"]}
        rows.append(f"{line} ({' · '.join(list(texts)[:_FEW])})")
    more = ["…"] if len(rows) < report["rejected"] else []
    counts = {"count": grouped_number(report["rejected"]), "total": grouped_number(_rows(report))}
    return named.format(rows=", ".join([*rows, *more]), **counts)


def _counts(file_import: FileImport) -> list[tuple[str, int]]:
    report = file_import.report
    is_done = file_import.status == ImportStatus.COMPLETED and not Choices.of(file_import).proposes
    return [
        (_("created") if is_done else _("to be created"), report["created"]),
        (_("changed") if is_done else _("to be changed"), report["changed"]),
        (_("unchanged"), report["unchanged"]),
        (_("deleted") if is_done else _("to be deleted"), report["deleted"]),
        (_("left out") if is_done else _("with errors"), report["rejected"]),
    ]


def _shown(file_import: FileImport, samples: Sequence[Mapping[str, Any]]) -> list[ShownDifference]:
    """Return the samples with the URLs of the elements that exist, or did."""
    dimension = dimension_named(file_import.dimension)
    addresses = element_addresses(dimension, file_import.repository, [sample["id"] for sample in samples])
    created = "" if file_import.status == ImportStatus.COMPLETED else _("to be created")
    return [
        ShownDifference(
            sample["id"],
            # An id never changes.
            Change.CREATED if any(one["path"] == "id" for one in sample["differences"]) else Change.CHANGED,
            _("line %(line)s") % {"line": sample["line"]},
            [Difference(**one) for one in sample["differences"]],
            addresses.get(sample["id"], ""),
            created,
        )
        for sample in samples
    ]


def _import_status(file_import: FileImport) -> str:
    if file_import.claimed_by is None:
        return waiting_words()
    texts = {
        Phase.READING: _("Reading the file"),
        Phase.CHECKING: _("Comparing the rows with what is stored"),
        Phase.SAVING: _("Saving"),
    }
    return texts[Phase(file_import.phase or Phase.READING)]
