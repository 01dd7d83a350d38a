"""Every fault of a request with many elements: in the order of the request, the first ones listed, all counted."""

from collections.abc import Iterable, Sequence
from heapq import merge

from dimensions_site.api.errors import MAX_FAILURES, Failure, bad_request


class Faults:
    """Collects failures with the positions of their elements; keeps no more than are listed (contract B1)."""

    def __init__(self) -> None:
        self._listed: list[tuple[int, Failure]] = []
        self._count = 0

    def __bool__(self) -> bool:
        return self._count > 0

    def add(self, position: int, failures: Sequence[Failure], count: int | None = None) -> None:
        """Add what is wrong with the element at `position`; but for what is read again, positions ascend.

        `count` is the true number when `failures` are only the first.
        """
        room = MAX_FAILURES - len(self._listed)
        self._listed += [(position, failure) for failure in failures[:room]]
        self._count += len(failures) if count is None else count

    def add_later(self, failures: Iterable[tuple[int, Failure]], count: int) -> None:
        """Add what was found when all elements had been read: the first failures by position, and the number of all."""
        found = sorted(failures, key=lambda item: item[0])
        self._listed = list(merge(self._listed, found, key=lambda item: item[0]))[:MAX_FAILURES]
        self._count += count

    def refuse(self) -> None:
        """Raise `Problem` 400 with the report if there is a fault."""
        if self:
            listed = sorted(self._listed, key=lambda item: item[0])
            raise bad_request([failure for _, failure in listed], self._count)
