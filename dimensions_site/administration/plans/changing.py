"""The admin action that changes fields of the selected elements by a plan (contract C15, K4, G2)."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.admin import action
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from bulkops.models import Plan
from bulkops.plans.planning import plan_of_patches
from bulkops.plans.sources import SelectedPatches
from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.administration.base.selecting import selected_repository, selection
from dimensions_site.administration.elements.changes_form import ChangesForm
from dimensions_site.administration.elements.element_page import known_keys
from dimensions_site.administration.elements.pickers import ReferenceFinder
from dimensions_site.api.errors import Problem
from dimensions_site.elements.declaration.labels import labels_in_messages
from dimensions_site.repositories.models import Role
from dimensions_site.text.formats import grouped_number

# How many of the errors are listed.
_SHOWN_ERRORS = 50


@action(description=gettext_lazy("Change the selected %(verbose_name_plural)s"), permissions=["change"])
@labels_in_messages()
def change_elements(admin: ScopedAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
    """Ask what to change; once that is sent, make a plan and show it, or the errors of the elements.

    Only the plan changes elements, when somebody applies it.
    """
    repository = selected_repository(
        admin,
        request,
        queryset,
        Role.EDITOR,
        gone=_("Nothing was changed: what was selected no longer exists."),
        refused=_("Nothing was changed: this needs the role editor in the repository."),
    )
    if repository is None:
        return None
    count, maximum = queryset.count(), settings.PLAN_MAX_CHANGES
    if count > maximum:
        message = _(
            "%(count)s are selected, and at most %(maximum)s can be changed together. Select fewer, or filter the list."
        )
        messages.error(request, message % {"count": grouped_number(count), "maximum": grouped_number(maximum)})
        return None
    dimension, finder = admin.dimension, ReferenceFinder(request, repository)
    fixed, known = set(admin.model.unique_in_repository.values()), known_keys(dimension, repository)
    form = ChangesForm(dimension.wire, fixed, known, finder.picker_address, finder.descriptions)
    problem: Problem | None = None
    if "chosen" in request.POST:
        changes = form.changes(request.POST)
        if not form.error_count:
            ids = list(queryset.order_by("element_id").values_list("element_id", flat=True))
            patches = SelectedPatches(dimension, repository, ids, changes)
            try:
                plan = plan_of_patches(dimension, repository, request.user.get_username(), patches)
            except Problem as error:
                problem = error
            else:
                if plan.changed:
                    return _to_plan(request, finder, form, plan)
                plan.delete()
                form.errors.append(_("Nothing would change: these values are there already."))
    return _changes_page(admin, request, finder, form, count, problem)


def _to_plan(request: HttpRequest, finder: ReferenceFinder, form: ChangesForm, plan: Plan) -> HttpResponse:
    message = ngettext(
        "A change proposal was made: %(changed)s of %(count)s selected would change.",
        "A change proposal was made: %(changed)s of the %(count)s selected would change.",
        plan.changed + plan.unchanged,
    )
    counts = {"changed": grouped_number(plan.changed), "count": grouped_number(plan.changed + plan.unchanged)}
    messages.info(request, message % counts)
    if unknown := finder.mark_unknown(form):
        references = ", ".join(f"{control.name} '{control.typed}'" for control in unknown)
        message = _("The ids in these fields do not exist in the repository: %(references)s.")
        messages.warning(request, message % {"references": references})
    return redirect("admin:bulkops_plan_change", plan.pk)


def _changes_page(
    admin: ScopedAdmin,
    request: HttpRequest,
    finder: ReferenceFinder,
    form: ChangesForm,
    count: int,
    problem: Problem | None,
) -> HttpResponse:
    errors = [] if problem is None else problem.failures[:_SHOWN_ERRORS]
    if problem is not None and not errors:
        form.errors.append(str(problem.detail))
    finder.mark_unknown(form)
    return admin.render_page(
        request,
        "admin/changes/choose.html",
        title=_("Change %(elements)s") % {"elements": admin.opts.verbose_name_plural},
        repository=finder.repository,
        form=form,
        count=count,
        errors=errors,
        error_count=0 if problem is None else problem.failure_count,
        more_errors=0 if problem is None else problem.failure_count - len(errors),
        **selection(request),
    )
