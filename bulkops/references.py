"""Whether the elements that others refer to exist: what the save mode STRICT asks (contract E2)."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from heapq import nsmallest
from itertools import islice
from typing import Any

import orjson
from django.apps import apps
from django_stubs_ext import StrOrPromise

from bulkops.writers.entry import Entry
from dimensions_site.api.errors import MAX_FAILURES, Failure
from dimensions_site.api.problems import shortened
from dimensions_site.elements.decoding import RowDecoder
from dimensions_site.elements.lookup import with_ids
from dimensions_site.elements.models import Element
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.models import Dimension, Repository

# The dimension and the id of an element that is referred to.
Target = tuple[str, str]


class References:
    """Looks in `repository`, and in what is saved itself, for the elements that what is saved refers to.

    What is saved are elements of the `dimension`. `message` tells of one that is nowhere, with its {dimension} and
    {id}, and the {path} of the field that refers to it.
    """

    def __init__(
        self, wire: Wire, decoder: RowDecoder, dimension: str, repository: Repository, message: StrOrPromise
    ) -> None:
        self._places = [
            (place, decoder.columns.index(place.column), place.leaf.refers_to)
            for place in wire.places.values()
            if place.leaf.refers_to is not None
        ]
        self._spellings = wire.spellings
        self._dimension = dimension
        self._repository = repository
        self._message = message
        # The ids of the body's elements by position.
        self._ids: dict[int, str] = {}
        # Where each target stands, position and field in one number: a large body refers millions of times.
        self._mentions: dict[Target, array[int]] = {}
        self._left_out: set[int] = set()
        self._told: set[Target] = set()

    def read(self, entries: Sequence[Entry], sent: Callable[[int], Any]) -> None:
        """Take note of what `entries` are and of what they refer to.

        `sent` gives what was sent for the entry at a position: of those with another fault, no row tells.
        """
        for entry in entries:
            self._ids[entry.position] = entry.element_id
            targets = self._targets_sent(sent(entry.position)) if entry.values is None else self._targets(entry.values)
            for target, field in targets:
                if target not in self._mentions:
                    self._mentions[target] = array("q")
                self._mentions[target].append(entry.position * len(self._places) + field)

    def leave_out(self, positions: Iterable[int]) -> None:
        """Do not take the entries at `positions` for saved."""
        self._left_out.update(positions)

    def unknown(
        self, failure_path: Callable[[int, str], str], limit: int = MAX_FAILURES
    ) -> tuple[list[tuple[int, Failure]], int]:
        """The first failures, by position, of references to nothing that is stored or was read, and the number of all.

        To be called when no other writer of many can come between the answer and the save; called again, it tells what
        has become unknown since. `failure_path` gives the path of a failure from the position of its element and the
        wire path of its field.
        """
        saved = {(self._dimension, id) for position, id in self._ids.items() if position not in self._left_out}
        outside = self._mentions.keys() - saved - self._told
        missing = outside - self._stored(outside)
        self._told |= missing
        mentions = ((mention, target) for target in missing for mention in self._mentions[target])
        failures = []
        for mention, target in nsmallest(limit, mentions):
            position, field = divmod(mention, len(self._places))
            path = self._places[field][0].path
            failure = Failure(
                failure_path(position, path),
                "UNKNOWN_REFERENCE",
                self._told_of(path, target),
                shortened(self._ids[position]),
            )
            failures.append((position, failure))
        return failures, sum(len(self._mentions[target]) for target in missing)

    def _targets(self, values: Sequence[Any]) -> Iterator[tuple[Target, int]]:
        bundles: dict[int, Any] = {}
        for field, (place, column, dimension) in enumerate(self._places):
            value = values[column]
            if place.inside and value is not None:
                value = bundles.get(column) or bundles.setdefault(column, orjson.loads(value))
                for name in place.inside:
                    value = value and value[name]
            if value is not None:
                yield (dimension, value), field

    def _targets_sent(self, sent: Any) -> Iterator[tuple[Target, int]]:
        canonical, _ = self._spellings.canonical(sent if isinstance(sent, dict) else {})
        for field, (place, _, dimension) in enumerate(self._places):
            value: Any = canonical
            for name in place.path.split("."):
                value = value.get(name) if isinstance(value, dict) else None
            if isinstance(value, str):
                yield (dimension, value), field

    def _stored(self, targets: Set[Target]) -> set[Target]:
        stored: set[Target] = set()
        for dimension in {dimension for dimension, _ in targets}:
            model: type[Element] = apps.get_model(dimension, dimension)
            ids = iter([id for of, id in targets if of == dimension and "\0" not in id])
            while part := list(islice(ids, 1_000)):
                found = with_ids(model, self._repository, part).values_list("element_id", flat=True)
                stored.update((dimension, id) for id in found)
        return stored

    def _told_of(self, path: str, target: Target) -> str:
        dimension, id = target
        return self._message.format(path=path, dimension=Dimension(dimension).label, id=shortened(id))
