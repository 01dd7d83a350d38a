"""Bulk save: all elements of a body or none (contract E1, E2, E4)."""

from collections.abc import Container, Iterable, Sequence
from functools import partial
from typing import IO, Any

from django.db import transaction

from bulkops.save.entries import EntryReader
from bulkops.save.envelope import Envelope, Operation
from bulkops.writers.answers import write_answer
from bulkops.writers.attempts import OthersCreateTheSame, attempts, restage, writer_for
from bulkops.writers.entries import Clash, Entry
from bulkops.writers.errors import BEFORE_ALL, Errors, TooManyErrors
from bulkops.writers.references import References
from bulkops.writers.writer import Counts
from dimensions_site.api.errors import MAX_FAILURES, Failure, Problem
from dimensions_site.api.json.reader import JsonError, read_json
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.rest.pointers import pointer_in
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.elements.writing.decoding import RowDecoder
from dimensions_site.elements.writing.saving import already_there_message
from dimensions_site.elements.writing.turns import refuse_when_crowded, writing_in_turn
from dimensions_site.repositories.models import Repository
from dimensions_site.text.shortening import shortened

UNKNOWN_REFERENCE = (
    "{path} refers to the {dimension} '{id}', which is neither in the repository nor in this request; name one that "
    "is, or save with saveMode LOOSE."
)


class BulkSave:
    """Saves one body into one dimension of a repository, on behalf of `actor`; used once."""

    def __init__(self, dimension: Dimension, repository: Repository, actor: Actor) -> None:
        self._dimension = dimension
        self._repository = repository
        self._actor = actor
        self._errors = Errors[Failure]()
        self._decoder = RowDecoder(dimension.wire, repository)
        self._writer = writer_for(dimension.model, self._decoder.columns, repository)
        self._reader = EntryReader(dimension, repository, self._decoder, self._errors)
        self._references = References(dimension, self._decoder, repository, UNKNOWN_REFERENCE)
        self._maps = [place.column for place in dimension.wire.places.values() if place.is_map]
        self._renderer = full_renderer(dimension, repository.default_language)

    def run(self, envelope: Envelope, *, dry_run: bool = False, answer: IO[bytes] | None = None) -> Counts:
        """Save the elements of `envelope`, in the order of `OPERATIONS`, in one transaction; roll it back if
        `dry_run`. Return what they did.

        The saved elements are written to `answer` as a JSON array, as they are in that transaction. Raises `Problem`
        400 with every error of the body, or 503 if others write for too long; then nothing is saved.
        """
        refuse_when_crowded(self._repository)
        self._operations = envelope.operations
        self._is_strict = envelope.save_mode == "STRICT"
        try:
            self._errors.add(BEFORE_ALL, envelope.failures)
            return self._save(dry_run=dry_run, answer=answer)
        except TooManyErrors:
            self._errors.refuse()
            raise

    def _save(self, *, dry_run: bool, answer: IO[bytes] | None) -> Counts:
        post, put, merge, patch = self._operations
        with self._writer.staging():
            for operation in (post, put):
                self._stage(self._reader.whole(operation))
            self._stage(self._reader.complete_merges(merge))
            self._look()
            # From here on other bulk writers have to wait, because the others depend on what is stored.
            with writing_in_turn(self._repository):
                self._begin()
                self._stage(self._reader.other_merges(merge))
                self._stage(self._reader.patches(patch))
                self._remove()
                self._write()
                if answer is not None:
                    write_answer(self._writer, self._renderer, patch.first + len(patch.elements), answer)
                self._end()
                if dry_run:
                    transaction.set_rollback(True)
                return self._writer.saved

    # What a plan does in the same transaction.

    def _look(self) -> None:
        """Read what may take long, before others have to wait."""

    def _begin(self) -> None:
        """Check what others may have changed before the lock."""

    def _remove(self) -> None:
        """Delete elements, before the references of the others are checked."""

    def _end(self) -> None:
        """Use what is written, before the transaction ends."""

    def _stage(self, batches: Iterable[Iterable[Entry]]) -> None:
        for entries in batches:
            self._writer.stage(self._with_references(entries))

    def _with_references(self, entries: Iterable[Entry]) -> Iterable[Entry]:
        if self._is_strict:
            entries = list(entries)
            self._references.read(entries, self._sent)
        return entries

    def _again(self, operation: Operation, positions: Sequence[int]) -> Iterable[Entry]:
        return self._with_references(self._reader.again(operation, positions))

    def _sent(self, position: int) -> Any:
        """Return what was sent for the element at `position`; of a patch the changes; None if it cannot be read."""
        operation = self._operation(position)
        try:
            sent: Any = read_json(bytes(operation.elements[position - operation.first]))
        except JsonError:
            return None
        return sent.get("data") if operation.name == "patch" and isinstance(sent, dict) else sent

    def _write(self) -> None:
        try:
            for attempt in attempts(self._writer, self._actor):
                with attempt:
                    self._plan()
        except OthersCreateTheSame:
            raise others_create_the_same() from None

    def _plan(self) -> None:
        self._writer.plan()
        read_again: set[int] = set()
        while positions := self._writer.outdated() or self._unmerged(read_again):
            read_again.update(positions)
            restage(self._writer, positions, partial(self._again, self._operation(positions[0])))
        if self._is_strict:
            self._errors.add_later(*self._references.unknown(self._path))
        clashes, count = self._writer.clashes(MAX_FAILURES)
        self._errors.add_later(((clash.position, self._failure(clash)) for clash in clashes), count)
        self._errors.refuse()

    def _unmerged(self, read_again: Container[int]) -> list[int]:
        """Return the positions in `merge` of elements that must be read again, beside what is stored by now.

        One that was `read_again` already may still clear a map.
        """
        _, _, merge, patch = self._operations
        found = self._writer.unmerged(merge.first, patch.first, self._maps) if merge.elements else []
        return [position for position in found if position not in read_again]

    def _failure(self, clash: Clash) -> Failure:
        name = self._dimension.model.unique_in_repository[clash.column]
        path = f"{self._pointer(clash.position)}/{name}"
        message = already_there_message(name, shortened(clash.value))
        return Failure(path, "ALREADY_EXISTS", message, shortened(clash.element_id))

    def _pointer(self, position: int) -> str:
        return self._operation(position).pointer(position)

    def _path(self, position: int, wire_path: str) -> str:
        """Return the JSON Pointer of a field of the element at `position`."""
        operation = self._operation(position)
        data = "/data" if operation.name == "patch" else ""
        pointer = pointer_in(self._sent(position), wire_path.split("."), self._dimension.wire)
        return f"{operation.pointer(position)}{data}{pointer}"

    def _operation(self, position: int) -> Operation:
        return next(operation for operation in reversed(self._operations) if operation.first <= position)


def others_create_the_same() -> Problem:
    """Return the 503 for a bulk save that could not be written because of others."""
    detail = "Other clients keep creating elements with the same ids. Nothing was saved; try again."
    return Problem(503, "CONFLICT", detail, headers={"Retry-After": "5"})
