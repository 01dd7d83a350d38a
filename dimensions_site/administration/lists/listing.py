"""The list of elements: what an accountant scans, fast with 100,000 rows."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any, ClassVar, cast

from django.conf import settings
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.views.main import PAGE_VAR
from django.db.models import QuerySet
from django.forms import Media, Script
from django.http import HttpRequest
from django.utils.formats import date_format
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localdate
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dimensions_site.administration.base.bounded import LONGEST_SEARCH
from dimensions_site.administration.base.current import REPOSITORY
from dimensions_site.administration.base.described import language_of_page, shown_description
from dimensions_site.administration.base.filters import (
    ChangedByFilter,
    ChangedWhenFilter,
    GrantedRepositoryFilter,
    WireChoicesFilter,
)
from dimensions_site.administration.base.finding import containing
from dimensions_site.administration.base.instants import shown_instant
from dimensions_site.administration.base.paging import COUNT, COUNTED_ROWS, ROW, PagedChangeList
from dimensions_site.administration.base.past import AS_OF, PastList, asks_for_the_past
from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.administration.conditions.filtering import COLUMNS, OWN_PARAMETERS, ListFilter
from dimensions_site.administration.lists import rows
from dimensions_site.administration.lists.columns import REPOSITORY_COLUMN, ColumnTable, ListColumn, column_of
from dimensions_site.administration.lists.quick import quick_chips
from dimensions_site.elements.reading.descriptions import alphabetical
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.rsql.fields import ValueKind

# The height of the rows: the parameter that chooses it, the cookie that keeps it, and its values.
DENSITY, COMFORTABLE, COMPACT = "density", "comfortable", "compact"
# The script for the selection of rows.
ACTIONS = "admin/js/actions.js"


class ElementChangeList(PagedChangeList):
    """Loads for each row only what the list shows, because some columns are large.

    With a moment, the rows are the versions that were the elements then (contract J1).
    """

    own_parameters = (COUNT, ROW, AS_OF, *OWN_PARAMETERS)

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        self.request = request
        self.past = PastList(cast(ListedAdmin, self.model_admin), request)
        if self.past.is_requested:
            self.root_queryset = self.past.rows()
        admin = cast(ListedAdmin, self.model_admin)
        self.editable = admin.open_keys(request, Role.EDITOR)
        self.filter = ListFilter(request.GET, admin.dimension, self.past.repositories)
        selected: QuerySet[Any] = self.filter.apply(super().get_queryset(request, exclude_parameters))
        return selected.only(*admin.columns_read(request))

    def url_for_result(self, result: Any) -> str:
        """Return the address of the element, or of its versions if the list shows the past."""
        admin = cast(ListedAdmin, self.model_admin)
        return admin.route("version", result.pk) if self.past.is_requested else super().url_for_result(result)

    @cached_property
    def headers(self) -> list[dict[str, Any]]:
        """The headers of the columns."""
        return rows.headers(self)

    def rows(self) -> Iterator[list[rows.ListCell]]:
        """Return the cells of each row."""
        return rows.rows(self)

    @property
    def is_wide(self) -> bool:
        """Whether the columns may not fit next to each other."""
        return len(self.list_display) > rows.FITTING_COLUMNS

    @property
    def number_of_sorted_columns(self) -> int:
        """By how many columns the list is sorted."""
        return len(self.get_ordering_field_columns())

    @property
    def empty_repository(self) -> Repository | None:
        """The only repository of a list without results; None if a search or a filter may hide something."""
        filters = {name for name, values in self.get_filters_params().items() if any(values)} - {REPOSITORY}
        return None if self.query or filters or self.filter.text or self.past.is_requested else self.past.repository

    @property
    def quick_chips(self) -> list[tuple[str, str]]:
        """The filters beside the list that are on, and the query of the list without each."""
        return list(quick_chips(self.filter_specs, self.filter.query))

    @property
    def here(self) -> str:
        """The key of the row that the address asks for; empty without one."""
        return self.request.GET.get(ROW, "")

    @property
    def is_comfortable(self) -> bool:
        """Whether the user has chosen high rows, in this browser."""
        return self.request.COOKIES.get(DENSITY) == COMFORTABLE

    @property
    def address_of_density(self) -> str:
        """The same list, which then has rows of the other height."""
        return self.get_query_string({DENSITY: COMPACT if self.is_comfortable else COMFORTABLE})

    @property
    def month_ends(self) -> list[tuple[str, str]]:
        """The last day of the last month, and the address of the list as it was at its end."""
        day = localdate().replace(day=1) - timedelta(days=1)
        query = self.get_query_string({AS_OF: f"{day}T23:59:59"}, remove=[PAGE_VAR])
        return [(date_format(day, "SHORT_DATE_FORMAT"), query)]

    @property
    def address_of_now(self) -> str:
        """The same list as it is now."""
        return self.get_query_string(remove=[AS_OF])

    def get_ordering_field(self, field_name: Callable[..., Any] | str) -> Any:
        """Return what a column is sorted by; for the description that depends on the language of the page."""
        if field_name == "described":
            return alphabetical(language_of_page(settings.LANGUAGE_CODE), "repository__default_language")
        return super().get_ordering_field(field_name)

    def get_results(self, request: HttpRequest) -> None:
        if self.here and PAGE_VAR not in request.GET:
            query = request.GET.copy()
            query[PAGE_VAR] = str(self._page_of(self.here))
            request.GET = query  # type: ignore[assignment]
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


class ListedAdmin(ScopedAdmin):
    """The list. `listed` are the wire paths of a dimension that have a column."""

    class Media:
        css = {"all": ["site/admin/lists.css", "site/admin/element.css", "site/admin/list.css"]}
        js = [Script("site/admin/lists.js", type="module")]

    listed: ClassVar[Sequence[str]] = ()
    further_filters: ClassVar[tuple[Any, ...]] = ()

    # By the column, and not by the dbID: that order has an index.
    ordering = ["repository_id", "element_id"]
    search_fields = ["element_id"]
    search_help_text = _("Search in the id and in all descriptions")
    list_filter_submit = True
    list_display_links = ["element_id", "described"]
    change_list_template = "admin/elements/change_list.html"
    list_before_template: Any = "admin/elements/above_list.html"

    def __init__(self, model: type[Any], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        places = [self.dimension.wire.places[path] for path in self.listed]
        usual: dict[str, tuple[Any, tuple[str, ...]]] = {
            "descriptions": ("described", ()),
            **{place.path: (column_of(place), (place.column,)) for place in places},
            "updateInfo.user": ("changed_by", ("update_user",)),
            "updateInfo.date": ("changed_when", ("update_date",)),
            REPOSITORY_COLUMN: (rows.REPOSITORY, ()),
        }
        self.columns = ColumnTable(self.dimension.wire, usual)
        self._usual_columns = list(usual)
        self._filters: list[Any] = [
            ("repository", GrantedRepositoryFilter),
            *((place.column, WireChoicesFilter) for place in places if place.leaf.kind is ValueKind.ENUM),
            *self.further_filters,
            ChangedByFilter,
            ("update_date", ChangedWhenFilter),
        ]

    @property
    def media(self) -> Any:
        """Return the scripts and styles without the scripts of Django's forms, which no page of elements uses."""
        found: Any = super().media
        scripts = [script for script in found._js if not str(script).startswith("admin/js/") or script == ACTIONS]
        return Media(css=found._css, js=scripts)

    def get_list_filter(self, request: HttpRequest) -> Any:
        return self._filters

    @property
    def quick_parameters(self) -> list[str]:
        """The parameters of the filters beside the list, without that of the repository."""
        names = [f"{filter[0]}__exact" for filter in self._filters if isinstance(filter, tuple)]
        names += [filter.parameter_name for filter in self._filters if not isinstance(filter, tuple)]
        days = [f"update_date_{bound}" for bound in ("from", "to")]
        return [name for name in names if name not in ("repository__exact", "update_date__exact")] + days

    def route_with_query(self, request: HttpRequest, page: str) -> str:
        """Return the URL of a page, with the query of this request's URL."""
        query = request.GET.urlencode()
        return f"{self.route(page)}?{query}" if query else self.route(page)

    def usual_columns(self, *, is_one: bool) -> list[str]:
        """Return the paths of the usual columns; that of the repository is left out if the list shows one only."""
        return [path for path in self._usual_columns if path != REPOSITORY_COLUMN or not is_one]

    def columns_of(self, request: HttpRequest) -> list[ListColumn]:
        """Return the columns that the address chooses, or the usual ones; the repository if there may be several."""
        chosen, _errors = self.columns.chosen(request.GET.get(COLUMNS, ""))
        is_one = bool(request.GET.get(REPOSITORY)) or len(self.open_keys(request)) == 1
        usual = map(self.columns.find, self.usual_columns(is_one=is_one))
        return chosen or [column for column in usual if column is not None]

    def get_list_display(self, request: HttpRequest) -> Any:
        return ["element_id", *(column.display for column in self.columns_of(request))]

    def columns_read(self, request: HttpRequest) -> list[str]:
        """Return what the list reads of each row: only that, because some columns are large."""
        return [
            # The theme reads it, though it is not the primary key of a version.
            "id",
            "element_id",
            "descriptions",
            *(f"repository__{name}" for name in ("db_id", "default_language")),
            *(name for column in self.columns_of(request) for name in column.reads),
        ]

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

    @admin.display(description=_("Select"))
    def action_checkbox(self, obj: Any) -> SafeString:
        """Return the checkbox that selects a row, labelled with its name; the theme's has 1 KB of classes."""
        name = gettext("Select %(name)s") % {"name": obj}
        return format_html(
            '<input type="checkbox" name="{}" value="{}" class="action-select" aria-label="{}">',
            ACTION_CHECKBOX_NAME,
            obj.pk,
            name,
        )

    @admin.display(description=_("description"), ordering="descriptions")
    def described(self, element: Any) -> str:
        """Return the description in the language of the page; `ElementChangeList` sorts by it."""
        return shown_description(element, element.repository, getattr(element, "searched", ()))

    @admin.display(description=_("repository"), ordering="repository__db_id")
    def repository_name(self, element: Any) -> str:
        return str(element.repository.db_id)

    @admin.display(description=_("changed by"), ordering="update_user")
    def changed_by(self, element: Any) -> str:
        return str(element.update_user)

    @admin.display(description=_("changed"), ordering="update_date")
    def changed_when(self, element: Any) -> str:
        return shown_instant(element.update_date)
