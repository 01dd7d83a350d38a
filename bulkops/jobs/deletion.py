"""Delete the elements of a job, chunk by chunk (contract F5, F6)."""

from collections.abc import Mapping, Sequence
from typing import Any

import structlog
from django.db import OperationalError, transaction
from django.db.models import F
from django.db.models.functions import Now

from bulkops.jobs.claims import Claim, attempt, may_go_on
from bulkops.jobs.heartbeat import Interrupted, heartbeat, interval
from bulkops.jobs.processing import end
from bulkops.jobs.refusals import LISTED_IN_USE, find_refused
from bulkops.models import DataProcessing, DeletionChunk, Status
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor, ApprovalRequired
from dimensions_site.changes.states import State, current_state
from dimensions_site.db.transactions import is_about_locks
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.reading.lookup import with_ids, with_primary_keys
from dimensions_site.elements.reading.uses import Uses, referring_dimensions
from dimensions_site.elements.writing.locking import StillLocked, is_worth_another_try, let_others_write, writing_many
from dimensions_site.elements.writing.saving import delete
from dimensions_site.repositories.models import Role

log = structlog.get_logger(__name__)

# How many ids are looked up at a time.
_LOOKED_UP = 1_000
# How many of the ids that were not found the status lists (contract F4).
LISTED_NOT_FOUND = 1_000


def run(claim: Claim[DataProcessing]) -> None:
    """Delete chunk after chunk until the deletion has ended, another worker has it, or this worker has to stop.

    Errors are logged, and shown in the status if no attempt is left.
    """
    with attempt(claim, "processing_interrupted") as processing:
        if processing is None:
            return
        deletion = _Deletion(claim, processing)
        while deletion.go_on():
            heartbeat.beat()
            if heartbeat.is_ending:
                raise Interrupted
            let_others_write()


class _Deletion:
    def __init__(self, claim: Claim[DataProcessing], processing: DataProcessing) -> None:
        self._claim = claim
        self._processing = processing
        self._repository = processing.repository
        self._actor = Actor(processing.requester, Channel.DELETION, processing.oid, processing.reason)
        self._dimension = dimension_named(processing.dimension)
        self._model = self._dimension.model
        # The states in which this worker has checked the whole list (contract L2).
        self._checked: list[State] = []

    def go_on(self) -> bool:
        """Delete the next chunk, or record that this worker waits for others; return False when nothing is left."""
        try:
            with writing_many(self._repository, timeout=interval()):
                # An abort or another worker waits for this row, and finds the chunk done.
                processing = self._claim.held.select_for_update(no_key=True).first()
                if processing is None:
                    return False
                if not may_go_on(processing, Role.MANAGER):
                    return self._refuse("ROLE_TOO_SMALL", self._has_lost_rights())
                is_to_check = processing.in_use is not None and processing.refused is None
                return self._check_list(processing) if is_to_check else self._delete_chunk(processing)
        except StillLocked:
            return self._wait()
        except ApprovalRequired as refusal:
            return self._refuse(refusal.code, str(refusal.detail))
        except OperationalError as error:
            if not is_worth_another_try(error):
                raise
            return self._wait()

    def _refuse(self, code: str, error: str) -> bool:
        """Fail: what was permitted at the start no longer is. What is deleted by then stays deleted."""
        log.error("processing_failed", oid=self._claim.oid, happened=code)
        end(self._processing, Status.FAILED, error=error)
        return False

    def _has_lost_rights(self) -> str:
        return (
            f"{self._processing.requester} may no longer delete: this needs the role {Role.MANAGER.label} for the "
            f"{self._dimension.name} dimension of repository '{self._repository.db_id}'. Elements that were deleted "
            "before stay deleted."
        )

    def _wait(self) -> bool:
        try:
            return self._claim.beat()
        except OperationalError as error:
            # On SQLite writers of many elements block this write, too.
            if not is_about_locks(error):
                raise
            return True

    def _check_list(self, processing: DataProcessing) -> bool:
        """Take the elements that are in use out of all chunks (contract L2); return whether there are chunks left."""
        referring = referring_dimensions(self._dimension)
        self._checked = [current_state(self._repository.pk, other.name)[0] for other in referring]
        refused = find_refused(processing, self._dimension)
        found: dict[str, Uses] = {}
        ids = list(refused)
        for first in range(0, len(ids), _LOOKED_UP):
            part = ids[first : first + _LOOKED_UP]
            there = set(with_ids(self._model, self._repository, part).values_list("element_id", flat=True))
            found |= {id: refused[id] for id in part if id in there}
        chunks = DeletionChunk.objects.filter(processing=processing)
        for chunk in chunks if found else ():
            kept = [id for id in chunk.ids if id not in found]
            if len(kept) < len(chunk.ids):
                chunks.filter(pk=chunk.pk).update(ids=kept)
        chunks.filter(ids=[]).delete()
        self._count(processing, len(found), 0, [], found)
        return self._has_more(processing)

    def _delete_chunk(self, processing: DataProcessing) -> bool:
        """Delete and count the elements of the next chunk; return whether there are more chunks."""
        chunks = DeletionChunk.objects.filter(processing=processing).order_by("position")
        chunk = chunks[0]
        # Locked in the order that all bulk writers use.
        rows = with_ids(self._model, self._repository, chunk.ids).select_for_update().order_by("element_id")
        found = dict(rows.values_list("element_id", "pk"))
        missing = [id for id in chunk.ids if id not in found]
        refused: Mapping[str, Uses] = {}
        if processing.in_use is not None and found and self._others_have_written(processing):
            refused = {id: uses for id, uses in find_refused(processing, self._dimension, chunk).items() if id in found}
        keys = [key for id, key in found.items() if id not in refused]
        deleted = (
            delete(with_primary_keys(self._model, self._repository, keys), self._repository, self._actor) if keys else 0
        )
        self._count(processing, len(chunk.ids), deleted, missing, refused)
        chunk.delete()
        return self._has_more(processing)

    def _others_have_written(self, processing: DataProcessing) -> bool:
        """Return whether elements may have come to refer to others since this worker checked the whole list."""
        later = [state.later().exclude(operation=processing.oid) for state in self._checked]
        return not later or any(change_sets.exists() for change_sets in later)

    def _count(
        self,
        processing: DataProcessing,
        processed: int,
        deleted: int,
        missing: Sequence[str],
        refused: Mapping[str, Uses],
    ) -> None:
        counts: dict[str, Any] = {}
        if processing.in_use is not None:
            in_use = [{"id": id, "usedBy": uses.first} for id, uses in refused.items()]
            counts = {
                "refused": (processing.refused or 0) + len(refused),
                "in_use": [*processing.in_use, *in_use][:LISTED_IN_USE],
            }
        self._claim.held.update(
            processed=F("processed") + processed,
            deleted=F("deleted") + deleted,
            not_found=[*processing.not_found, *missing][:LISTED_NOT_FOUND],
            heartbeat=Now(),
            attempts=1,  # there was progress, so the next error belongs to a first attempt
            **counts,
        )

    def _has_more(self, processing: DataProcessing) -> bool:
        """Return whether there are chunks left; if not, end the deletion."""
        if DeletionChunk.objects.filter(processing=processing).exists():
            return True
        end(processing, Status.COMPLETED)
        transaction.on_commit(lambda: log.info("processing_completed", oid=processing.oid))
        return False
