"""Bulk save: all elements of a body or none (contract E1, E2, E4)."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import IO, Any

from django.db import transaction

from bulkops.entries import EntryReader, Operation
from bulkops.envelope import Envelope
from bulkops.faults import Faults
from bulkops.references import References
from bulkops.writers.attempts import OthersCreateTheSame, plan_beside_others, write_planned
from bulkops.writers.choice import writer_for
from bulkops.writers.entry import Clash, Entry
from dimensions_site.api.errors import MAX_FAILURES, Failure, Problem
from dimensions_site.api.json_reader import JsonError, read_json
from dimensions_site.api.problems import shortened
from dimensions_site.api.rendering import json_array
from dimensions_site.elements.actors import Actor
from dimensions_site.elements.decoding import RowDecoder
from dimensions_site.elements.locking import writing_many
from dimensions_site.elements.models import Element
from dimensions_site.elements.pointers import pointer_in
from dimensions_site.elements.rendering import full_renderer
from dimensions_site.elements.saving import already_there_message
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.models import Repository

# The position of what is wrong with a body as a whole.
_BEFORE_ALL = -1
_UNKNOWN_REFERENCE = (
    "{path} refers to the {dimension} '{id}', which is neither in the repository nor in this request; name one that "
    "is, or save with saveMode LOOSE."
)
# Elements of the answer that are read together.
_ANSWERED_TOGETHER = 1_000


class BulkSave:
    """Saves one body into one `dimension` (`model`, `wire`) of a repository, in the name of `actor`; used once."""

    def __init__(self, model: type[Element], wire: Wire, dimension: str, repository: Repository, actor: Actor) -> None:
        self._model = model
        self._wire = wire
        self._repository = repository
        self._actor = actor
        self._faults = Faults()
        self._decoder = RowDecoder(wire, repository)
        self._writer = writer_for(model, self._decoder.columns, repository)
        self._reader = EntryReader(model, wire, repository, self._decoder, self._faults)
        self._references = References(wire, self._decoder, dimension, repository, _UNKNOWN_REFERENCE)
        self._renderer = full_renderer(wire, repository.default_language)

    def run(self, envelope: Envelope, *, dry_run: bool = False, answer: IO[bytes] | None = None) -> None:
        """Save what `envelope` holds, in the order post, put, patch, in one transaction; with `dry_run` undo it then.

        The saved elements are written to `answer` as a JSON array, as they are in that transaction. Raises `Problem`
        400 with every fault of the body, and saves nothing then.
        """
        self._faults.add(_BEFORE_ALL, envelope.failures)
        self._operations = _operations(envelope)
        post, put, patch = self._operations
        is_strict = envelope.save_mode == "STRICT"
        with self._writer.staging():
            for operation in (post, put):
                self._stage(self._reader.whole(operation), is_strict=is_strict)
            # From here on other writers of many have to wait: patches depend on what is stored.
            with writing_many(self._repository):
                self._stage(self._reader.patches(patch), is_strict=is_strict)
                if is_strict:
                    self._faults.add_later(*self._references.unknown(self._path))
                self._write()
                if answer is not None:
                    self._write_answer(answer)
                if dry_run:
                    transaction.set_rollback(True)

    def _stage(self, batches: Iterable[Iterable[Entry]], *, is_strict: bool) -> None:
        for entries in batches:
            if is_strict:
                known = list(entries)
                self._references.read(known, self._sent)
                self._writer.stage(known)
            else:
                self._writer.stage(entries)

    def _sent(self, position: int) -> Any:
        """What was sent for the element at `position`: of a patch the changes; None when it cannot be read."""
        operation = self._operation(position)
        try:
            sent: Any = read_json(bytes(operation.elements[position - operation.first]))
        except JsonError:
            return None
        return sent.get("data") if operation.name == "patch" and isinstance(sent, dict) else sent

    def _write(self) -> None:
        try:
            write_planned(self._writer, self._plan, self._actor)
        except OthersCreateTheSame:
            detail = "Other callers create elements of the same ids all the time. Nothing was saved; try again."
            raise Problem(503, "CONFLICT", detail, headers={"Retry-After": "5"}) from None

    def _plan(self) -> None:
        plan_beside_others(self._writer, self._writer.outdated, self._again)
        clashes, count = self._writer.clashes(MAX_FAILURES)
        self._faults.add_later(((clash.position, self._failure(clash)) for clash in clashes), count)
        self._faults.refuse()

    def _again(self, positions: Sequence[int]) -> list[Entry]:
        return self._reader.again(self._operation(positions[0]), positions)

    def _failure(self, clash: Clash) -> Failure:
        name = self._model.unique_in_repository[clash.column]
        path = f"{self._pointer(clash.position)}/{name}"
        message = already_there_message(name, shortened(clash.value))
        return Failure(path, "ALREADY_EXISTS", message, shortened(clash.element_id))

    def _pointer(self, position: int) -> str:
        return self._operation(position).pointer(position)

    def _path(self, position: int, wire_path: str) -> str:
        """The JSON Pointer of a field of the element at `position`."""
        operation = self._operation(position)
        data = "/data" if operation.name == "patch" else ""
        return (
            f"{operation.pointer(position)}{data}{pointer_in(self._sent(position), wire_path.split('.'), self._wire)}"
        )

    def _operation(self, position: int) -> Operation:
        return next(operation for operation in reversed(self._operations) if operation.first <= position)

    def _write_answer(self, answer: IO[bytes]) -> None:
        *_, last = self._operations
        end = last.first + len(last.elements)
        parts = (
            self._writer.written(start, start + _ANSWERED_TOGETHER, self._renderer.each)
            for start in range(0, end, _ANSWERED_TOGETHER)
        )
        for piece in json_array(chain.from_iterable(parts), _ANSWERED_TOGETHER):
            answer.write(piece)  # `writelines` would keep all of it in memory
        answer.flush()  # what finds no room on the disk fails before anything is saved


def _operations(envelope: Envelope) -> list[Operation]:
    operations: list[Operation] = []
    first = 0
    for name, elements in (("post", envelope.post), ("put", envelope.put), ("patch", envelope.patch)):
        operations.append(Operation(name, elements, first))
        first += len(elements)
    return operations
