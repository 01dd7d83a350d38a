"""Bulk save: all elements of a body or none (contract E1, E2, E4)."""

from typing import IO

from django.db import transaction

from bulkops.session.items import Envelope
from bulkops.session.session import WriteSession
from bulkops.writers.writer import Counts
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.elements.writing.locking import refuse_when_crowded, writing_in_turn
from dimensions_site.repositories.models import Repository


def save_all(
    dimension: Dimension,
    repository: Repository,
    actor: Actor,
    envelope: Envelope,
    *,
    dry_run: bool = False,
    answer: IO[bytes] | None = None,
) -> Counts:
    """Save the elements of `envelope`, in the order of `OPERATIONS`, in one transaction; roll it back if `dry_run`.
    Return what they did.

    The saved elements are written to `answer` as a JSON array, as they are in that transaction. Raises `Problem` 400
    with every error of the body, or 503 if others write for too long; then nothing is saved.
    """
    refuse_when_crowded(repository)
    session = WriteSession(dimension, repository, actor, envelope)
    with session.staging(), writing_in_turn(repository):
        session.stage_dependent()
        session.write()
        if answer is not None:
            session.write_answer(answer)
        if dry_run:
            transaction.set_rollback(True)
    return session.writer.saved
