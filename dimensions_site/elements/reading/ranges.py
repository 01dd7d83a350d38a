"""A chart as a tree of its ids, level by level: an account is above those whose ids begin with its own.

Of a range, the account with only zeros after the beginning of all ids is the heading, such as 1400 of 1400 to 1460;
without one, the beginning is. A level costs two queries, however many accounts there are below it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet
from django.db.models.functions import Substr

# From as many members on, a range is a node that is opened on demand; fewer are shown at once.
RANGE_FROM = 5
SHOWN_NODES = 200
# So many elements are shown with all levels opened.
OPENED_ELEMENTS = 2000
_LAST_CHARACTER = "\U0010ffff"


@dataclass
class RangeNode:
    """An element, or a range of at least `RANGE_FROM` without a heading, of which `ends` are the first and the last.

    Below it are `number` elements; the ids are from `first` to `last`, its own included. A small number is in `below`.
    """

    beginning: str
    element: Any = None
    number: int = 0
    first: str = ""
    last: str = ""
    below: list["RangeNode"] = field(default_factory=list)
    ends: tuple[Any, ...] = ()

    @property
    def has_heading(self) -> bool:
        """Whether its first element is the heading of the others: the beginning itself, or with zeros after it."""
        rest = self.first[len(self.beginning) :]
        return not rest or (rest.endswith("0") and not rest.strip("0./-_ "))

    @property
    def title(self) -> str:
        """The beginning without separators at its end, such as `A` for `A.`."""
        return self.beginning.rstrip("./-_ ") or self.beginning

    @property
    def is_closed(self) -> bool:
        """Whether what is below is still to be read, with `level`."""
        return self.number > 0 and not self.below


@dataclass(frozen=True)
class Level:
    """The nodes below a beginning, the number of all elements below it, and whether there are more nodes."""

    nodes: list[RangeNode]
    number: int
    has_more: bool


def level(elements: QuerySet[Any], beginning: str, columns: Sequence[str], heading: str = "") -> Level:
    """Return what is directly below the id or common `beginning`, without its `heading`, with these `columns`."""
    below = _below(elements, beginning, heading)
    letter = below.annotate(letter=Substr("element_id", 1, len(beginning) + 1))
    groups = letter.order_by("letter").values("letter").annotate(
        number=Count("*"), first=Min("element_id"), last=Max("element_id")
    )  # fmt: skip
    found = [_range(**group) for group in groups[: SHOWN_NODES + 1]]
    if len(found) == 1 and found[0].first != found[0].beginning and found[0].number >= RANGE_FROM:
        # Nobody opens the only range.
        return level(elements, found[0].beginning, columns, heading)
    shown = found[:SHOWN_NODES]
    small = [one.first[: len(beginning) + 1] for one in shown if one.number < RANGE_FROM]
    named = [id for one in shown if one.number >= RANGE_FROM for id in (one.first, one.last)]
    rows = letter.filter(Q(letter__in=small) | Q(element_id__in=named)).order_by("element_id").only(*columns)
    known = {row.element_id: row for row in rows}
    nodes = [node for one in shown for node in _nodes(one, known)]
    return Level(nodes, sum(one.number for one in shown), len(found) > SHOWN_NODES)


def opened_level(elements: QuerySet[Any], beginning: str, columns: Sequence[str], heading: str = "") -> Level | None:
    """Return `level` with all levels below it, in one query; None if there are more than `OPENED_ELEMENTS`."""
    rows = list(_below(elements, beginning, heading).order_by("element_id").only(*columns)[: OPENED_ELEMENTS + 1])
    return None if len(rows) > OPENED_ELEMENTS else Level(list(_opened(rows, beginning)), len(rows), False)


def _below(elements: QuerySet[Any], beginning: str, heading: str) -> QuerySet[Any]:
    below = elements.filter(element_id__gt=beginning, element_id__lt=beginning + _LAST_CHARACTER)
    return below.exclude(element_id=heading) if heading else below


def _opened(rows: Iterable[Any], beginning: str) -> Iterator[RangeNode]:
    for letter, group in groupby(rows, key=lambda row: row.element_id[: len(beginning) + 1]):
        known = {row.element_id: row for row in group}
        ids = list(known)
        for node in _nodes(_range(letter, len(ids), ids[0], ids[-1]), known):
            if node.is_closed:
                node.below = list(_opened((row for row in known.values() if row is not node.element), node.beginning))
            yield node


def _range(letter: str, number: int, first: str, last: str) -> RangeNode:
    differing = (position for position, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1])
    # All ids between two begin as both of them do.
    return RangeNode(first[: next(differing, len(first))], number=number, first=first, last=last)


def _nodes(one: RangeNode, known: dict[str, Any]) -> Iterator[RangeNode]:
    """Yield the node of a large range, or the elements of a small one below each other."""
    if one.number >= RANGE_FROM:
        one.element = known.get(one.first) if one.has_heading else None
        one.number -= one.element is not None
        one.ends = () if one.element else tuple(known[id] for id in (one.first, one.last) if id in known)
        yield one
        return
    above: list[RangeNode] = []
    for id, element in known.items():
        if not one.first <= id <= one.last:
            continue
        node = RangeNode(id, element, first=id)
        while above and not id.startswith(above[-1].beginning):
            above.pop()
        for heading in above:
            heading.number, heading.last = heading.number + 1, id
        if above:
            above[-1].below.append(node)
        else:
            yield node
        above.append(node)
