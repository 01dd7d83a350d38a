"""The errors of a request or a file with many elements, in the order of the elements, each counted.

In a bulk body, JSON Pointers lead to them (contract B1).
"""

import sys
from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from typing import Any

from rest_framework.exceptions import ValidationError

from bulkops.session.disk_lists import DiskList
from dimensions_site.api.errors import MAX_FAILURES, Failure, Problem, bad_request, flatten
from dimensions_site.api.failures import MAX_COUNTED, json_pointer, pointer_segments
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.text.formats import shortened

# The position of an error of the request or the file as a whole.
BEFORE_ALL = -1


class Refused(Problem):
    """The elements have errors, so none is saved: a 400 with the first of them (contract B1)."""

    def __init__(self, failures: Sequence[Failure], count: int) -> None:
        problem = bad_request(failures, count)
        super().__init__(400, problem.code, str(problem.detail), failures, failure_count=count)


class Errors:
    """Collects failures with the positions of their elements, in any order.

    With a `stack` all of them are stored in a temporary file, otherwise the first `MAX_FAILURES` in memory. If
    elements with errors are left out of what is saved (`leaves_out`), more than `MAX_COUNTED` are too many only if most
    of the elements read so far have errors. `place` turns the JSON Pointer of a failure into the name of its place in
    a file.
    """

    def __init__(
        self, stack: ExitStack | None = None, *, leaves_out: bool = False, place: Callable[[str], str] | None = None
    ) -> None:
        self._kept: list[Failure] | DiskList[Failure] = [] if stack is None else DiskList(stack, Failure)
        # The position of each stored failure.
        self._of = array("q")
        self._place = place
        # The position at which each unique value occurred first, by column and value.
        self._first: dict[tuple[str, str], int] = {}
        self.leaves_out = leaves_out
        # How many failures that are found after all elements were read can be stored.
        self.limit = MAX_FAILURES if stack is None else sys.maxsize
        # The positions of the elements that have errors.
        self.positions: set[int] = set()
        self.count = 0
        self.is_count_exact = True

    def __bool__(self) -> bool:
        return self.count > 0

    def placed(self, failure: Failure) -> Failure:
        """Return the failure, whose path is a JSON Pointer, with the path that clients and people know."""
        return failure if self._place is None else replace(failure, path=self._place(failure.path))

    def add(self, position: int, failures: Sequence[Failure], count: int | None = None) -> None:
        """Add errors of the element at `position`; `count` is their number if these are only the first.

        Raises `Refused` if there are more than are counted: finding all errors of a hopeless request would cost many
        times as much as a valid one (contract B1).
        """
        if not failures:
            return
        if self.count >= MAX_COUNTED and not (self.leaves_out and 2 * len(self.positions) <= position):
            self._refuse_rest()
        self.positions.add(position)
        self._keep(((position, failure) for failure in failures), len(failures) if count is None else count)
        if self.count > MAX_COUNTED and not self.leaves_out:
            self._refuse_rest()

    def add_later(self, failures: Iterable[tuple[int, Failure]], count: int) -> None:
        """Add what was found after all elements were read: the first failures by position, and the number of all.

        Their paths are JSON Pointers. Raises `Refused` as `add` does if all of them are stored.
        """
        placed = ((position, self.placed(failure)) for position, failure in failures)
        if isinstance(self._kept, list):
            self._keep(placed, count)
            return
        for position, failure in placed:
            self.add(position, [failure])

    def first_position(self, column: str, value: str, position: int | None = None) -> int | None:
        """Return the position at which a unique value occurred first; without one, `position`, if given, is it now."""
        if position is None:
            return self._first.get((column, value))
        return self._first.setdefault((column, value), position)

    def first(self) -> list[Failure]:
        """Return the first failures, up to the number that a response lists."""
        return [failure for _, failure in islice(self.in_order(), MAX_FAILURES)]

    def in_order(self) -> Iterator[tuple[int, Failure]]:
        """Yield the stored failures by the position of their elements, and for each element in the order of their
        adding.
        """
        for place in sorted(range(len(self._of)), key=self._of.__getitem__):
            yield self._of[place], self._kept[place]

    def refuse(self) -> None:
        if self:
            raise Refused(self.first(), self.count + (not self.is_count_exact))

    def _refuse_rest(self) -> None:
        self.is_count_exact = False
        self.refuse()

    def _keep(self, failures: Iterable[tuple[int, Failure]], count: int) -> None:
        for position, failure in failures:
            self._kept.append(failure)
            self._of.append(position)
        self.count += count
        if isinstance(self._kept, list) and len(self._kept) > 2 * MAX_FAILURES:
            first = list(islice(self.in_order(), MAX_FAILURES))
            self._kept = [failure for _, failure in first]
            self._of = array("q", (position for position, _ in first))


def failures_of(
    error: ValidationError, sent: Any, wire: Wire, pointer: str, id: object, without: Container[str] = ()
) -> list[Failure]:
    """Return the failures in `error`, which the serializer of `wire` raised for the JSON `sent` at `pointer`.

    Those with a code in `without` are left out.

    Each points at the spelling that was sent, or at the spelling of responses if none was. `id`, the element's, is part
    of each failure if it is a text.
    """
    shown_id = shortened(id) if isinstance(id, str) else None
    return [
        replace(failure, path=pointer + _pointer_of(failure, sent, wire), id=shown_id)
        for failure in flatten(error.detail, join=json_pointer)
        if failure.code not in without
    ]


def _pointer_of(failure: Failure, sent: Any, wire: Wire) -> str:
    path = pointer_segments(failure.path)
    return pointer_in(sent, path, wire, is_conflict=failure.code == "CONFLICTING_SPELLINGS")


def pointer_in(sent: Any, path: Sequence[str], wire: Wire, *, is_conflict: bool = False) -> str:
    """Return the pointer to the member at the canonical `path` in the JSON `sent`, in the spelling that was sent.

    Of two conflicting spellings it is the second.
    """
    spellings = wire.spellings.spellings_of(path)
    if is_conflict:
        spellings.reverse()
    result = ""
    for segment in next((spelling for spelling in spellings if _stands(spelling, sent)), _up_to_value(path, sent)):
        result = json_pointer(result, segment)
    return result


def _stands(path: Sequence[str], sent: Any) -> bool:
    for segment in path:
        if not isinstance(sent, dict) or segment not in sent:
            return False
        sent = sent[segment]
    return True


def _up_to_value(path: Sequence[str], sent: Any) -> Sequence[str]:
    """Return `path` up to a value that was sent in place of an object, such as a text in `descriptions`."""
    for length, segment in enumerate(path):
        if sent is None:
            break
        if not isinstance(sent, dict):
            return path[:length]
        sent = sent.get(segment)
    return path
