"""Deleting the elements of a processing, chunk by chunk (contract F5, F6)."""

from dataclasses import dataclass

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from bulkops.claims import Claim
from bulkops.dimensions import model_of
from bulkops.models import DataProcessing, DeletionChunk, Status
from bulkops.observed_jobs import tell_job
from bulkops.processing import end
from bulkops.pulse import interval, pulse
from dimensions_site.elements.actors import Actor, Stamp
from dimensions_site.elements.locking import (
    StillLocked,
    is_worth_another_try,
    let_others_write,
    writing_many,
)
from dimensions_site.elements.lookup import with_ids, with_primary_keys
from dimensions_site.elements.models import Origin
from dimensions_site.elements.saving import delete
from dimensions_site.repositories.locks import is_about_locks

log = structlog.get_logger(__name__)

# How many of the ids that were not found are told (contract F4).
LISTED_NOT_FOUND = 1_000


@dataclass(frozen=True)
class Requester(Actor):
    """Who asked for a deletion; the name is the one of that time."""

    recorded_name: str

    @property
    def name(self) -> str:
        return self.recorded_name


def run(claim: Claim[DataProcessing]) -> None:
    """Delete chunk after chunk until the processing has ended, somebody else has it, or this worker is to end.

    What goes wrong ends in the log, and in the status when no attempt is left.
    """
    try:
        processing = claim.held.select_related("repository", "requested_by").first()
        if processing is None:
            return
        tell_job(processing)
        deletion = _Deletion(claim, processing)
        while deletion.go_on():
            pulse.beat()
            if pulse.is_ending:
                claim.give_back()
                return
            let_others_write()
    except Exception as error:
        is_of_database = isinstance(error, DatabaseError | InterfaceError)
        log.exception("processing_interrupted", oid=claim.oid)
        # After a failure of the database its connection may be of no use any more.
        connection.close_if_unusable_or_obsolete()
        claim.give_up("the database did not do what it was asked" if is_of_database else "the service itself failed")


class _Deletion:
    def __init__(self, claim: Claim[DataProcessing], processing: DataProcessing) -> None:
        self._claim = claim
        self._repository = processing.repository
        self._actor = Requester(processing.requested_by, Origin.INPUT_WEB, processing.requester)
        self._model = model_of(processing.dimension)

    def go_on(self) -> bool:
        """Delete the next chunk, or show that this worker still waits for other writers; False when it is over."""
        try:
            with writing_many(self._repository, patience=interval()):
                # Who aborts the processing or takes it over waits for this row, and finds the chunk done.
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
            # On SQLite whoever writes many elements keeps this from being written, too.
            if not is_about_locks(error):
                raise
            return True

    def _delete_chunk(self, processing: DataProcessing) -> bool:
        """Delete the elements of the next chunk and count them; tell whether there are more chunks."""
        chunks = DeletionChunk.objects.filter(processing=processing).order_by("position")
        chunk = chunks[0]
        found = self._lock(chunk)
        rows = with_primary_keys(self._model, found.values())
        deleted = delete(rows, Stamp(self._actor)) if found else 0
        missing = [id for id in chunk.ids if id not in found]
        self._claim.held.update(
            processed=F("processed") + len(chunk.ids),
            deleted=F("deleted") + deleted,
            not_found=[*processing.not_found, *missing][:LISTED_NOT_FOUND],
            heartbeat=Now(),
            attempts=1,  # something was done, so what goes wrong from here on is a first attempt
        )
        chunk.delete()
        if chunks.exists():
            return True
        end(processing, Status.COMPLETED)
        transaction.on_commit(lambda: log.info("processing_completed", oid=processing.oid))
        return False

    def _lock(self, chunk: DeletionChunk) -> dict[str, int]:
        """The primary keys of the chunk's elements by id; locked, in the order in which all writers of many do."""
        rows = with_ids(self._model, self._repository, chunk.ids)
        return dict(rows.select_for_update().order_by("element_id").values_list("element_id", "pk"))
