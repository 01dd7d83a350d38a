"""The progress of deletions and imports, in words for people (contract F3, F4)."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bulkops.files.imports.reports import Phase
from bulkops.jobs.file_imports import AT_WORK
from bulkops.jobs.heartbeat import is_worker_running
from bulkops.models import DataProcessing, FileImport, Status
from dimensions_site.text.formats import grouped_number

# How many of the ids that were not found the page lists.
_LISTED = 100
_PHASES = tuple(Phase)


@dataclass(frozen=True)
class JobProgress:
    """The `percentage` of a job that is done; the page's script shows the texts, which may be empty."""

    is_running: bool
    percentage: int
    status: str
    counts: str = ""
    not_found: str = ""
    in_use: str = ""
    error: str = ""


def deletion_progress(processing: DataProcessing) -> JobProgress:
    """Return the current progress of the deletion."""
    return JobProgress(
        is_running=processing.status == Status.RUNNING,
        percentage=100 * processing.processed // max(processing.requested, 1),
        status=_deletion_status(processing),
        counts=_("%(processed)s of %(requested)s processed, %(deleted)s deleted")
        % {
            "processed": grouped_number(processing.processed),
            "requested": grouped_number(processing.requested),
            "deleted": grouped_number(processing.deleted),
        },
        not_found=_not_found(processing),
        in_use=_in_use(processing),
        error=processing.error or "",
    )


def import_progress(file_import: FileImport) -> JobProgress:
    """Return the current progress of the import, over all its phases."""
    done = _PHASES.index(Phase(file_import.phase)) if file_import.phase else 0
    share = (done + file_import.progress) / len(_PHASES)
    return JobProgress(file_import.status in AT_WORK, round(100 * share), _import_status(file_import))


def _deletion_status(processing: DataProcessing) -> str:
    if processing.status == Status.COMPLETED:
        return _("Completed")
    if processing.status == Status.FAILED:
        return _("Failed")
    if processing.status == Status.ABORTED:
        return _("Stopped; what is deleted stays deleted")
    if processing.claimed_by is not None:
        return _("Running")
    if is_worker_running():
        return _("Waiting for its turn")
    return _(
        "Waiting: no worker is running. Ask the operators of the service; the deletion begins when one is started."
    )


def _import_status(file_import: FileImport) -> str:
    if file_import.claimed_by is None:
        if is_worker_running():
            return _("Waiting for its turn")
        return _(
            "Waiting: no worker is running. Ask the operators of the service; the import continues when one is started."
        )
    texts = {
        Phase.READING: _("Reading the file"),
        Phase.CHECKING: _("Comparing the rows with what is stored"),
        Phase.SAVING: _("Saving"),
    }
    return texts[Phase(file_import.phase or Phase.READING)]


def _in_use(processing: DataProcessing) -> str:
    if not processing.refused:
        return ""
    listed = [used["id"] for used in processing.in_use[:_LISTED]]
    ids = ", ".join(listed) + (", …" if processing.refused > len(listed) else "")
    number = processing.refused
    message = ngettext("%(count)s is in use and stays: %(ids)s", "%(count)s are in use and stay: %(ids)s", number)
    return message % {"count": grouped_number(number), "ids": ids}


def _not_found(processing: DataProcessing) -> str:
    missing = processing.processed - processing.deleted - (processing.refused or 0)
    if not missing:
        return ""
    listed = processing.not_found[:_LISTED]
    ids = ", ".join(listed) + (", …" if missing > len(listed) else "")
    message = ngettext("%(count)s was not found: %(ids)s", "%(count)s were not found: %(ids)s", missing)
    return message % {"count": grouped_number(missing), "ids": ids}
