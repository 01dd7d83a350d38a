"""The progress of a deletion job, in words for people (contract F3, F4)."""

from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bulkops.jobs.heartbeat import is_worker_running
from bulkops.models import DataProcessing, Status
from dimensions_site.text.formats import grouped

# How many of the ids that were not found the page lists.
_LISTED = 100


@dataclass(frozen=True)
class Progress:
    """`percentage` is that of the processed ids; texts are empty if there is nothing to say."""

    is_running: bool
    percentage: int
    status: str
    counts: str
    not_found: str
    error: str

    def as_json(self) -> dict[str, Any]:
        """Return what the page's script puts into the elements of the same names."""
        return asdict(self)


def progress_of(processing: DataProcessing) -> Progress:
    """Return the current progress of the job."""
    return Progress(
        is_running=processing.status == Status.RUNNING,
        percentage=100 * processing.processed // max(processing.requested, 1),
        status=_status(processing),
        counts=_("%(processed)s of %(requested)s processed, %(deleted)s deleted")
        % {
            "processed": grouped(processing.processed),
            "requested": grouped(processing.requested),
            "deleted": grouped(processing.deleted),
        },
        not_found=_not_found(processing),
        error=processing.error or "",
    )


def _status(processing: DataProcessing) -> str:
    if processing.status == Status.COMPLETED:
        return _("Completed")
    if processing.status == Status.FAILED:
        return _("Failed")
    if processing.status == Status.ABORTED:
        return _("Aborted on request; what is deleted stays deleted")
    if processing.claimed_by is not None:
        return _("Running")
    if is_worker_running():
        return _("Waiting for its turn")
    return _(
        "Waiting: no worker is running. Ask the operators of the service; the deletion begins when one is started."
    )


def _not_found(processing: DataProcessing) -> str:
    missing = processing.processed - processing.deleted
    if not missing:
        return ""
    listed = processing.not_found[:_LISTED]
    ids = ", ".join(listed) + (", …" if missing > len(listed) else "")
    message = ngettext("%(count)s was not found: %(ids)s", "%(count)s were not found: %(ids)s", missing)
    return message % {"count": grouped(missing), "ids": ids}
