"""The errors of a request or a file with many elements, in the order of the elements, each counted."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import IO, Generic, TypeVar

from bulkops.writers.disk_lists import DiskList
from dimensions_site.api.errors import MAX_FAILURES, Failure, bad_request
from dimensions_site.api.failures import MAX_COUNTED

# The position of an error of the request or the file as a whole.
BEFORE_ALL = -1

F = TypeVar("F")


class TooManyErrors(Exception):
    """There are more errors than are counted, so nothing more is read.

    Finding all errors of a hopeless request would cost many times as much as a valid one (contract B1).
    """


class Errors(Generic[F]):
    """Collects failures with the positions of their elements, in any order.

    With an empty temporary `file` all of them are stored there, otherwise the first `MAX_FAILURES` in memory. If
    elements with errors are left out of what is saved (`leaves_out`), more than `MAX_COUNTED` are too many only if most
    of the elements read so far have errors.
    """

    def __init__(self, file: IO[bytes] | None = None, *, leaves_out: bool = False) -> None:
        self._kept: list[F] | DiskList[F] = [] if file is None else DiskList[F](file)
        # The position of each stored failure.
        self._of = array("q")
        self._leaves_out = leaves_out
        # The positions of the elements that have errors.
        self.positions: set[int] = set()
        self.count = 0
        self.is_count_exact = True

    def __bool__(self) -> bool:
        return self.count > 0

    def add(self, position: int, failures: Sequence[F], count: int | None = None) -> None:
        """Add errors of the element at `position`; `count` is their number if these are only the first.

        Raises `TooManyErrors`.
        """
        if not failures:
            return
        if self.count >= MAX_COUNTED and not (self._leaves_out and 2 * len(self.positions) <= position):
            self.is_count_exact = False
            raise TooManyErrors
        self.positions.add(position)
        self.add_later(((position, failure) for failure in failures), len(failures) if count is None else count)
        if self.count > MAX_COUNTED and not self._leaves_out:
            raise TooManyErrors

    def add_later(self, failures: Iterable[tuple[int, F]], count: int) -> None:
        """Add what was found after all elements were read: the first failures by position, and the number of all."""
        for position, failure in failures:
            self._kept.append(failure)
            self._of.append(position)
        self.count += count
        if isinstance(self._kept, list) and len(self._kept) > 2 * MAX_FAILURES:
            first = list(islice(self.in_order(), MAX_FAILURES))
            self._kept = [failure for _, failure in first]
            self._of = array("q", (position for position, _ in first))

    def first(self) -> list[F]:
        """Return the first failures, up to the number that a response lists."""
        return [failure for _, failure in islice(self.in_order(), MAX_FAILURES)]

    def in_order(self) -> Iterator[tuple[int, F]]:
        """Yield the stored failures by the position of their elements, and for each element in the order of their
        adding.
        """
        for place in sorted(range(len(self._of)), key=self._of.__getitem__):
            yield self._of[place], self._kept[place]

    def refuse(self: "Errors[Failure]") -> None:
        """Raise `Problem` 400 with the report if there are errors."""
        if self:
            raise bad_request(self.first(), self.count + (not self.is_count_exact))
