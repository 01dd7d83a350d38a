"""The list of elements: what an accountant scans, fast with 100,000 rows."""

from collections.abc import Callable, Mapping
from functools import reduce
from operator import and_
from typing import Any, ClassVar, cast

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.views import ChangeList

from dimensions_site.elements.admin.filters import (
    ChangedByFilter,
    ChangedWhenFilter,
    GrantedRepositoryFilter,
    WireChoicesFilter,
)
from dimensions_site.elements.admin.past import AS_OF, PastList, asks_for_the_past
from dimensions_site.elements.admin.scope import ScopedAdmin
from dimensions_site.elements.declaration.fields import BooleanField, EnumField
from dimensions_site.elements.declaration.wire import Place
from dimensions_site.elements.reading.searching import SEARCHED
from dimensions_site.repositories.admin.repositories import LONGEST_SEARCH
from dimensions_site.repositories.models import Role
from dimensions_site.rsql.conditions import AnyEntry, Contains, EntryText, Needle, narrowed
from dimensions_site.rsql.expressions import Fold
from dimensions_site.text.formats import grouped, minute
from dimensions_site.text.shortening import shortened


def containing(text: str) -> Q:
    """Return the elements with each word of `text` in their id or a description, in any case (contract D2)."""
    return reduce(and_, map(_containing_word, dict.fromkeys(text.split())), Q())


def _containing_word(word: str) -> Q:
    part = Fold(Needle(word))
    in_an_entry = AnyEntry(F(SEARCHED), Contains(Fold(EntryText()), part))
    return Q(Contains(Fold(F("element_id")), part)) | Q(narrowed(in_an_entry, SEARCHED, word, folded=True))


# Counting a million rows takes longer than showing a page of them.
COUNTED_ROWS = 10_000


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
            return len(self.first)
        rows: QuerySet[Any] = self.object_list[: COUNTED_ROWS + 1]
        counted = rows.count()
        return MoreThan(COUNTED_ROWS) if counted > COUNTED_ROWS else counted


_DESCRIPTION_SHOWN = 120


class ElementChangeList(ChangeList):
    """Loads for each row only what the list shows, because some columns are large.

    With a moment, the rows are the versions that were the elements then (contract J1).
    """

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        self.past = PastList(cast(ListedAdmin, self.model_admin), request)
        if self.past.is_asked:
            self.root_queryset = self.past.rows()
        selected: QuerySet[Any] = super().get_queryset(request, exclude_parameters)
        return selected.only(*cast(ListedAdmin, self.model_admin).columns_read)

    def get_filters_params(self, params: Any = None) -> dict[str, Any]:
        """Return the parameters of the filters; the moment is none of them."""
        found: dict[str, Any] = super().get_filters_params(params)
        found.pop(AS_OF, None)
        return found

    def url_for_result(self, result: Any) -> str:
        """Return the address of the element, or of its versions if the list shows the past."""
        admin = cast(ListedAdmin, self.model_admin)
        return admin.route("version", result.pk) if self.past.is_asked else super().url_for_result(result)

    @property
    def address_of_now(self) -> str:
        """The same list as it is now."""
        return self.get_query_string(remove=[AS_OF])

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        if self.page_num == 1 and not self.show_all:
            self.result_list = self.paginator.first[: self.list_per_page]
        if not self.query and not self.has_active_filters:
            # All are shown, so the page needs no link for it.
            self.full_result_count = self.result_count


class ListedAdmin(ScopedAdmin):
    """The list. `listed` are the wire paths of a dimension that have a column, each with its heading.

    A heading that is the wire name is the same in every language.
    """

    class Media:
        css = {"all": ["site/admin/element.css"]}

    listed: ClassVar[Mapping[str, Any]] = {}
    further_filters: ClassVar[tuple[Any, ...]] = ()

    # By the column, and not by the dbID: that order has an index.
    ordering = ["repository_id", "element_id"]
    search_fields = ["element_id"]
    search_help_text = _("Search in the id and in all descriptions")
    show_full_result_count = False
    list_per_page = 50
    show_facets = admin.ShowFacets.NEVER
    paginator = BoundedPaginator
    list_filter_submit = True
    list_display_links = ["element_id", "described"]
    list_before_template: Any = "admin/elements/above_list.html"

    def __init__(self, model: type[Any], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        places = {self.dimension.wire.places[path]: words for path, words in self.listed.items()}
        self.columns_read = [
            # The theme reads it, though it is not the primary key of a version.
            "id",
            "element_id",
            "descriptions",
            "update_user",
            "update_date",
            *(f"repository__{name}" for name in ("db_id", "default_language")),
            *(place.column for place in places),
        ]
        self.list_display = [
            "element_id",
            "described",
            "repository_name",
            *(_column(place, words) for place, words in places.items()),
            "changed_by",
            "changed_when",
        ]
        self._filters = [
            ("repository", GrantedRepositoryFilter),
            *((place.column, WireChoicesFilter) for place in places if isinstance(place.leaf, EnumField)),
            *self.further_filters,
            ChangedByFilter,
            ("update_date", ChangedWhenFilter),
        ]

    def get_list_filter(self, request: HttpRequest) -> Any:
        return self._filters

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:
        return ElementChangeList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        if len(search_term) > LONGEST_SEARCH:
            return queryset.none(), False
        return queryset.filter(containing(search_term)), False

    def _has_role(self, request: HttpRequest, role: Role, element: Any = None) -> bool:
        """Return whether the user has the role; nobody may write to the past."""
        return (role == Role.READER or not asks_for_the_past(request)) and super()._has_role(request, role, element)

    def get_actions(self, request: HttpRequest) -> Any:
        """Return the actions without Django's deletion, which would write no history."""
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    @admin.display(description=_("description"))
    def described(self, element: Any) -> str:
        """Return the description in the default language, or else one in another language, which is named."""
        language = element.repository.default_language
        texts: dict[str, str | None] = element.descriptions
        text = texts.get(language)
        if text and text.strip():
            return format_html('<span class="element-described">{}</span>', shortened(text, _DESCRIPTION_SHOWN))
        other, text = next(((tag, text) for tag, text in texts.items() if text and text.strip()), ("", ""))
        return format_html(
            '<span class="element-described">{} <small>({})</small></span>', shortened(text, _DESCRIPTION_SHOWN), other
        )

    @admin.display(description=_("repository"), ordering="repository__db_id")
    def repository_name(self, element: Any) -> str:
        return str(element.repository.db_id)

    @admin.display(description=_("changed by"), ordering="update_user")
    def changed_by(self, element: Any) -> str:
        return str(element.update_user)

    @admin.display(description=_("changed (UTC)"), ordering="update_date")
    def changed_when(self, element: Any) -> str:
        return minute(element.update_date)


def _column(place: Place, words: Any) -> Callable[[Any], Any]:
    """Return a column of the list with the values of a leaf."""

    def value(element: Any) -> Any:
        return getattr(element, place.column)

    value.__name__ = place.column
    is_boolean = isinstance(place.leaf, BooleanField)
    return admin.display(description=words, ordering=place.column, boolean=is_boolean)(value)
