"""Whether referenced elements exist, as the save mode STRICT requires (contract E2)."""

from array import array
from collections.abc import Callable, Container, Iterator, Sequence, Set
from heapq import nsmallest
from itertools import islice
from typing import Any

import orjson
from django_stubs_ext import StrOrPromise

from bulkops.session.writer import Entry
from dimensions_site.api.errors import Failure
from dimensions_site.elements.dimension import Dimension, dimension_named
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.writing.decoding import RowDecoder
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import shortened

# The dimension and the id of a referenced element.
TargetKey = tuple[str, str]


class References:
    """Looks for referenced elements in `repository` and among the elements that are saved.

    The saved elements belong to the `dimension`. `message` describes a missing one, with its {dimension} and {id}, and
    the {path} of the field that refers to it.
    """

    def __init__(
        self, dimension: Dimension, decoder: RowDecoder, repository: Repository, message: StrOrPromise
    ) -> None:
        self._places = [
            (place, decoder.columns.index(place.column), str(place.leaf.refers_to))
            for place in dimension.wire.references
        ]
        self._spellings = dimension.wire.spellings
        self._name = dimension.name
        self._repository = repository
        self._message = message
        # The ids of the body's elements by position.
        self._ids: dict[int, str] = {}
        # The references to each target, position and field in one number: a large body has millions of them.
        self._mentions: dict[TargetKey, array[int]] = {}
        self._reported: set[TargetKey] = set()

    def read(self, entries: Sequence[Entry], sent: Callable[[int], Any]) -> None:
        """Record the ids of `entries` and their references; an entry may be read again.

        `sent` returns what was sent for the entry at a position: entries with another error have no row.
        """
        for entry in entries:
            is_read_again = entry.position in self._ids
            self._ids[entry.position] = entry.element_id
            targets = self._targets_sent(sent(entry.position)) if entry.values is None else self._targets(entry.values)
            for target, field in targets:
                if target not in self._mentions:
                    self._mentions[target] = array("q")
                mention = entry.position * len(self._places) + field
                if not (is_read_again and mention in self._mentions[target]):
                    self._mentions[target].append(mention)

    def unknown(
        self, failure_path: Callable[[int, str], str], limit: int, left_out: Container[int]
    ) -> tuple[list[tuple[int, Failure]], int]:
        """Return the first failures, by position, of references to elements neither stored nor read, and the number of
        all.

        Call it when no other bulk writer can write between this call and the save; called again, it returns what has
        become unknown since. `failure_path` returns the path of a failure from the position of its element and the wire
        path of its field. The entries at the positions `left_out` are not saved.
        """
        saved = {(self._name, id) for position, id in self._ids.items() if position not in left_out}
        outside = self._mentions.keys() - saved - self._reported
        missing = outside - self._stored(outside)
        self._reported |= missing
        mentions = ((mention, target) for target in missing for mention in self._mentions[target])
        failures = []
        for mention, target in nsmallest(limit, mentions):
            position, field = divmod(mention, len(self._places))
            path = self._places[field][0].path
            failure = Failure(
                failure_path(position, path),
                "UNKNOWN_REFERENCE",
                self._described(path, target),
                shortened(self._ids[position]) or None,
            )
            failures.append((position, failure))
        return failures, sum(len(self._mentions[target]) for target in missing)

    def _targets(self, values: Sequence[Any]) -> Iterator[tuple[TargetKey, int]]:
        bundles: dict[int, Any] = {}
        for field, (place, column, dimension) in enumerate(self._places):
            value = values[column]
            if place.inside and value is not None:
                value = bundles.get(column) or bundles.setdefault(column, orjson.loads(value))
                for name in place.inside:
                    value = value and value[name]
            if value is not None:
                yield (dimension, value), field

    def _targets_sent(self, sent: Any) -> Iterator[tuple[TargetKey, int]]:
        canonical, _ = self._spellings.canonical(sent if isinstance(sent, dict) else {}, {})
        for field, (place, _, dimension) in enumerate(self._places):
            value: Any = canonical
            for name in place.path.split("."):
                value = value.get(name) if isinstance(value, dict) else None
            if isinstance(value, str):
                yield (dimension, value), field

    def _stored(self, targets: Set[TargetKey]) -> set[TargetKey]:
        stored: set[TargetKey] = set()
        for dimension in {dimension for dimension, _ in targets}:
            model = dimension_named(dimension).model
            ids = iter([id for of, id in targets if of == dimension])
            while part := list(islice(ids, 1_000)):
                found = with_ids(model, self._repository, part).values_list("element_id", flat=True)
                stored.update((dimension, id) for id in found)
        return stored

    def _described(self, path: str, target: TargetKey) -> str:
        dimension, id = target
        return self._message.format(path=path, dimension=dimension_named(dimension).verbose_name, id=shortened(id))
