"""The pages that compare two states, and make the plan that makes one like the other (contract J2, K4)."""

from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.admin.views.main import PAGE_VAR
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bulkops.files.workbooks.writing import TableTooLarge
from bulkops.plans.requests import PlanRequest
from bulkops.plans.scopes import narrowed
from dimensions_site.administration.base.bounded import Page
from dimensions_site.administration.base.current import current_repository
from dimensions_site.administration.base.differences import workbook_of
from dimensions_site.administration.base.past import address_in_utc, instant_of
from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.administration.conditions.filtering import LIST, ListFilter, with_parameters
from dimensions_site.administration.elements.comparing import (
    SIDES,
    CompareForm,
    compare_page_by_page,
    labels_of,
    point_out_timeout,
)
from dimensions_site.administration.proposals import ANY_NUMBER, NO_ELEMENTS, open_new_plan, problem_words
from dimensions_site.api.errors import Problem
from dimensions_site.elements.history.comparing import compare_states
from dimensions_site.elements.reading.answers import instant_text
from dimensions_site.elements.writing.differences import differences_in_words
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.text.formats import moment

# The button that adds a condition.
_ADD = "add"


class Target(NamedTuple):
    """A side of a comparison that can be made like the other one: the text of its button, and the plan."""

    label: str
    repository: Repository
    plan_request: PlanRequest


def compare(admin: ScopedAdmin, request: HttpRequest) -> HttpResponse:
    """Show the form, and for a valid one the counts and the differences page by page; `?p=2` is the second.

    What adds a condition to the form leads to the page of conditions, which leads back.
    """
    if address := address_in_utc(request, *(moment for _repository, moment in SIDES)):
        return redirect(address)
    form = _compare_form(admin, request)
    if form.is_bound and form.query != request.GET:
        return redirect(f"{request.path}?{form.query.urlencode()}")
    if _ADD in request.GET:
        query = with_parameters(request.GET, {_ADD: ""})
        return redirect(f"{admin.route('condition')}?{urlencode({LIST: query})}")
    results: dict[str, Any] = {}
    if form.is_valid():
        try:
            results = compare_page_by_page(request, form)
        except OperationalError as error:
            point_out_timeout(form, error)
    return _compare_page(admin, request, form, **results)


def export_differences(admin: ScopedAdmin, request: HttpRequest) -> HttpResponseBase:
    """Return the complete workbook, or the page that compares if its form has errors."""
    form = _compare_form(admin, request)
    if not form.is_bound:
        return redirect(admin.route("compare"))
    if form.is_valid():
        name = "-".join(dict.fromkeys(side.repository.db_id for side in form.sides))
        try:
            with closing(compare_states(*form.sides)) as elements:
                rows = ((element.id, element.action, differences_in_words(element.fields())) for element in elements)
                return workbook_of(rows, f"{name}-{admin.dimension}-differences", labels_of(form))
        except TableTooLarge:
            form.add_error(None, _("The differences do not fit into a workbook. Restrict them by a filter."))
        except OperationalError as error:
            point_out_timeout(form, error)
    return _compare_page(admin, request, form)


def bring_over(admin: ScopedAdmin, request: HttpRequest) -> HttpResponse:
    """Make the plan of the comparison in the URL, for the side `into` and the ticked elements or all of them, and
    redirect to its page.
    """
    form = _compare_form(admin, request)
    if not form.is_valid():
        return _compare_page(admin, request, form)
    target = _targets(admin, request, form).get(request.POST.get("into", ""))
    if target is None:
        raise PermissionDenied
    back = f"{admin.route('compare')}?{request.GET.urlencode()}"
    wanted = target.plan_request
    if ids := request.POST.getlist("ids"):
        try:
            wanted = replace(wanted, scope=narrowed(wanted.scope, "=in=", ids))
        except Problem as problem:
            messages.error(request, problem_words(problem)[0])
            return redirect(back)
    return open_new_plan(request, admin.dimension, target.repository, wanted, back=back)


COMPARE_PAGE = Page("compare", "compare/", compare, "GET", "view", gettext_lazy("Compare %(elements)s"), "difference")
COMPARE_PAGES = (
    COMPARE_PAGE,
    Page("compare_export", "compare/export/", export_differences, "GET", "view"),
    Page("compare_plan", "compare/plan/", bring_over, "POST", "view"),
)


def _compare_form(admin: ScopedAdmin, request: HttpRequest) -> CompareForm:
    """Return the form with the parameters of the URL, or with the only two repositories that there are."""
    repositories, current, query = (
        admin.repositories(request).in_bulk(),
        current_repository(request),
        request.GET.copy(),
    )
    suggested = sorted(repositories, key=lambda key: current is None or key != current.pk)
    names = [repository for repository, _moment in SIDES]
    if len(suggested) == len(names) and query.keys().isdisjoint(names):
        query.update(dict(zip(names, map(str, suggested), strict=True)))
    form = CompareForm(admin.dimension, repositories, query)
    form.initial = {**dict.fromkeys(names, suggested[0] if suggested else None), **form.initial}
    return form


def _compare_page(admin: ScopedAdmin, request: HttpRequest, form: CompareForm, **results: Any) -> HttpResponse:
    """Return the page with the form and the results of the comparison, if there are any.

    If there are differences, it has a button for each side that the user may change.
    """
    query = form.query.copy()
    query.pop(PAGE_VAR, None)
    return admin.render_part(
        request,
        "admin/elements/compared.html",
        "admin/elements/compare.html",
        title=COMPARE_PAGE.title_of(admin),
        form=form,
        filter=ListFilter(query, admin.dimension, ()),
        query=query.urlencode(),
        page_var=PAGE_VAR,
        targets=_targets(admin, request, form) if results.get("total") else {},
        **results,
    )


def _targets(admin: ScopedAdmin, request: HttpRequest, form: CompareForm) -> dict[str, Target]:
    """Return the sides that are of now, and of repositories of which the user is an editor, by their names."""
    open_keys = admin.open_keys(request, Role.PROPOSER)
    return {
        at: _target(form, number)
        for number, (_repository, at) in enumerate(SIDES)
        if not form.cleaned_data[at] and form.sides[number].repository.pk in open_keys
    }


def _target(form: CompareForm, number: int) -> Target:
    """Return the side with this number, which a plan makes equal to the other one."""
    target, source = form.sides[number].repository, form.sides[1 - number].repository
    typed = form.cleaned_data[SIDES[1 - number][1]]
    instant = instant_of(typed) if typed else None
    plan_request = PlanRequest(
        NO_ELEMENTS,
        repository=None if source == target else source.db_id,
        as_of=None if instant is None else instant_text(instant),
        scope=form.cleaned_data["filter"] or None,
        max_delete=ANY_NUMBER,
    )
    words = {"source": source.db_id, "target": target.db_id, "when": "" if instant is None else moment(instant)}
    if source == target:
        label = _("Go back to the state of %(when)s…")
    elif instant is None:
        label = _("Copy from %(source)s into %(target)s…")
    else:
        label = _("Copy from %(source)s as of %(when)s into %(target)s…")
    return Target(label % words, target, plan_request)
