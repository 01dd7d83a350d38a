"""The admin action that replaces a text in fields of the selected elements by a plan (contract C15, K4, G2)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from django import forms
from django.contrib.admin import action
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.administration.plans.changing import changes_page, plan_of_changes, repository_to_change
from dimensions_site.administration.table.columns import TableColumns
from dimensions_site.api.errors import Problem
from dimensions_site.elements.declaration.labels import labels_in_messages
from dimensions_site.elements.declaration.texts import CODE_LENGTH
from dimensions_site.elements.declaration.wire import NamedField
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.selection import DESCRIPTIONS
from dimensions_site.elements.writing.field_changes import FieldChange, How
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.fields import ValueKind

# The longest text of a field.
_LONGEST = 1_000


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


@action(description=gettext_lazy("Replace a text in the selected %(verbose_name_plural)s"), permissions=["change"])
@labels_in_messages()
def replace_text(admin: ScopedAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
    """Ask what to replace; once that is sent, make a plan and show it, or the errors of the elements."""
    repository = repository_to_change(admin, request, queryset)
    if repository is None:
        return None
    columns = {column.path: column for column in _texts(admin.dimension, repository)}
    form = ReplacementForm(columns, request.POST if "text" in request.POST else None)
    problem: Problem | None = None
    if form.is_valid():
        try:
            plan = plan_of_changes(admin, request, repository, queryset, form.changes())
        except Problem as error:
            problem = error
            if not error.failures:
                form.add_error(None, str(error.detail))
        else:
            if plan is not None:
                return redirect("admin:bulkops_plan_change", plan.pk)
            form.add_error("text", _("The text does not occur there."))
    title = _("Replace a text in %(elements)s") % {"elements": admin.opts.verbose_name_plural}
    template = "admin/changes/replace.html"
    return changes_page(admin, request, template, title, repository, queryset.count(), problem, form)


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
