"""The JSON of deletions (contract F4, H2)."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from bulkops.models import DataProcessing
from bulkops.rest.schema import ElementDeletionCounts


def stopped_message(oid: str) -> dict[str, str]:
    """Return the body that says that the deletion with this `oid` was aborted."""
    return {"message": f"Data processing {oid} was stopped."}


@dataclass(frozen=True)
class ProcessingForm:
    """The form for one dimension: how times say that they are in UTC, and whether objects stand in arrays of one."""

    utc: str
    in_arrays: bool

    def status(self, processing: DataProcessing, readable: Collection[str]) -> Any:
        """Return the body with the progress of the deletion, and uses in the `readable` dimensions only."""
        return self._enclosed(self._described(processing, readable))

    def listed(self, processing: DataProcessing, readable: Collection[str]) -> dict[str, Any]:
        """Return the body as an item of the list of deletions, otherwise as `status`."""
        return {"dataProcessingId": processing.oid, **self._described(processing, readable)}

    def _described(self, processing: DataProcessing, readable: Collection[str]) -> dict[str, Any]:
        time = processing.request_date_time.isoformat(timespec="milliseconds")
        parameters = ElementDeletionCounts(context={"readable": readable}).to_representation(processing)
        if processing.in_use is None:
            del parameters["refused"], parameters["inUse"]
        else:
            parameters["refused"] = processing.refused or 0
        return {
            "requestDateTime": time.replace("+00:00", self.utc),
            "status": processing.status,
            "parameters": self._enclosed(parameters),
        }

    def _enclosed(self, value: dict[str, Any]) -> Any:
        return [value] if self.in_arrays else value
