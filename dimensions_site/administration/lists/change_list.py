"""The rows of a list of elements, and the state of the list: a table on a desk, short cards on a phone.

It is fast with 100,000 rows (design/admin-lists.md).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from html import unescape
from typing import Any, cast

from django.conf import settings
from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.contrib.admin.utils import lookup_field
from django.contrib.admin.views.main import PAGE_VAR
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.html import strip_tags
from django.utils.http import urlencode
from django.utils.text import capfirst
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from unfold.templatetags.unfold_list import result_headers

from dimensions_site.administration.base.current import REPOSITORY
from dimensions_site.administration.base.filters import GrantedRepositoryFilter, WireChoicesFilter
from dimensions_site.administration.base.naming import language_of_page
from dimensions_site.administration.base.paging import COUNT, COUNTED_ROWS, ROW, PagedChangeList
from dimensions_site.administration.base.past import AS_OF_PARAMETER, PastList
from dimensions_site.administration.base.values import EMPTY, local_minute
from dimensions_site.administration.conditions.filtering import (
    COLUMNS,
    FILTER,
    VIEW,
    Chip,
    ListFilter,
    address_of_list,
    text_of,
)
from dimensions_site.administration.conditions.operations import CONDITION_OPERATIONS, FilterCondition
from dimensions_site.elements.reading.descriptions import alphabetical_order
from dimensions_site.elements.reading.selection import DESCRIPTIONS
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.text.formats import shortened

# The height of the rows: the parameter that chooses it, the cookie that keeps it, and its values.
DENSITY, COMFORTABLE, COMPACT = "density", "comfortable", "compact"
REPOSITORY_NAME = "repository_name"
# What a card shows besides the facts.
_ALWAYS = ("action_checkbox", "element_id", "described")
_FACTS = 2
# Characters of HTML that fit in the column of the description, and of a value in a chip.
_SHORT, _CHIP = 80, 60


@dataclass(frozen=True)
class ListCell:
    """A value of a row. The cards show only values with a `label`, and the first three."""

    column: str
    value: Any
    address: str = ""
    label: str = ""
    title: str = ""
    is_number: bool = False
    is_here: bool = False


class ElementChangeList(PagedChangeList):
    """Loads for each row only what the list shows, because some columns are large.

    With a moment, the rows are the versions that were the elements then (contract J1).
    """

    model_admin: Any
    own_parameters = (COUNT, ROW, AS_OF_PARAMETER, FILTER, COLUMNS, VIEW)

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        self.request = request
        self.past = PastList(self.model_admin, request)
        if self.past.is_requested:
            self.root_queryset = self.past.rows()
        admin = self.model_admin
        self.editable = admin.open_keys(request, Role.PROPOSER)
        self.filter = ListFilter(request.GET, admin.dimension, self.past.repositories)
        selected: QuerySet[Any] = self.filter.apply(super().get_queryset(request, exclude_parameters))
        return selected.only(*admin.columns_read(request))

    def url_for_result(self, result: Any) -> str:
        """Return the address of the element, or of its versions if the list shows the past."""
        admin = self.model_admin
        return admin.route("version", result.pk) if self.past.is_requested else super().url_for_result(result)

    @cached_property
    def headers(self) -> list[dict[str, Any]]:
        """The headers of the columns as the theme makes them."""
        found = list(result_headers(self))
        for column, header in zip(self.list_display, found, strict=True):
            if getattr(column, "is_number", False):
                header["class_attrib"] = f"{header.get('class_attrib', '')} number"
        return found

    def rows(self) -> Iterator[list[ListCell]]:
        columns = list(zip(self.list_display, self._names, self._labels(), strict=True))
        preserved: dict[str, Any] = {"preserved_filters": self.preserved_filters, "opts": self.opts}
        for element in self.result_list:
            address = add_preserved_filters(preserved, self.url_for_result(element))
            is_here = str(element.pk) == self.here
            cells = [
                (column, name, label, value_in_words(lookup_field(column, element, self.model_admin)[2]))
                for column, name, label in columns
            ]
            yield [
                ListCell(
                    name,
                    value,
                    address if name in self.list_display_links else "",
                    label,
                    # The row has one line for it.
                    unescape(strip_tags(value))
                    if name == "described" and len(value) > _SHORT and not self.query
                    else "",
                    getattr(column, "is_number", False),
                    is_here,
                )
                for column, name, label, value in cells
            ]

    @property
    def _names(self) -> list[str]:
        return [str(getattr(column, "__name__", column)) for column in self.list_display]

    def _labels(self) -> Iterator[str]:
        """Yield the heading of each column that the cards show as a fact, and an empty text for the others."""
        room = _FACTS
        for name, header in zip(self._names, self.headers, strict=True):
            is_fact = name not in (*_ALWAYS, REPOSITORY_NAME) and room > 0
            room -= is_fact
            yield capfirst(str(header["text"])) if is_fact or name == REPOSITORY_NAME else ""

    @property
    def empty_repository(self) -> Repository | None:
        """The only repository of a list without results; None if a search or a filter may hide something."""
        filters = {name for name, values in self.get_filters_params().items() if any(values)} - {REPOSITORY}
        return None if self.query or filters or self.filter.text or self.past.is_requested else self.past.repository

    @property
    def quick_chips(self) -> list[tuple[str, str]]:
        """The filters beside the list that are on, in words, and the query of the list without each."""
        query, chips = self.filter.query, []
        for one in self.filter_specs:
            values = {name: value for name in one.expected_parameters() if name and (value := query.get(name))}
            if values and not _is_current(one, values):
                words = {"field": one.title, "value": " – ".join(_in_words(one, value) for value in values.values())}
                chips.append((_("%(field)s: %(value)s") % words, address_of_list(query, dict.fromkeys(values, ""))))
        return chips

    @property
    def comparison(self) -> str:
        """The query of the page that compares: what the list finds, and the moment that it shows."""
        named = [self.model_admin.dimension.wire.named(path) for path in ("id", DESCRIPTIONS)]
        searched = [
            Chip(tuple(FilterCondition(field, CONDITION_OPERATIONS["contains"], (word,)) for field in named))
            for word in dict.fromkeys(self.query.split())
        ]
        where = {} if self.past.repository is None else {REPOSITORY: str(self.past.repository.pk)}
        return urlencode({**(self.past.comparison or where), FILTER: text_of([*self.filter.chips, *searched])})

    @property
    def here(self) -> str:
        """The key of the row that the address asks for; empty without one."""
        return self.request.GET.get(ROW, "")

    @property
    def is_comfortable(self) -> bool:
        """Whether the user has chosen high rows, in this browser."""
        return self.request.COOKIES.get(DENSITY) == COMFORTABLE

    @property
    def month_end(self) -> tuple[str, str]:
        """The last day of the last month, and the moment at its end."""
        end = localtime().replace(day=1) - timedelta(days=1)
        return local_minute(end).partition(" ")[0], f"{end:%Y-%m-%d}T23:59:59"

    def get_ordering_field(self, field_name: Callable[..., Any] | str) -> Any:
        """Return what a column is sorted by; for the description that depends on the language of the page."""
        if field_name == "described":
            return alphabetical_order(language_of_page(settings.LANGUAGE_CODE), "repository__default_language")
        return super().get_ordering_field(field_name)

    def get_results(self, request: HttpRequest) -> None:
        # A list that shows all of the current repository is not filtered.
        self.has_active_filters = bool(self.quick_chips)
        if self.here and PAGE_VAR not in request.GET:
            query = request.GET.copy()
            query[PAGE_VAR] = str(self._page_of(self.here))
            cast(Any, request).GET = query
        if not self.filter.evaluated(lambda: self._load(request)):
            self.queryset = self.queryset.none()
            self._load(request)

    def _page_of(self, key: str) -> int:
        """Return the number of the page with the row; 1 if it is not among the rows that are counted."""
        keys = self.queryset.values_list("pk", flat=True)[:COUNTED_ROWS]
        return next((place // self.list_per_page + 1 for place, found in enumerate(keys) if str(found) == key), 1)

    def _load(self, request: HttpRequest) -> None:
        super().get_results(request)
        if self.page_num == 1 and not self.show_all:
            self.result_list = self.paginator.first[: self.list_per_page]
        elif self.multi_page and not self.show_all:
            # Only the keys of the rows before the page are read, and sorted.
            self.result_list = self.queryset.filter(pk__in=list(self.result_list.values_list("pk", flat=True)))
        self.result_list = list(self.result_list)
        if not self.query and not self.has_active_filters and not self.filter.text:
            # All are shown, so the page needs no link for it.
            self.full_result_count = self.result_count
        for element in self.result_list:
            element.searched = self.query.split()


def value_in_words(value: Any) -> Any:
    """Return the value as people read it in a cell."""
    if value in (None, ""):
        return EMPTY
    return {True: _("yes"), False: _("no")}[value] if isinstance(value, bool) else value


def _is_current(one: Any, values: dict[str, str]) -> bool:
    """Return whether the filter is that of the repository which the switch above the menu shows."""
    keys = {str(key) for key, _label in getattr(one, "lookup_choices", None) or ()}
    return isinstance(one, GrantedRepositoryFilter) and keys.issuperset(values.values())


def _in_words(one: Any, value: str) -> str:
    if isinstance(one, WireChoicesFilter):
        return one.in_words(value)
    labels = {str(key): str(label) for key, label in getattr(one, "lookup_choices", None) or ()}
    unknown = _("not open to you") if isinstance(one, GrantedRepositoryFilter) else shortened(value, _CHIP)
    return labels.get(value, unknown)
