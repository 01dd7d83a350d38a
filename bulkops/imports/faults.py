"""Every fault of a file of elements, in the order of its rows, however many there are."""

from array import array
from collections.abc import Iterator
from itertools import islice
from typing import IO

from bulkops.formats.rows import RowFailure
from bulkops.imports.shelf import Shelf
from dimensions_site.api.errors import MAX_FAILURES, Failure

# The position of what is wrong with the headings.
BEFORE_ALL = -1


class RowFaults:
    """Collects failures with the positions of their rows, in any order, in the empty temporary `file`."""

    def __init__(self, file: IO[bytes]) -> None:
        self._failures = Shelf[RowFailure](file)
        self._positions = array("q")

    def __len__(self) -> int:
        return len(self._failures)

    @property
    def positions(self) -> set[int]:
        """The positions of the rows that have a fault."""
        return set(self._positions)

    def add(self, position: int, line: int, failure: Failure) -> None:
        """Add what is wrong with the row at `position`, which stands on `line`."""
        self._failures.append(RowFailure(line, failure))
        self._positions.append(position)

    def first(self) -> list[RowFailure]:
        """The first failures, as many as people are told."""
        return [failure for _, failure in islice(self.in_order(), MAX_FAILURES)]

    def in_order(self) -> Iterator[tuple[int, RowFailure]]:
        """All failures by the position of their rows, those of one row in the order in which they were added."""
        for place in sorted(range(len(self)), key=self._positions.__getitem__):
            yield self._positions[place], self._failures[place]
