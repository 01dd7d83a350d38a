"""A list that is counted and shown to a bound."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.utils.functional import cached_property
from django.utils.translation import gettext

from dimensions_site.text.formats import grouped

# Counting a million rows takes longer than showing a page of them.
COUNTED_ROWS = 10_000


class Counted(int):
    """A number of rows; people read `4,983`."""

    def __str__(self) -> str:
        return grouped(int(self))


class MoreThan(int):
    """A number of rows of which only a lower limit is known; people read `more than 10,000`."""

    def __str__(self) -> str:
        return gettext("more than %(number)s") % {"number": grouped(int(self))}


class BoundedPaginator(Paginator[Any]):
    """Counts and shows the first rows only; the others are found by a search or a filter."""

    object_list: Any

    @cached_property
    def first(self) -> list[Any]:
        """The rows of the first page and one more: often these are all, and a search reads the table once."""
        return list(self.object_list[: self.per_page + 1])

    @cached_property
    def count(self) -> int:
        if len(self.first) <= self.per_page:
            return Counted(len(self.first))
        # Sorting them would take longer than counting.
        first: QuerySet[Any] = self.object_list.order_by()[: COUNTED_ROWS + 1]
        counted = first.count()
        return MoreThan(COUNTED_ROWS) if counted > COUNTED_ROWS else Counted(counted)
