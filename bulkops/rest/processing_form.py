"""The JSON of processings (contract F4, H2)."""

from dataclasses import dataclass
from typing import Any

from bulkops.models import DataProcessing


@dataclass(frozen=True)
class ProcessingForm:
    """The form for one dimension: how times say that they are in UTC, and whether objects stand in arrays of one."""

    utc: str
    in_arrays: bool

    def status(self, processing: DataProcessing) -> Any:
        """Return the body with the progress of the deletion."""
        return self._enclosed(self._described(processing))

    def listed(self, processing: DataProcessing) -> dict[str, Any]:
        """Return the body as an item of the list of deletions."""
        return {"dataProcessingId": processing.oid, **self._described(processing)}

    def _described(self, processing: DataProcessing) -> dict[str, Any]:
        time = processing.request_date_time.isoformat(timespec="milliseconds")
        parameters = {
            "requested": processing.requested,
            "processed": processing.processed,
            "deleted": processing.deleted,
            "notFound": processing.not_found,
            "error": processing.error,
        }
        return {
            "requestDateTime": time.replace("+00:00", self.utc),
            "status": processing.status,
            "parameters": self._enclosed(parameters),
        }

    def _enclosed(self, value: dict[str, Any]) -> Any:
        return [value] if self.in_arrays else value
