"""The life cycle of a deletion: how it starts and how it ends (contract F2, F3, F5)."""

from collections.abc import Sequence
from datetime import UTC, datetime

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bulkops.jobs.brokers import wake_a_worker
from bulkops.models import DataProcessing, DeletionChunk, Status
from dimensions_site.api.errors import Problem, not_found
from dimensions_site.repositories.permissions import Scope
from dimensions_site.text.formats import shortened, uuid_of

log = structlog.get_logger(__name__)


@transaction.atomic
def start(
    scope: Scope, user: User, ids: Sequence[str], reason: str | None, *, keep_used: bool = False
) -> DataProcessing:
    """Have a worker delete the elements `ids` on behalf of `user` for this `reason`; each id is given once.

    With `keep_used`, elements stay to which others refer that are not deleted (contract L2).
    The deletion and its place in the queue are stored together or not at all (contract F2).
    """
    size = settings.DELETION_CHUNK_SIZE
    processing = DataProcessing.objects.create(
        repository=scope.repository,
        dimension=scope.dimension,
        requested_by=user,
        requester=user.get_username(),
        request_date_time=datetime.now(UTC),
        requested=len(ids),
        not_found=[],
        reason=reason,
        in_use=[] if keep_used else None,
    )
    DeletionChunk.objects.bulk_create(
        DeletionChunk(processing=processing, position=first, ids=list(ids[first : first + size]))
        for first in range(0, len(ids), size)
    )
    wake_a_worker()
    return processing


def deletions_in(scope: Scope) -> QuerySet[DataProcessing]:
    """Return the deletions of this dimension of this repository, the latest first (contract F7, H2)."""
    return DataProcessing.objects.filter(repository=scope.repository, dimension=scope.dimension).order_by("-pk")


def find(scope: Scope, oid: str) -> DataProcessing:
    """Return the deletion with the `oid`. Raises 404 if this dimension of this repository has none (contract F7)."""
    found = deletions_in(scope).filter(oid=oid).first() if uuid_of(oid) else None
    if found is None:
        raise not_found(
            "PROCESSING_NOT_FOUND",
            f"There is no data processing '{shortened(oid)}' of the {scope.dimension} dimension in repository "
            f"'{scope.repository.db_id}'.",
        )
    return found


def abort(processing: DataProcessing) -> None:
    """Stop the deletion before its next chunk; an aborted one stays as it is (contract F5).

    This waits until a chunk that is being deleted is finished. Raises 400 for a deletion that has ended otherwise.
    """
    if not end(processing, Status.ABORTED):
        processing.refresh_from_db(fields=["status"])
    if processing.status != Status.ABORTED:
        raise Problem(
            400,
            "PROCESSING_ENDED",
            _("Data processing {oid} cannot be aborted: it has ended as {status}.").format(
                oid=processing.oid, status=processing.status
            ),
        )


@transaction.atomic
def end(processing: DataProcessing, status: Status, error: str | None = None) -> bool:
    """Give a running deletion its final `status` and delete its remaining chunks; return False if it has already
    ended.
    """
    ended = DataProcessing.objects.filter(pk=processing.pk, status=Status.RUNNING).update(
        status=status, error=error, finished_at=Now(), claimed_by=None, heartbeat=None
    )
    if ended:
        processing.status = status
        DeletionChunk.objects.filter(processing=processing).delete()
    return ended == 1


def fail(processing: DataProcessing, happened: str) -> None:
    """Fail a deletion whose last attempt raised `happened`; its status says what to do (contract F6)."""
    error = (
        f"The deletion was given up after {processing.attempts} attempts in a row at which nothing could be deleted: "
        f"{happened}. Until then {processing.processed:,} of {processing.requested:,} ids had been processed and "
        f"{processing.deleted:,} elements deleted; they stay deleted. The log of the worker has the cause in the "
        f"lines that name {processing.oid}. When it is fixed, request the deletion again: ids that are gone by then "
        "are only reported as not found."
    )
    log.error("processing_failed", oid=processing.oid, happened=happened)
    end(processing, Status.FAILED, error=error)
