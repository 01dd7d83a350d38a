"""Write many elements: stage them, lock, plan, check and write; or refuse them with every error (contract E1, E2).

    session = WriteSession(dimension, repository, actor, envelope)
    with session.staging(), writing_in_turn(repository):
        session.stage_dependent()
        session.write()

Bulk bodies, tables, imported files, plans and their trials are all written in this way. What differs is in the
envelope, and between these lines.
"""

import sys
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import IO, Any

from django.db import IntegrityError, OperationalError, transaction
from django_stubs_ext import StrOrPromise

from bulkops.session.decoding import EntryDecoder
from bulkops.session.entries import STORED_BATCH, EntryReader
from bulkops.session.errors import BEFORE_ALL, Errors, pointer_in
from bulkops.session.items import Envelope, Item, operation_at
from bulkops.session.references import References
from bulkops.session.writer import Clash, Counts, Entry, Writer
from dimensions_site.api.errors import Failure, Problem
from dimensions_site.api.json.reader import JsonError, read_json
from dimensions_site.api.rendering import json_array, pieces
from dimensions_site.changes.placing import Actor
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.reading.statements import read_texts
from dimensions_site.elements.writing.decoding import decoder_of
from dimensions_site.elements.writing.locking import is_worth_another_try, refuse_when_crowded, writing_in_turn
from dimensions_site.elements.writing.saving import Provenance, already_there_message
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import shortened

_ATTEMPTS = 10
_UNKNOWN_REFERENCE = (
    "{path} refers to the {dimension} '{id}', which is neither in the repository nor in this request; name one that "
    "is, or save with saveMode LOOSE."
)


class OthersCreateTheSame(Problem):
    """In each attempt another writer had just created one of the same elements; nothing was written."""

    def __init__(self) -> None:
        detail = "Other clients keep creating elements with the same ids. Nothing was saved; try again."
        super().__init__(503, "CONFLICT", detail, headers={"Retry-After": "5"})


class WriteSession:
    """Writes the elements of one `envelope` into one dimension of a repository, on behalf of `actor`; used once.

    All are written or none, unless its errors say that elements with errors are left out. `unknown_reference` is the
    message of the strict check, as `References` takes it.
    """

    def __init__(
        self,
        dimension: Dimension,
        repository: Repository,
        actor: Actor,
        envelope: Envelope,
        unknown_reference: StrOrPromise = _UNKNOWN_REFERENCE,
    ) -> None:
        self._dimension = dimension
        self._actor = actor
        self._envelope = envelope
        self._operations = envelope.operations
        self._renderer = full_renderer(dimension, repository.default_language)
        self._maps = [place.column for place in dimension.wire.places.values() if place.is_map]
        # The positions of elements that are left out because of what else is stored or saved.
        self._left_out: set[int] = set()
        self.errors = Errors() if envelope.errors is None else envelope.errors
        decoder = decoder_of(dimension.wire)
        self.writer = Writer(dimension.model, decoder.columns, repository)
        self.entries = EntryDecoder(dimension, decoder, envelope.operations, self.errors)
        self._reader = EntryReader(dimension, repository, envelope, self.entries, self.errors)
        self._references = (
            References(dimension, decoder, repository, unknown_reference) if envelope.save_mode == "STRICT" else None
        )

    @contextmanager
    def staging(self) -> Iterator[None]:
        """Stage what does not depend on what is stored, without a lock; what is staged is kept while the block runs."""
        with self.writer.staging():
            failures = self._envelope.failures
            self.errors.add(BEFORE_ALL, failures, len(failures) + self._envelope.unlisted)
            for operation in self._operations:
                self._stage(self._reader.independent(operation))
            yield

    def stage_dependent(self) -> None:
        """Stage the rest, and lock the elements that it depends on. Other bulk writers should have to wait by now."""
        for operation in self._operations:
            self._stage(self._reader.dependent(operation))

    def write(self, planned: Callable[[], None] = lambda: None, *, goes_on: bool = False) -> None:
        """Write what is new or changes something; `planned` is called in the same transaction before.

        Raises `Refused` with every error, and `OthersCreateTheSame` if others interfere each time; then nothing is
        written. If it `goes_on`, what has no errors is written nevertheless, so that the calling code can check the
        result before it refuses.
        """
        goes_on = goes_on or self.errors.leaves_out
        for _ in range(_ATTEMPTS):
            try:
                with transaction.atomic():
                    self._plan(goes_on=goes_on)
                    planned()
                    if not goes_on:
                        self.errors.refuse()
                    self.writer.write(Provenance(self._actor))
            except IntegrityError:
                continue  # another writer has just created one of the elements
            except OperationalError as error:
                if not is_worth_another_try(error):
                    raise
            else:
                return
        raise OthersCreateTheSame

    def write_answer(self, answer: IO[bytes]) -> None:
        """Write the elements to `answer` as a JSON array in their order, as they are by now (contract E3)."""
        starts = range(0, self._envelope.count, STORED_BATCH)
        texts = partial(read_texts, self._renderer)
        parts = (self.writer.written(start, start + STORED_BATCH, texts) for start in starts)
        for piece in json_array(pieces(chain.from_iterable(parts))):
            answer.write(piece)  # `writelines` would keep all of it in memory
        answer.flush()  # a full disk raises before anything is saved

    def _stage(self, batches: Iterable[Iterable[Entry | None]]) -> None:
        for batch in batches:
            entries: Iterable[Entry] = (entry for entry in batch if entry is not None)
            if self._references is not None:
                entries = list(entries)
                self._references.read(entries, self._data)
            self.writer.stage(entries)

    def _data(self, position: int) -> Any:
        """Return what was sent for the element at `position`; of a patch the changes; None if it cannot be read."""
        operation = operation_at(self._operations, position)
        element = operation.elements[position - operation.first]
        try:
            sent: Any = read_json(bytes(element.text if isinstance(element, Item) else element))
        except JsonError:
            return None
        return sent.get("data") if operation.name == "patch" and isinstance(sent, dict) else sent

    def _plan(self, *, goes_on: bool) -> None:
        """Plan the writes; if it `goes_on`, leave out what does not fit to what is stored."""
        self.writer.discard(list(self._left_out))
        while True:
            self.writer.plan()
            self._stage_again()
            misfits = self._add_misfits(sys.maxsize if goes_on else self.errors.limit)
            if not (misfits and goes_on):
                return
            # Others may have referred to them.
            self._left_out |= misfits
            self.writer.discard(list(misfits))

    def _stage_again(self) -> None:
        read_again: set[int] = set()
        while positions := self.writer.outdated() or self._unmerged(read_again):
            operation = operation_at(self._operations, positions[0])
            positions = [position for position in positions if position < operation.end]
            read_again.update(positions)
            self.writer.discard(positions)
            starts = range(0, len(positions), STORED_BATCH)
            self._stage(self._reader.again(operation, positions[start : start + STORED_BATCH]) for start in starts)
            self.writer.plan()

    def _unmerged(self, read_again: Container[int]) -> list[int]:
        """Return the positions in `merge` of elements that must be read again, beside what is stored by now.

        One that was `read_again` already may still clear a map.
        """
        _, _, merge, _ = self._operations
        if not merge.elements:
            return []
        found = self.writer.unmerged(merge.first, merge.end, [] if merge.is_partial else self._maps)
        return [position for position in found if position not in read_again]

    def _add_misfits(self, limit: int) -> set[int]:
        """Add the errors of elements that conflict with what is stored or with each other, whether or not they are
        valid by themselves, and are not left out yet; return their positions, of clashes the first up to the `limit`.
        """
        all_clashes, count = self.writer.clashes(limit)
        clashes = [clash for clash in all_clashes if clash.position not in self._left_out]
        count -= len(all_clashes) - len(clashes)
        found = {clash.position for clash in clashes}
        if self._references is not None:
            left_out = self.errors.positions | found if self.errors.leaves_out else ()
            unknown, unknown_count = self._references.unknown(self._path, self.errors.limit, left_out)
            self.errors.add_later(unknown, unknown_count)
            if self.errors.leaves_out:
                found.update(position for position, _ in unknown)
        self.errors.add_later(((clash.position, self._taken(clash)) for clash in clashes), count)
        return found

    def _taken(self, clash: Clash) -> Failure:
        name = self._dimension.model.unique_in_repository[clash.column]
        path = self.entries.place(clash.column, clash.position)
        message = already_there_message(name, shortened(clash.value))
        return Failure(path, "ALREADY_EXISTS", message, shortened(clash.element_id) or None)

    def _path(self, position: int, wire_path: str) -> str:
        pointer = pointer_in(self._data(position), wire_path.split("."), self._dimension.wire)
        return f"{operation_at(self._operations, position).pointer_of_data(position)}{pointer}"


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
