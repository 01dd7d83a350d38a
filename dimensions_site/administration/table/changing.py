"""The admin actions that change the selected elements by a plan: fields alike, or a text in them (contract C15, K4)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from http import HTTPStatus
from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.admin import action
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from bulkops.plans.planning import plan_of_patches
from bulkops.plans.sources import SelectedPatches
from dimensions_site.administration.base.bounded import Page
from dimensions_site.administration.base.scope import ScopedAdmin, selected_repository, selection
from dimensions_site.administration.elements.changes_form import ChangesForm
from dimensions_site.administration.elements.deleting import delete_elements
from dimensions_site.administration.elements.editing import NOT_SAVED
from dimensions_site.administration.elements.references import ReferenceFinder
from dimensions_site.administration.table.columns import TableColumns
from dimensions_site.api.errors import Problem
from dimensions_site.elements.declaration.labels import labels_in_messages
from dimensions_site.elements.declaration.texts import CODE_LENGTH
from dimensions_site.elements.declaration.wire import NamedField
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.selection import DESCRIPTIONS
from dimensions_site.elements.writing.merging import FieldChange, How
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.text.formats import grouped_number

# How many of the errors are listed.
_SHOWN_ERRORS = 50
# The longest text of a field.
_LONGEST = 1_000
# Marks a request that only shows again what was typed.
_AGAIN = "dimensions.again"


class ReplacementForm(forms.Form):
    """What to find, what to write there, and in which of the `columns`: fields and languages, by name."""

    text = forms.CharField(
        label=gettext_lazy("Find"), max_length=_LONGEST, strip=False, widget=UnfoldAdminTextInputWidget
    )
    replacement = forms.CharField(
        label=gettext_lazy("Replace by"),
        max_length=_LONGEST,
        strip=False,
        required=False,
        help_text=gettext_lazy("Blanks count. Without a text here, what is found is removed."),
        widget=UnfoldAdminTextInputWidget,
    )
    matches_case = forms.BooleanField(
        label=gettext_lazy("Only with the same capital letters"), required=False, widget=UnfoldBooleanWidget
    )
    columns = forms.MultipleChoiceField(label=gettext_lazy("In"), widget=UnfoldAdminCheckboxSelectMultipleWidget)

    def __init__(self, columns: Mapping[str, NamedField], data: Any = None) -> None:
        descriptions = [name for name, column in columns.items() if column.place.path == DESCRIPTIONS]
        super().__init__(data, initial={"columns": descriptions})
        self._columns = columns
        choices = [(name, column.heading) for name, column in columns.items()]
        cast(forms.MultipleChoiceField, self.fields["columns"]).choices = choices

    def changes(self) -> list[FieldChange]:
        """Return the changes; an element in which nothing is found stays as it is."""
        chosen = self.cleaned_data
        pattern = re.compile(re.escape(chosen["text"]), 0 if chosen["matches_case"] else re.IGNORECASE)
        columns = [self._columns[name] for name in chosen["columns"]]
        value = (pattern, chosen["replacement"])
        return [FieldChange(column.place, column.key, How.REPLACE, value) for column in columns]


@action(description=gettext_lazy("Change"), permissions=["change"])
@labels_in_messages()
def change_elements(admin: ScopedAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
    """Ask what to change; once that is sent, make a plan and show it, or the errors of the elements.

    Only the plan changes elements, when somebody applies it.
    """
    repository = _repository_to_change(admin, request, queryset)
    if repository is None:
        return None
    finder, fixed = ReferenceFinder(request, repository), set(admin.model.unique_in_repository.values())
    form = ChangesForm(admin.dimension, finder, {}, fixed)
    sent = form.changes(request.POST) if "chosen" in request.POST else ()
    unknown = form.mark_unknown()
    answer = _planned(
        admin,
        request,
        repository,
        queryset,
        form,
        () if form.error_count else sent,
        nothing=_("Nothing would change: these values are there already."),
        point_out=form.errors.append,
        template="admin/changes/choose.html",
        title=_("Change %(elements)s"),
    )
    if unknown and answer.status_code == HTTPStatus.FOUND:
        references = ", ".join(f"{control.name} '{control.typed}'" for control in unknown)
        message = _("The ids in these fields do not exist in the repository: %(references)s.")
        messages.warning(request, message % {"references": references})
    return answer


@action(description=gettext_lazy("Replace a text"), permissions=["change"])
@labels_in_messages()
def replace_text(admin: ScopedAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
    """Ask what to replace; once that is sent, make a plan and show it, or the errors of the elements."""
    repository = _repository_to_change(admin, request, queryset)
    if repository is None:
        return None
    columns = {column.path: column for column in _texts(admin.dimension, repository)}
    form = ReplacementForm(columns, request.POST if "text" in request.POST else None)
    return _planned(
        admin,
        request,
        repository,
        queryset,
        form,
        form.changes() if form.is_valid() else (),
        nothing=_("The text does not occur there."),
        point_out=partial(form.add_error, "text"),
        template="admin/changes/replace.html",
        title=_("Replace a text in %(elements)s"),
    )


def changes_again(admin: ScopedAdmin, request: HttpRequest, data: QueryDict) -> HttpResponse:
    """Show the form of a change or deletion with the `data` that was typed before the user signed in again.

    Nothing is planned or deleted.
    """
    action = data.get("action", "")
    if action not in (change_elements.__name__, replace_text.__name__, delete_elements.__name__):
        return redirect(request.get_full_path())
    messages.warning(request, NOT_SAVED)
    again: Any = copy(request)
    # The action that was checked, and no other that was sent with it. It plans nothing, so it needs no token.
    again.method, again.POST, again.csrf_processing_done = "POST", data.copy(), True
    again.POST["action"], again.META = action, {**request.META, _AGAIN: True}
    again.POST.pop("confirmed", None)
    return cast(HttpResponse, admin.changelist_view(again))


CHANGES_PAGE = Page("changelist", "", lambda admin, request: admin.changelist_view(request), again=changes_again)


def _repository_to_change(admin: ScopedAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> Repository | None:
    """Return the repository of the selected elements; None and a message if they cannot be changed together."""
    repository = selected_repository(admin, request, queryset)
    count, maximum = queryset.count(), settings.PLAN_MAX_CHANGES
    if repository is not None and count > maximum:
        message = _(
            "%(count)s are selected, and at most %(maximum)s can be changed together. Select fewer, or filter the list."
        )
        messages.error(request, message % {"count": grouped_number(count), "maximum": grouped_number(maximum)})
        return None
    return repository


def _planned(
    admin: ScopedAdmin,
    request: HttpRequest,
    repository: Repository,
    queryset: QuerySet[Any],
    form: Any,
    changes: Sequence[FieldChange],
    *,
    nothing: str,
    point_out: Callable[[str], None],
    template: str,
    title: str,
) -> HttpResponse:
    """Make a plan of the changes to the selected elements and redirect to its page; else return the page with the form,
    and why there is no plan.

    `point_out` takes a sentence about all elements: `nothing` if nothing would change.
    """
    problem: Problem | None = None
    if changes and _AGAIN not in request.META:
        ids = list(queryset.order_by("element_id").values_list("element_id", flat=True))
        patches = SelectedPatches(admin.dimension, repository, ids, changes)
        try:
            plan = plan_of_patches(admin.dimension, repository, cast(User, request.user), patches)
        except Problem as error:
            problem = error
            if not error.failures:
                point_out(str(error.detail))
        else:
            if plan.changed:
                count = plan.changed + plan.unchanged
                message = ngettext(
                    "A change proposal was made: %(changed)s of %(count)s selected would change.",
                    "A change proposal was made: %(changed)s of the %(count)s selected would change.",
                    count,
                )
                counts = {"changed": grouped_number(plan.changed), "count": grouped_number(count)}
                messages.info(request, message % counts)
                return redirect("admin:bulkops_plan_change", plan.pk)
            plan.delete()
            point_out(nothing)
    errors = [] if problem is None else problem.failures[:_SHOWN_ERRORS]
    error_count = 0 if problem is None else problem.failure_count
    return admin.render_page(
        request,
        template,
        title=title % {"elements": admin.opts.verbose_name_plural},
        repository=repository,
        count=queryset.count(),
        form=form,
        errors=errors,
        error_count=error_count,
        more_errors=error_count - len(errors),
        **selection(request),
    )


def _texts(dimension: Dimension, repository: Repository) -> Iterator[NamedField]:
    """Yield the fields and languages with free texts: descriptions first, as people look for those."""
    groups = TableColumns(dimension, repository).groups()
    texts = [column for group in groups for column in group.fields if _is_text(column)]
    described = {place.path for place in dimension.wire.described.values()}
    yield from sorted(
        (column for column in texts if column.path not in described),
        key=lambda column: column.place.path != DESCRIPTIONS,
    )


def _is_text(column: NamedField) -> bool:
    leaf = column.place.leaf
    # Shorter ones are codes.
    is_long = leaf.kind is ValueKind.TEXT and getattr(leaf, "max_length", 0) > CODE_LENGTH
    return column.is_entry or (is_long and leaf.refers_to is None and not leaf.offered)
