"""Bulk save: all elements of a body or none (contract E1, E2, E4)."""

from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import IO, Any

from django.db import transaction

from bulkops.save.entries import EntryReader
from bulkops.save.envelope import Envelope, Operation
from bulkops.writers.attempts import OthersCreateTheSame, attempts, restage, writer_for
from bulkops.writers.entries import Clash, Entry
from bulkops.writers.errors import BEFORE_ALL, Errors, TooManyErrors
from bulkops.writers.references import References
from dimensions_site.api.errors import MAX_FAILURES, Failure, Problem
from dimensions_site.api.json.reader import JsonError, read_json
from dimensions_site.api.rendering import json_array, pieces
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.rest.pointers import pointer_in
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.elements.writing.decoding import RowDecoder
from dimensions_site.elements.writing.saving import already_there_message
from dimensions_site.elements.writing.turns import refuse_when_crowded, writing_in_turn
from dimensions_site.repositories.models import Repository
from dimensions_site.text.shortening import shortened

_UNKNOWN_REFERENCE = (
    "{path} refers to the {dimension} '{id}', which is neither in the repository nor in this request; name one that "
    "is, or save with saveMode LOOSE."
)
# Elements of the response that are read together: this many of the largest take 50 MB.
_ANSWERED_TOGETHER = 200


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
        self._references = References(dimension, self._decoder, repository, _UNKNOWN_REFERENCE)
        self._renderer = full_renderer(dimension, repository.default_language)

    def run(self, envelope: Envelope, *, dry_run: bool = False, answer: IO[bytes] | None = None) -> None:
        """Save the elements of `envelope`, in the order post, put, patch, in one transaction; roll it back if
        `dry_run`.

        The saved elements are written to `answer` as a JSON array, as they are in that transaction. Raises `Problem`
        400 with every error of the body, or 503 if others write for too long; then nothing is saved.
        """
        refuse_when_crowded(self._repository)
        self._operations = envelope.operations
        try:
            self._errors.add(BEFORE_ALL, envelope.failures)
            self._save(is_strict=envelope.save_mode == "STRICT", dry_run=dry_run, answer=answer)
        except TooManyErrors:
            self._errors.refuse()

    def _save(self, *, is_strict: bool, dry_run: bool, answer: IO[bytes] | None) -> None:
        post, put, patch = self._operations
        with self._writer.staging():
            for operation in (post, put):
                self._stage(self._reader.whole(operation), is_strict=is_strict)
            # From here on other bulk writers have to wait, because patches depend on what is stored.
            with writing_in_turn(self._repository):
                self._stage(self._reader.patches(patch), is_strict=is_strict)
                if is_strict:
                    self._errors.add_later(*self._references.unknown(self._path))
                self._write()
                if answer is not None:
                    self._write_answer(answer)
                if dry_run:
                    transaction.set_rollback(True)

    def _stage(self, batches: Iterable[Iterable[Entry]], *, is_strict: bool) -> None:
        for entries in batches:
            if is_strict:
                entries = list(entries)
                self._references.read(entries, self._sent)
            self._writer.stage(entries)

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
            detail = "Other clients keep creating elements with the same ids. Nothing was saved; try again."
            raise Problem(503, "CONFLICT", detail, headers={"Retry-After": "5"}) from None

    def _plan(self) -> None:
        self._writer.plan()
        while positions := self._writer.outdated():
            restage(self._writer, positions, partial(self._reader.again, self._operation(positions[0])))
        clashes, count = self._writer.clashes(MAX_FAILURES)
        self._errors.add_later(((clash.position, self._failure(clash)) for clash in clashes), count)
        self._errors.refuse()

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

    def _write_answer(self, answer: IO[bytes]) -> None:
        *_, last = self._operations
        end = last.first + len(last.elements)
        parts = (
            self._writer.written(start, start + _ANSWERED_TOGETHER, self._renderer.each)
            for start in range(0, end, _ANSWERED_TOGETHER)
        )
        for piece in json_array(pieces(chain.from_iterable(parts))):
            answer.write(piece)  # `writelines` would keep all of it in memory
        answer.flush()  # a full disk raises before anything is saved
