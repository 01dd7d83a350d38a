"""Deleting the elements of a processing, chunk by chunk (contract F5, F6)."""

import structlog
from django.db import OperationalError, transaction
from django.db.models import F
from django.db.models.functions import Now

from bulkops.jobs.claims import Claim, attempted
from bulkops.jobs.heartbeat import Interrupted, heartbeat, interval
from bulkops.jobs.observed_jobs import describe_job
from bulkops.jobs.processing import end
from bulkops.models import DataProcessing, DeletionChunk, Status
from dimensions_site.changes.models import Channel
from dimensions_site.db.locks import is_about_locks
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.reading.lookup import with_ids, with_primary_keys
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.elements.writing.locking import (
    StillLocked,
    is_worth_another_try,
    let_others_write,
    writing_many,
)
from dimensions_site.elements.writing.saving import delete

log = structlog.get_logger(__name__)

# How many of the ids that were not found the status lists (contract F4).
LISTED_NOT_FOUND = 1_000


def run(claim: Claim[DataProcessing]) -> None:
    """Delete chunk after chunk until the deletion has ended, another worker has it, or this worker has to stop.

    Errors are logged, and shown in the status if no attempt is left.
    """
    with attempted(claim, "processing_interrupted"):
        processing = claim.held.select_related("repository", "requested_by").first()
        if processing is None:
            return
        describe_job(processing)
        deletion = _Deletion(claim, processing)
        while deletion.go_on():
            heartbeat.beat()
            if heartbeat.is_ending:
                raise Interrupted
            let_others_write()


class _Deletion:
    def __init__(self, claim: Claim[DataProcessing], processing: DataProcessing) -> None:
        self._claim = claim
        self._repository = processing.repository
        self._actor = Actor(processing.requester, Channel.DELETION, processing.oid, processing.reason)
        self._model = dimension_named(processing.dimension).model

    def go_on(self) -> bool:
        """Delete the next chunk, or record that this worker waits for others; return False when nothing is left."""
        try:
            with writing_many(self._repository, timeout=interval()):
                # An abort or another worker waits for this row, and finds the chunk done.
                processing = self._claim.held.select_for_update(no_key=True).first()
                return processing is not None and self._delete_chunk(processing)
        except StillLocked:
            return self._wait()
        except OperationalError as error:
            if not is_worth_another_try(error):
                raise
            return self._wait()

    def _wait(self) -> bool:
        try:
            return self._claim.beat()
        except OperationalError as error:
            # On SQLite writers of many elements block this write, too.
            if not is_about_locks(error):
                raise
            return True

    def _delete_chunk(self, processing: DataProcessing) -> bool:
        """Delete and count the elements of the next chunk; return whether there are more chunks."""
        chunks = DeletionChunk.objects.filter(processing=processing).order_by("position")
        chunk = chunks[0]
        found = self._lock(chunk)
        rows = with_primary_keys(self._model, found.values())
        deleted = delete(rows, self._repository, self._actor) if found else 0
        missing = [id for id in chunk.ids if id not in found]
        self._claim.held.update(
            processed=F("processed") + len(chunk.ids),
            deleted=F("deleted") + deleted,
            not_found=[*processing.not_found, *missing][:LISTED_NOT_FOUND],
            heartbeat=Now(),
            attempts=1,  # there was progress, so the next error belongs to a first attempt
        )
        chunk.delete()
        if chunks.exists():
            return True
        end(processing, Status.COMPLETED)
        transaction.on_commit(lambda: log.info("processing_completed", oid=processing.oid))
        return False

    def _lock(self, chunk: DeletionChunk) -> dict[str, int]:
        """Lock the chunk's elements, in the order that all bulk writers use; return their primary keys by id."""
        rows = with_ids(self._model, self._repository, chunk.ids)
        return dict(rows.select_for_update().order_by("element_id").values_list("element_id", "pk"))
