"""Lists that are counted to a limit at first, and paged to their end (design/admin-lists.md)."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import PAGE_VAR
from django.core.paginator import Page, Paginator
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext
from unfold.views import ChangeList

from dimensions_site.text.formats import grouped_number, shortened

# Counting a million rows takes longer than showing a page of them.
COUNTED_ROWS = 10_000
# The parameter that asks for an exact count, and its value.
COUNT, EXACT = "count", "exact"
# The parameter that asks for the page with the row of that key.
ROW = "row"


class Counted(int):
    """A number of rows; people read `4,983`."""

    def __str__(self) -> str:
        return grouped_number(int(self))


class MoreThan(int):
    """A number of rows of which only a lower limit is known; people read `more than 10,000`."""

    is_limit = True

    def __str__(self) -> str:
        return gettext("more than %(number)s") % {"number": grouped_number(int(self))}


def count_up_to(number: int, limit: int | None) -> int:
    """Return the number of rows that were counted up to one more than `limit`, or all of them without one."""
    return Counted(number) if limit is None or number <= limit else MoreThan(limit)


def limit_of_count(request: HttpRequest, per_page: int) -> int | None:
    """Return how many rows are counted; None for all, which the address asks for, or its page needs."""
    is_exact = request.GET.get(COUNT) == EXACT or page_number(request) * per_page >= COUNTED_ROWS
    return None if is_exact else COUNTED_ROWS


def page_number(request: HttpRequest) -> int:
    """Return the requested page number; 1 if it is not a valid one."""
    text = request.GET.get(PAGE_VAR, "")
    return max(int(text[:9]), 1) if text.isascii() and text.isdigit() else 1


def report_missing_page(request: HttpRequest, number: int) -> None:
    """Say that the page with this `number` is shown if the address asks for one that does not exist."""
    asked = request.GET.get(PAGE_VAR, "")
    if request.method == "GET" and asked not in ("", f"{number}"):
        message = gettext("There is no page '%(asked)s'. This is page %(number)s.")
        messages.warning(request, message % {"asked": shortened(asked), "number": grouped_number(number)})


def requested_page(request: HttpRequest, rows: Any, per_page: int) -> Page[Any]:
    """Return the page of the `rows` that the address asks for, or else the nearest one, with a message."""
    page = Paginator(rows, per_page).get_page(page_number(request))
    report_missing_page(request, page.number)
    return page


class BoundedPaginator(Paginator[Any]):
    """Counts the rows up to `limit`, if there is one; `is_first` says that the first page is shown."""

    object_list: Any
    limit: int | None = None
    is_first = True
    template_name = "admin/lists/count.html"

    @cached_property
    def first(self) -> list[Any]:
        """The rows of the first page and one more: often these are all, and a search reads the table once."""
        # Lists that prefetch only count these rows, and read their page with what belongs to it.
        return list(self.object_list.prefetch_related(None)[: self.per_page + 1])

    @cached_property
    def count(self) -> int:
        if self.is_first and len(self.first) <= self.per_page:
            return Counted(len(self.first))
        # Sorting them would take longer than counting.
        rows = self.object_list.order_by()
        return count_up_to((rows if self.limit is None else rows[: self.limit + 1]).count(), self.limit)


class PagedChangeList(ChangeList):
    """A list that shows its nearest page, with its filters, in place of one that does not exist."""

    # The parameters that are no filters.
    own_parameters: ClassVar[Sequence[str]] = (COUNT, ROW)

    def get_filters_params(self, params: Any = None) -> dict[str, Any]:
        """Return the parameters of the filters beside the list, without others such as the moment."""
        found: dict[str, Any] = super().get_filters_params(params)
        return {name: value for name, value in found.items() if name not in self.own_parameters}

    def get_results(self, request: HttpRequest) -> None:
        """Load the requested page, or the last one, with a message."""
        self.page_num = page_number(request)
        try:
            super().get_results(request)
        except IncorrectLookupParameters:
            self.page_num = self.model_admin.get_paginator(request, self.queryset, self.list_per_page).num_pages
            super().get_results(request)
        self.page_num = min(self.page_num, self.paginator.num_pages)
        if self.result_count:
            report_missing_page(request, self.page_num)
