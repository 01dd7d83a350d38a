"""All elements as they were sent, batch by batch: which are read when, and beside what is stored (contract E1)."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice, repeat

from bulkops.session.decoding import EntryDecoder, SentElement
from bulkops.session.disk_lists import DiskList
from bulkops.session.errors import Errors
from bulkops.session.items import Envelope, Item, Operation, Sent
from bulkops.session.patches import read_patch, too_long
from bulkops.session.writer import Entry
from dimensions_site.elements.declaration.fields import ElementContext
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Element
from dimensions_site.elements.reading.lookup import with_ids, with_primary_keys
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.reading.statements import read_texts
from dimensions_site.repositories.models import Repository

# How many elements are read together, and looked up if necessary.
BATCH = 1_000
# The same when stored elements are read, or what was sent is on disk: this many of the largest take 50 MB.
STORED_BATCH = 200


class EntryReader:
    """Reads the elements of an `envelope` into the entries that `entries` makes of them; adds its own failures, too."""

    def __init__(
        self, dimension: Dimension, repository: Repository, envelope: Envelope, entries: EntryDecoder, errors: Errors
    ) -> None:
        self._model = dimension.model
        self._unique = tuple(dimension.model.unique_in_repository)
        self._repository = repository
        self._progress = envelope.progress
        self._entries = entries
        self._errors = errors
        self._renderer = full_renderer(dimension, repository.default_language)
        # That of an element beside which nothing is stored.
        self._new = ElementContext(repository.default_language)
        # The positions in `merge` of the elements that depend on what is stored, as far as it is known yet.
        self._incomplete: array[int] = array("q")

    def independent(self, operation: Operation) -> Iterator[Iterable[Entry | None]]:
        """Yield the entries that do not depend on what is stored, batch by batch; nothing is locked.

        Those of `post` and `put` are read without a query within a batch. Of a `merge` they are the elements with all
        members: they are replaced, if no stored map has further entries (contract K1).
        """
        if operation.name == "patch" or (operation.name == "merge" and operation.is_partial):
            return
        doubtful: list[int] = []
        read: Callable[[SentElement, ElementContext], Entry | None] = self._entries.whole
        if operation.name == "put":
            read = partial(self._entries.whole, doubtful=doubtful)
        elif operation.name == "merge":
            read = partial(self._entries.complete, incomplete=self._incomplete)
        size = STORED_BATCH if isinstance(operation.elements, DiskList) else BATCH
        for batch in self._batches(operation, size):
            yield map(read, batch, self._contexts(operation, batch))
            for start in range(0, len(doubtful), STORED_BATCH):
                yield self.again(operation, doubtful[start : start + STORED_BATCH])
            doubtful.clear()

    def dependent(self, operation: Operation) -> Iterator[Iterable[Entry | None]]:
        """Yield the other entries, batch by batch; locks the elements, as all bulk writers do.

        Call it for an operation after `independent`.
        """
        if operation.name == "patch" or (operation.name == "merge" and operation.is_partial):
            for batch in self._batches(operation, STORED_BATCH):
                yield self._beside_stored(operation, batch)
        elif operation.name == "merge":
            for start in range(0, len(self._incomplete), STORED_BATCH):
                self._progress(self._incomplete[start])
                yield self.again(operation, self._incomplete[start : start + STORED_BATCH])

    def again(self, operation: Operation, positions: Sequence[int]) -> list[Entry | None]:
        """Return the entries of `put` or `merge` at `positions`, read beside what is stored by now; at most
        `STORED_BATCH`.
        """
        elements = ((each, operation.elements[each - operation.first]) for each in positions)
        return self._beside_stored(operation, self._readable(operation, elements))

    def _beside_stored(self, operation: Operation, batch: Sequence[SentElement]) -> list[Entry | None]:
        ids = [sent.id for sent in batch]
        stored = self._stored(ids, locked=operation.name != "put")
        contexts = [stored.get(str(id), self._new) for id in ids]
        return [
            self._entries.merged(sent, context)
            if operation.name == "patch" or (operation.name == "merge" and context.existing)
            else self._entries.whole(sent, context)
            for sent, context in zip(batch, contexts, strict=True)
        ]

    def _batches(self, operation: Operation, size: int) -> Iterator[list[SentElement]]:
        elements = enumerate(operation.elements, operation.first)
        while batch := list(islice(elements, size)):
            self._progress(batch[0][0])
            yield self._readable(operation, batch)

    def _readable(self, operation: Operation, elements: Iterable[tuple[int, Sent]]) -> list[SentElement]:
        """Return those of the `elements`, with their positions, that can be read; of the others, add the errors."""
        batch: list[SentElement] = []
        for position, element in elements:
            item = element if isinstance(element, Item) else Item(element)
            if not item.is_checkable:
                continue
            pointer, has_errors = operation.pointer(position), position in self._errors.positions
            if failure := too_long(item.text, pointer):
                self._entries.add(position, [failure])
            elif operation.name != "patch":
                batch.append(SentElement(operation, position, item, has_errors))
            elif (patch := read_patch(item.text, pointer)).data:
                failures = list(patch.failures)
                batch.append(SentElement(operation, position, Item(patch.data), has_errors, patch.id, failures))
            else:
                self._entries.add(position, patch.failures, patch.failure_count)
        return batch

    def _contexts(self, operation: Operation, batch: Sequence[SentElement]) -> Iterable[ElementContext]:
        """Return the context of each element in the `batch`: the stored one, if its declaration needs more than the
        id.
        """
        if operation.name == "post" or len(self._unique) == 1:
            return repeat(self._new)
        ids = [sent.id for sent in batch]
        stored = {each.element_id: each for each in with_ids(self._model, self._repository, ids).only(*self._unique)}
        return [self._new._replace(existing=stored.get(str(id))) for id in ids]

    def _stored(self, ids: Iterable[object], *, locked: bool) -> dict[str, ElementContext]:
        """Return the stored elements with one of `ids` and their JSON, by their ids.

        If `locked`, they are locked until the transaction ends, in the order of their ids, as by all bulk writers.
        """
        rows = with_ids(self._model, self._repository, ids).order_by("element_id").only(*self._unique)
        elements: list[Element] = list(rows.select_for_update(no_key=True) if locked else rows)
        # None that another writer has created since.
        same = with_primary_keys(self._model, self._repository, [element.pk for element in elements]).order_by(
            "element_id"
        )
        texts = read_texts(self._renderer, same)
        return {
            element.element_id: self._new._replace(existing=element, stored=text)
            for element, text in zip(elements, texts, strict=True)
        }
