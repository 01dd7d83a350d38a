"""The list of elements: what an accountant scans, quick at 100,000 rows."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, cast

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from unfold.views import ChangeList

from dimensions_site.elements.admin.filters import (
    ChangedByFilter,
    ChangedWhenFilter,
    GrantedRepositoryFilter,
    WireChoicesFilter,
)
from dimensions_site.elements.admin.paginator import BoundedPaginator
from dimensions_site.elements.admin.scope import ScopedAdmin
from dimensions_site.elements.admin.searching import containing
from dimensions_site.elements.fields import BooleanField, EnumField
from dimensions_site.elements.wire import Place
from dimensions_site.formats import minute
from dimensions_site.repositories.admin import LONGEST_SEARCH

_DESCRIPTION_SHOWN = 120


class ElementChangeList(ChangeList):
    """Reads of each row what the list shows: some columns are large."""

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        selected: QuerySet[Any] = super().get_queryset(request, exclude_parameters)
        return selected.only(*cast(ListedAdmin, self.model_admin).columns_read)

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        if self.page_num == 1 and not self.show_all:
            self.result_list = self.paginator.first[: self.list_per_page]
        if not self.query and not self.has_active_filters:
            # All are shown, so that the page offers no way to them.
            self.full_result_count = self.result_count


class ListedAdmin(ScopedAdmin):
    """`listed` are the wire paths of a dimension that have a column in the list, each with its heading.

    A heading that is the wire's own word is the same in every language.
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

    def __init__(self, model: type[Any], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        places = {self.wire.places[path]: words for path, words in self.listed.items()}
        self.columns_read = [
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

    def get_actions(self, request: HttpRequest) -> Any:
        """Without Django's deletion, which would write no history."""
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    @admin.display(description=_("description"))
    def described(self, element: Any) -> str:
        """The description in the default language; in another one, which is named, where there is none."""
        language = element.repository.default_language
        texts: dict[str, str | None] = element.descriptions
        text = texts.get(language)
        if text and text.strip():
            return format_html('<span class="element-described">{}</span>', _cut(text))
        other, text = next(((tag, text) for tag, text in texts.items() if text and text.strip()), ("", ""))
        return format_html('<span class="element-described">{} <small>({})</small></span>', _cut(text), other)

    @admin.display(description=_("repository"), ordering="repository__db_id")
    def repository_name(self, element: Any) -> str:
        return str(element.repository.db_id)

    @admin.display(description=_("changed by"), ordering="update_user")
    def changed_by(self, element: Any) -> str:
        return str(element.update_user)

    @admin.display(description=_("changed (UTC)"), ordering="update_date")
    def changed_when(self, element: Any) -> str:
        return minute(element.update_date)


def _cut(text: str) -> str:
    return text if len(text) <= _DESCRIPTION_SHOWN else f"{text[:_DESCRIPTION_SHOWN]}…"


def _column(place: Place, words: Any) -> Callable[[Any], Any]:
    """A column of the list with the values of a leaf."""

    def value(element: Any) -> Any:
        return getattr(element, place.column)

    value.__name__ = place.column
    is_boolean = isinstance(place.leaf, BooleanField)
    return admin.display(description=words, ordering=place.column, boolean=is_boolean)(value)
