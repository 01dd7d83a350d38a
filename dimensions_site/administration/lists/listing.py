"""The list of elements, which an accountant scans, and steps from one element to the next in its order."""

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import Any, ClassVar, cast

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.contrib.admin.utils import unquote
from django.db.models import Window
from django.db.models.functions import Lag, Lead
from django.forms import Script
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.functional import lazy
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dimensions_site.administration.base.bounded import Page
from dimensions_site.administration.base.current import REPOSITORY
from dimensions_site.administration.base.filters import (
    ChangedByFilter,
    ChangedWhenFilter,
    GrantedRepositoryFilter,
    WireChoicesFilter,
)
from dimensions_site.administration.base.naming import containing, description_of, shown_description
from dimensions_site.administration.base.past import asked_moment
from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.administration.base.values import local_minute, shown_instant
from dimensions_site.administration.conditions.filtering import COLUMNS
from dimensions_site.administration.lists.change_list import REPOSITORY_NAME, ElementChangeList
from dimensions_site.administration.lists.columns import REPOSITORY_COLUMN, ColumnTable, FieldValues, ListColumn
from dimensions_site.elements.declaration.wire import NamedField
from dimensions_site.repositories.models import Role
from dimensions_site.rsql.fields import ValueKind

# The script for the selection of rows.
ACTIONS_SCRIPT = "admin/js/actions.js"


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
    search_condition = staticmethod(containing)
    search_help_text = _("Search in the id and in all descriptions")
    list_filter_submit = True
    list_display_links = ["element_id", "described"]
    change_list_template = "admin/elements/change_list.html"
    list_before_template: Any = "admin/elements/above_list.html"

    def __init__(self, model: type[Any], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        places = [self.dimension.wire.places[path] for path in (*self.listed, "updateInfo.user")]
        fields = [NamedField(place.path, place) for place in places]
        self._usual = [
            self._column("descriptions", "described", text=_description),
            *(self._column(field.path, FieldValues(field, field.place.column), field.place.column) for field in fields),
            self._column(
                "updateInfo.date", "changed_when", "update_date", text=lambda one: local_minute(one.update_date)
            ),
            ListColumn(REPOSITORY_COLUMN, _("Repository"), REPOSITORY_NAME, text=lambda one: one.repository.db_id),
        ]
        self.columns = ColumnTable(self.dimension.wire, {column.path: column for column in self._usual})
        self._filters: list[Any] = [
            ("repository", GrantedRepositoryFilter),
            *((place.column, WireChoicesFilter) for place in places if place.leaf.kind is ValueKind.ENUM),
            *self.further_filters,
            ChangedByFilter,
            ("update_date", ChangedWhenFilter),
        ]

    def _column(self, path: str, display: Any, *reads: str, text: Callable[[Any], str] | None = None) -> ListColumn:
        place = self.dimension.wire.places[path]
        return ListColumn(path, lazy(lambda: capfirst(place.heading), str)(), display, reads, text)

    def uses_script(self, script: str) -> bool:
        """Return whether the pages use it: none of them has a form of Django's."""
        return not script.startswith("admin/js/") or script == ACTIONS_SCRIPT

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

    def usual_columns(self, *, shows_one: bool) -> list[ListColumn]:
        """Return the usual columns; that of the repository is left out if the list shows one only."""
        return [column for column in self._usual if column.path != REPOSITORY_COLUMN or not shows_one]

    def columns_of(self, request: HttpRequest) -> list[ListColumn]:
        """Return the columns that the address chooses, or the usual ones; the repository if there may be several."""
        chosen, _errors = self.columns.chosen(request.GET.get(COLUMNS, ""))
        shows_one = bool(request.GET.get(REPOSITORY)) or len(self.open_keys(request)) == 1
        return chosen or self.usual_columns(shows_one=shows_one)

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

    def _has_role(self, request: HttpRequest, role: Role, element: Any = None) -> bool:
        """Return whether the user has the role, in the repository of the list if it shows one; nobody may write to the
        past.
        """
        listed = request.GET.get(REPOSITORY, "") if element is None else ""
        is_closed = listed != "" and listed not in map(str, self.open_keys(request, role))
        if role != Role.READER and (is_closed or asked_moment(request)):
            return False
        return super()._has_role(request, role, element)

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

    @admin.display(description=_("Changed"), ordering="update_date")
    def changed_when(self, element: Any) -> str:
        return shown_instant(element.update_date, as_day=True)


def _description(element: Any) -> str:
    return description_of(element.descriptions, element.repository)


def _step(admin: ListedAdmin, request: HttpRequest, object_id: str, *, beside: type[Lag | Lead]) -> HttpResponse:
    """Redirect to the element that has this one `beside` it, in the list that the address remembers.

    The page says so if there is none. Two queries for the list, and one that sorts it.
    """
    element = admin.get_object(request, unquote(object_id))
    listed = copy(request)
    cast(Any, listed).GET = QueryDict(request.GET.get("_changelist_filters", ""))
    shown: Any = admin.get_changelist_instance(listed)
    order = shown.get_ordering(listed, shown.queryset)
    rows = shown.queryset.order_by().annotate(beside=Window(beside("pk"), order_by=order))
    found = rows.filter(beside=element.pk).values_list("pk", flat=True).first()
    if found is None:
        messages.info(request, gettext("The list has no other account or currency there."))
    preserved: dict[str, Any] = {"preserved_filters": admin.get_preserved_filters(request), "opts": admin.opts}
    return redirect(add_preserved_filters(preserved, admin.route("change", found or element.pk)))


STEP_PAGES = (
    Page("next", "<path:object_id>/next/", partial(_step, beside=Lag), "GET"),
    Page("previous", "<path:object_id>/previous/", partial(_step, beside=Lead), "GET"),
)
