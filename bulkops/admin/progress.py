"""How far a processing is, in words for people (contract F3, F4)."""

from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bulkops.models import DataProcessing, Status
from bulkops.presence import somebody_works
from dimensions_site.formats import grouped

# So many of the ids that were not found are told on the page.
_LISTED = 100


@dataclass(frozen=True)
class Progress:
    """`percentage` is that of the ids that are done; the texts are empty when there is nothing to tell."""

    is_running: bool
    percentage: int
    status: str
    counts: str
    not_found: str
    error: str

    def as_json(self) -> dict[str, Any]:
        """Return what the page's script puts in the places of the same names."""
        return asdict(self)


def progress_of(processing: DataProcessing) -> Progress:
    """How far the `processing` is at this moment."""
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
        return _("Stopped on request; what is deleted stays deleted")
    if processing.claimed_by is not None:
        return _("Running")
    if somebody_works():
        return _("Waiting for its turn")
    return _(
        "Waiting: no worker is running. Tell whoever operates the service; the deletion begins when one is started."
    )


def _not_found(processing: DataProcessing) -> str:
    missing = processing.processed - processing.deleted
    if not missing:
        return ""
    listed = processing.not_found[:_LISTED]
    ids = ", ".join(listed) + (", …" if missing > len(listed) else "")
    told = ngettext("%(count)s was not found: %(ids)s", "%(count)s were not found: %(ids)s", missing)
    return told % {"count": grouped(missing), "ids": ids}
