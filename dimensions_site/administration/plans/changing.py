"""The admin action that changes fields of the selected elements by a plan (contract C15, K4, G2)."""

from collections.abc import Sequence
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.admin import action
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from bulkops.models import Plan
from bulkops.plans.planning import plan_of_patches
from bulkops.plans.sources import SelectedPatches
from dimensions_site.administration.base.scope import ScopedAdmin, selected_repository, selection
from dimensions_site.administration.elements.changes_form import ChangesForm
from dimensions_site.administration.elements.references import ReferenceFinder
from dimensions_site.api.errors import Problem
from dimensions_site.elements.declaration.labels import labels_in_messages
from dimensions_site.elements.writing.field_changes import FieldChange
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import grouped_number

# How many of the errors are listed.
_SHOWN_ERRORS = 50


@action(description=gettext_lazy("Change the selected %(verbose_name_plural)s"), permissions=["change"])
@labels_in_messages()
def change_elements(admin: ScopedAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
    """Ask what to change; once that is sent, make a plan and show it, or the errors of the elements.

    Only the plan changes elements, when somebody applies it.
    """
    repository = repository_to_change(admin, request, queryset)
    if repository is None:
        return None
    finder, fixed = ReferenceFinder(request, repository), set(admin.model.unique_in_repository.values())
    form = ChangesForm(admin.dimension, finder, {}, fixed)
    problem: Problem | None = None
    if "chosen" in request.POST:
        changes = form.changes(request.POST)
        if not form.error_count:
            try:
                plan = plan_of_changes(admin, request, repository, queryset, changes)
            except Problem as error:
                problem = error
            else:
                if plan is not None:
                    _name_unknown(request, form)
                    return redirect("admin:bulkops_plan_change", plan.pk)
                form.errors.append(_("Nothing would change: these values are there already."))
    if problem is not None and not problem.failures:
        form.errors.append(str(problem.detail))
    form.mark_unknown()
    title = _("Change %(elements)s") % {"elements": admin.opts.verbose_name_plural}
    template = "admin/changes/choose.html"
    return changes_page(admin, request, template, title, repository, queryset.count(), problem, form)


def repository_to_change(admin: ScopedAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> Repository | None:
    """Return the repository of the selected elements; None and a message if they cannot be changed together."""
    repository = selected_repository(
        admin,
        request,
        queryset,
        gone=_("Nothing was changed: what was selected no longer exists."),
        refused=_("Nothing was changed: this needs the role proposer in the repository."),
    )
    count, maximum = queryset.count(), settings.PLAN_MAX_CHANGES
    if repository is not None and count > maximum:
        message = _(
            "%(count)s are selected, and at most %(maximum)s can be changed together. Select fewer, or filter the list."
        )
        messages.error(request, message % {"count": grouped_number(count), "maximum": grouped_number(maximum)})
        return None
    return repository


def plan_of_changes(
    admin: ScopedAdmin,
    request: HttpRequest,
    repository: Repository,
    queryset: QuerySet[Any],
    changes: Sequence[FieldChange],
) -> Plan | None:
    """Return a plan of the changes to the selected elements, with a message; None if nothing would change.

    Raises `Problem` as `make_plan` does.
    """
    ids = list(queryset.order_by("element_id").values_list("element_id", flat=True))
    patches = SelectedPatches(admin.dimension, repository, ids, changes)
    plan = plan_of_patches(admin.dimension, repository, cast(User, request.user), patches)
    if not plan.changed:
        plan.delete()
        return None
    message = ngettext(
        "A change proposal was made: %(changed)s of %(count)s selected would change.",
        "A change proposal was made: %(changed)s of the %(count)s selected would change.",
        plan.changed + plan.unchanged,
    )
    counts = {"changed": grouped_number(plan.changed), "count": grouped_number(plan.changed + plan.unchanged)}
    messages.info(request, message % counts)
    return plan


def changes_page(
    admin: ScopedAdmin,
    request: HttpRequest,
    template: str,
    title: str,
    repository: Repository,
    count: int,
    problem: Problem | None,
    form: Any,
) -> HttpResponse:
    """Return a page that asks how to change the `count` selected elements, with why no plan could be made."""
    errors = [] if problem is None else problem.failures[:_SHOWN_ERRORS]
    error_count = 0 if problem is None else problem.failure_count
    return admin.render_page(
        request,
        template,
        title=title,
        repository=repository,
        count=count,
        form=form,
        errors=errors,
        error_count=error_count,
        more_errors=error_count - len(errors),
        **selection(request),
    )


def _name_unknown(request: HttpRequest, form: ChangesForm) -> None:
    if unknown := form.mark_unknown():
        references = ", ".join(f"{control.name} '{control.typed}'" for control in unknown)
        message = _("The ids in these fields do not exist in the repository: %(references)s.")
        messages.warning(request, message % {"references": references})
