"""The progress of an import, in words for people."""

from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext as _

from bulkops.files.imports.reports import Phase
from bulkops.jobs.file_imports import AT_WORK
from bulkops.jobs.heartbeat import is_worker_running
from bulkops.models import FileImport

_PHASES = tuple(Phase)


@dataclass(frozen=True)
class Progress:
    """`percentage` covers all phases together; when nothing `is_running`, the page has something else to show."""

    is_running: bool
    percentage: int
    status: str

    def as_json(self) -> dict[str, Any]:
        """Return what the page's script displays."""
        return asdict(self)


def progress_of(file_import: FileImport) -> Progress:
    """Return the current progress of the import."""
    done = _PHASES.index(Phase(file_import.phase)) if file_import.phase else 0
    share = (done + file_import.progress) / len(_PHASES)
    return Progress(file_import.status in AT_WORK, round(100 * share), _status(file_import))


def _status(file_import: FileImport) -> str:
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
