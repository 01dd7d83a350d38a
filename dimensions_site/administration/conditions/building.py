"""The pages that build the filter of a list, and choose its columns; a browser shows them above the list."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.forms import Script
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _

from dimensions_site.administration.conditions.chips import Chip, FilterCondition, Rest, chips_of, text_of
from dimensions_site.administration.conditions.condition_form import ConditionForm, condition_at
from dimensions_site.administration.conditions.fields import FieldGroup, NamedField, grouped_fields, named_field
from dimensions_site.administration.conditions.filtering import (
    COLUMNS,
    FILTER,
    LIST,
    fields_of,
    list_query,
    repository_of,
    with_parameters,
)
from dimensions_site.administration.elements.element_page import known_keys
from dimensions_site.administration.elements.pickers import PickedAdmin
from dimensions_site.administration.lists.columns import MAX_COLUMNS, REPOSITORY_COLUMN, ListColumn
from dimensions_site.administration.lists.listing import ListedAdmin
from dimensions_site.elements.reading.filters import ElementFields
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.errors import RsqlError
from dimensions_site.rsql.parser import can_select, parse

# How many entries of a map are offered by name.
_OFFERED_KEYS = 30
# The text in the default language is offered by its language.
_UNLISTED = frozenset({"description"})


class BuilderPages(ListedAdmin, PickedAdmin):
    """Adds the pages to the list."""

    class Media:
        css = {"all": ["site/admin/lists.css"]}
        js = [Script("site/admin/lists.js", type="module")]

    def get_urls(self) -> list[URLPattern]:
        pages = {"condition": self.condition_view, "columns": self.columns_view}
        return [
            *(
                path(f"{name}/", self.admin_site.admin_view(view), name=self.url_name(name))
                for name, view in pages.items()
            ),
            *super().get_urls(),
        ]

    def condition_view(self, request: HttpRequest) -> HttpResponse:
        """Let the user choose a field, then an operation and values; then add the condition to the filter of the list.

        `at` names a condition to change, and `beside` a chip to which another condition is an alternative.
        """
        query, repositories = self._list_of(request)
        fields = fields_of(self.dimension, query, repositories)
        at = request.GET.get("at", "")
        found = condition_at(query.get(FILTER, ""), at, fields) if at else None
        named = found[2].field if found else named_field(self.dimension.wire, request.GET.get("field", ""))
        common = {LIST: query.urlencode(), "at": at if found else "", "beside": request.GET.get("beside", "")}
        if named is None or named.path in self.dimension.unfilterable | _UNLISTED:
            unlisted = self.dimension.unfilterable | _UNLISTED
            groups = self._groups(
                query, repositories, lambda field: field.path not in unlisted and can_select(field.path)
            )
            return self._form_page(request, "admin/lists/fields.html", _("Add a condition"), groups=groups, **common)
        form = ConditionForm(
            named,
            fields,
            self._keys(query, repositories).get(named.place.path, ()),
            condition=found[2] if found else None,
            picker=self._picker(request, query, repositories, named),
        )
        condition = form.read(request.GET) if "operation" in request.GET else None
        if condition is not None:
            text = self._with(query.get(FILTER, ""), condition, common["at"], common["beside"], fields, form)
            if not form.errors:
                return self._to_list(request, query, {FILTER: text})
        return self._form_page(request, "admin/lists/condition.html", _("Add a condition"), form=form, **common)

    def columns_view(self, request: HttpRequest) -> HttpResponse:
        """Let the user choose the columns of the list, and their order."""
        query, repositories = self._list_of(request)
        text = query.get(COLUMNS, "")
        if "changed" in request.GET:
            text = ",".join(_moved(request.GET.getlist("column"), request.GET))
        chosen, errors = self.columns.chosen(text)
        if not chosen and "changed" not in request.GET:
            chosen = self.columns_of(request)
        if "apply" in request.GET and chosen:
            # The order names columns by their place.
            return self._to_list(request, query, {COLUMNS: _named(chosen), "o": ""})
        if "usual" in request.GET:
            return self._to_list(request, query, {COLUMNS: "", "o": ""})
        if "apply" in request.GET:
            errors = [_("Choose at least one column.")]
        taken = frozenset(column.path for column in chosen) | _UNLISTED | {"id"}
        groups = self._groups(query, repositories, lambda field: self._is_column(field, taken))
        return self._form_page(
            request,
            "admin/lists/columns.html",
            _("Choose columns"),
            chosen=chosen,
            errors=errors,
            repository=None if REPOSITORY_COLUMN in taken else self.columns.find(REPOSITORY_COLUMN),
            groups=groups,
            maximum=MAX_COLUMNS,
            is_full=len(chosen) >= MAX_COLUMNS,
            **{LIST: query.urlencode()},
        )

    def _is_column(self, field: NamedField, taken: frozenset[str]) -> bool:
        found = self.columns.chosen(field.path)[0]
        return field.path not in taken and [column.path for column in found] == [field.path]

    def _list_of(self, request: HttpRequest) -> tuple[QueryDict, list[Repository]]:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return list_query(request), list(self.repositories(request))

    def _keys(self, query: QueryDict, repositories: Sequence[Repository]) -> Mapping[str, Sequence[str]]:
        """Return the keys that are offered for each map: those in use, and the languages of the administration."""
        repository = repository_of(query, repositories)
        used = {} if repository is None else known_keys(self.dimension, repository)
        languages = [*(one.default_language for one in repositories), *(code for code, _name in settings.LANGUAGES)]
        offered = {}
        for place in self.dimension.wire.places.values():
            if place.is_map:
                more = languages if place.leaf.has_languages else []
                offered[place.path] = list(dict.fromkeys([*used.get(place.path, ()), *more]))[:_OFFERED_KEYS]
        return offered

    def _groups(
        self, query: QueryDict, repositories: Sequence[Repository], is_offered: Callable[[NamedField], bool]
    ) -> list[FieldGroup]:
        return grouped_fields(self.dimension, self._keys(query, repositories), is_offered)

    def _picker(
        self, request: HttpRequest, query: QueryDict, repositories: Sequence[Repository], named: NamedField
    ) -> str | None:
        """Return the URL that finds elements for a reference; None without one, or with several repositories."""
        repository, dimension = repository_of(query, repositories), named.place.leaf.refers_to
        return None if repository is None or dimension is None else self.picker_address(request, dimension, repository)

    def _with(
        self, text: str, condition: FilterCondition, at: str, beside: str, fields: ElementFields, form: ConditionForm
    ) -> str:
        """Return the filter `text` with the condition. If that is impossible, add an error to the form."""
        try:
            chips = chips_of(parse(text), fields.wire) if text.strip() else []
            changed = text_of(_placed(chips, condition, at, beside))
            parse(changed)
        except RsqlError as error:
            form.errors["filter"] = error.message
            return text
        return changed

    def _to_list(self, request: HttpRequest, query: QueryDict, changes: Mapping[str, str]) -> HttpResponse:
        address = f"{self.route('changelist')}?{with_parameters(query, changes)}"
        return HttpResponse(headers={"HX-Redirect": address}) if _is_part(request) else redirect(address)

    def _form_page(self, request: HttpRequest, template: str, title: str, **context: Any) -> HttpResponse:
        """Return the form alone for a list that shows it, and a page with it otherwise."""
        address = f"{self.route('changelist')}?{context[LIST]}"
        shown = {**context, "title": title, "form_template": template, "address": address, "here": request.path}
        response = self.render_page(request, template if _is_part(request) else "admin/lists/page.html", **shown)
        patch_vary_headers(response, ["HX-Request"])
        return response


def _is_part(request: HttpRequest) -> bool:
    """Return whether a list loads the form to show it."""
    return "HX-Request" in request.headers


def _placed(chips: list[Chip], condition: FilterCondition, at: str, beside: str) -> list[Chip]:
    """Return the `chips` with the condition in its place: in that of another, beside one, or at the end."""
    if at:
        number, position = map(int, at.split("."))
        parts = chips[number].parts
        chips[number] = Chip((*parts[:position], condition, *parts[position + 1 :]))
    elif (
        beside.isdecimal()
        and int(beside) < len(chips)
        and not any(isinstance(p, Rest) for p in chips[int(beside)].parts)
    ):
        chips[int(beside)] = Chip((*chips[int(beside)].parts, condition))
    else:
        chips.append(Chip((condition,)))
    return chips


def _named(columns: Sequence[ListColumn]) -> str:
    return ",".join(column.path for column in columns)


def _moved(paths: list[str], pressed: QueryDict) -> list[str]:
    """Return the `paths` of the columns after the button that was pressed."""
    paths = paths[: MAX_COLUMNS + 1]
    for name, step in (("up", -1), ("down", 1)):
        path = pressed.get(name)
        if path in paths and 0 <= paths.index(path) + step < len(paths):
            position = paths.index(path)
            paths.insert(position + step, paths.pop(position))
    removed, added = pressed.get("remove"), pressed.get("add")
    return [path for path in paths if path != removed] + ([added] if added else [])
