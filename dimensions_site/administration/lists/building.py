"""The pages that build the filter of a list, and choose its columns; a browser shows them above the list."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from dimensions_site.administration.base.bounded import PART, Page
from dimensions_site.administration.base.current import chosen_repository
from dimensions_site.administration.base.naming import grouped_fields, known_keys
from dimensions_site.administration.conditions.condition_form import ConditionForm, condition_at
from dimensions_site.administration.conditions.filtering import (
    COLUMNS,
    FILTER,
    LIST,
    Chip,
    Rest,
    chips_of,
    fields_of,
    list_query,
    text_of,
    with_parameters,
)
from dimensions_site.administration.conditions.operations import FilterCondition
from dimensions_site.administration.elements.references import ReferenceFinder
from dimensions_site.administration.lists.columns import MAX_LIST_COLUMNS, ColumnTable
from dimensions_site.administration.lists.listing import ListedAdmin
from dimensions_site.elements.declaration.wire import NamedField, Wire
from dimensions_site.elements.dimension import Dimension
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.errors import RsqlError
from dimensions_site.rsql.parser import can_select, parse

# A parameter that only a comparison has.
_COMPARED = "from_repository"
# How many entries of a map are offered by name.
_OFFERED_KEYS = 30
# The text in the default language is offered by its language.
_UNLISTED = frozenset({"description"})


def choose_condition(admin: ListedAdmin, request: HttpRequest) -> HttpResponse:
    """Let the user choose a field, then an operation and values; then add the condition to the filter of the list.

    `at` names a condition to change, and `beside` a chip to which another condition is an alternative.
    """
    query, repositories = list_query(request), list(admin.repositories(request))
    fields = fields_of(admin.dimension, query, repositories)
    at = request.GET.get("at", "")
    found = condition_at(query.get(FILTER, ""), at, fields) if at else None
    named = found.field if found else admin.dimension.wire.named(request.GET.get("field", ""))
    common = {LIST: query.urlencode(), "at": at if found else "", "beside": request.GET.get("beside", "")}
    keys, unlisted = _keys(admin.dimension, query, repositories), admin.dimension.unfilterable | _UNLISTED
    if named is None or named.path in unlisted:
        groups = grouped_fields(
            admin.dimension, keys, lambda field: field.path not in unlisted and can_select(field.path)
        )
        return _form_page(admin, request, "admin/lists/fields.html", _("Add a condition"), groups=groups, **common)
    repository, dimension = chosen_repository(query, repositories), named.place.leaf.refers_to
    picker = None
    if repository is not None and dimension is not None:
        picker = ReferenceFinder(request, repository).picker_address(dimension)
    form = ConditionForm(named, fields, keys.get(named.place.path, ()), condition=found, picker=picker)
    condition = form.read(request.GET) if "operation" in request.GET else None
    if condition is not None:
        text = _with(query.get(FILTER, ""), condition, common, fields.wire, form)
        if not form.errors:
            return _to_list(admin, request, query, {FILTER: text})
    return _form_page(admin, request, "admin/lists/condition.html", _("Add a condition"), form=form, **common)


def choose_columns(admin: ListedAdmin, request: HttpRequest) -> HttpResponse:
    """Let the user choose the columns of the list, and their order."""
    query, repositories = list_query(request), list(admin.repositories(request))
    text = query.get(COLUMNS, "")
    if "changed" in request.GET:
        text = ",".join(_moved(request.GET.getlist("column"), request.GET))
    chosen, errors = admin.columns.chosen(text)
    if not chosen and "changed" not in request.GET:
        chosen = admin.columns_of(request)
    if "apply" in request.GET and chosen:
        # The order names columns by their place.
        return _to_list(admin, request, query, {COLUMNS: ",".join(column.path for column in chosen), "o": ""})
    if "usual" in request.GET:
        return _to_list(admin, request, query, {COLUMNS: "", "o": ""})
    if "apply" in request.GET:
        errors = [_("Choose at least one column.")]
    taken = frozenset(column.path for column in chosen) | _UNLISTED | {"id"}
    keys = _keys(admin.dimension, query, repositories)
    groups = grouped_fields(admin.dimension, keys, lambda field: _is_column(admin.columns, field, taken))
    return _form_page(
        admin,
        request,
        "admin/lists/columns.html",
        _("Choose columns"),
        chosen=chosen,
        errors=errors,
        further=[admin.columns.find(path) for path in admin.columns.further if path not in taken],
        groups=groups,
        maximum=MAX_LIST_COLUMNS,
        is_full=len(chosen) >= MAX_LIST_COLUMNS,
        **{LIST: query.urlencode()},
    )


def _is_column(columns: ColumnTable, field: NamedField, taken: frozenset[str]) -> bool:
    named = columns.chosen(field.path)[0]
    return field.path not in taken and [column.path for column in named] == [field.path]


def _keys(dimension: Dimension, query: QueryDict, repositories: Sequence[Repository]) -> Mapping[str, Sequence[str]]:
    """Return the keys that are offered for each map: those in use, and the languages of the administration."""
    repository = chosen_repository(query, repositories)
    used = {} if repository is None else known_keys(dimension, repository)
    languages = [*(one.default_language for one in repositories), *(code for code, _name in settings.LANGUAGES)]
    offered = {}
    for place in dimension.wire.places.values():
        if place.is_map:
            more = languages if place.leaf.has_languages else []
            offered[place.path] = list(dict.fromkeys([*used.get(place.path, ()), *more]))[:_OFFERED_KEYS]
    return offered


def _with(text: str, condition: FilterCondition, place: Mapping[str, str], wire: Wire, form: ConditionForm) -> str:
    """Return the filter `text` with the condition. If that is impossible, add an error to the form."""
    try:
        chips = chips_of(parse(text), wire) if text.strip() else []
        changed = text_of(_placed(chips, condition, place["at"], place["beside"]))
        parse(changed)
    except RsqlError as error:
        form.errors["filter"] = error.message
        return text
    return changed


def _to_list(admin: ListedAdmin, request: HttpRequest, query: QueryDict, changes: Mapping[str, str]) -> HttpResponse:
    address = f"{admin.route(_page_of(query))}?{with_parameters(query, changes)}"
    return HttpResponse(headers={"HX-Redirect": address}) if PART in request.headers else redirect(address)


def _form_page(admin: ListedAdmin, request: HttpRequest, template: str, title: str, **context: Any) -> HttpResponse:
    """Return the form alone for a list that shows it, and a page with it otherwise."""
    address = f"{admin.route(_page_of(QueryDict(context[LIST])))}?{context[LIST]}"
    shown = {**context, "title": title, "form_template": template, "address": address, "here": request.path}
    return admin.render_part(request, template, "admin/lists/page.html", **shown)


def _page_of(query: QueryDict) -> str:
    """Return the name of the page that has this `query`: a list, or a comparison."""
    return "compare" if _COMPARED in query else "changelist"


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


def _moved(paths: list[str], pressed: QueryDict) -> list[str]:
    """Return the `paths` of the columns after the button that was pressed."""
    paths = paths[: MAX_LIST_COLUMNS + 1]
    for name, step in (("up", -1), ("down", 1)):
        path = pressed.get(name)
        if path in paths and 0 <= paths.index(path) + step < len(paths):
            position = paths.index(path)
            paths.insert(position + step, paths.pop(position))
    removed, added = pressed.get("remove"), pressed.get("add")
    return [path for path in paths if path != removed] + ([added] if added else [])


BUILDER_PAGES = (
    Page("condition", "condition/", choose_condition, permission="view"),
    Page("columns", "columns/", choose_columns, permission="view"),
)
