"""The form that compares two states of a dimension, of one repository or of two, and its results (contract J2)."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import OperationalError
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from dimensions_site.administration.base.differences import BADGES, CHANGE_OF_ACTION, ShownDifference, values_of
from dimensions_site.administration.base.naming import description_of, element_route, last_versions
from dimensions_site.administration.base.paging import count_up_to, limit_of_count, page_number, requested_page
from dimensions_site.administration.base.past import as_typed, instant_of, state_at_instant
from dimensions_site.administration.conditions.filtering import took_too_long
from dimensions_site.changes.states import State, current_state
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.history.comparing import DifferingElement, Side, compare_states
from dimensions_site.elements.reading.filters import ElementFilter
from dimensions_site.elements.writing.differences import differences_in_words
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import moment

DIFFERENCES_A_PAGE = 50
# The fields of the two sides: the repository and the moment.
SIDES = (("from_repository", "from"), ("repository", "to"))

# The attributes of a browser's field for moments.
MOMENT = {"type": "datetime-local", "step": "1", "max": "9999-12-31T23:59:59"}


class _MomentInput(UnfoldAdminTextInputWidget):
    def format_value(self, value: Any) -> str:
        return as_typed(value or "")


class CompareForm(forms.Form):
    """Two states: a repository and a moment each, now if it is empty; with a filter, those elements that match it.

    The `query` of the page is what was submitted once it names a repository. A valid form has the two `sides`.
    """

    # It has chips of its own on the page.
    filter = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, dimension: Dimension, repositories: dict[int, Repository], query: QueryDict) -> None:
        is_submitted = any(repository in query for repository, _moment in SIDES)
        super().__init__(query if is_submitted else None, initial={"filter": query.get("filter", "")})
        self.query = query
        self.dimension = dimension
        self.repositories = repositories
        self.sides: list[Side] = []
        choices = [(str(key), str(one)) for key, one in repositories.items()]
        headings = (_("Left"), _("Right"))
        for (repository, at), heading in zip(SIDES, headings, strict=True):
            self.fields[repository] = forms.TypedChoiceField(
                label=_("%(side)s: repository") % {"side": heading},
                choices=choices,
                coerce=int,
                widget=UnfoldAdminSelectWidget,
            )
            self.fields[at] = forms.CharField(
                label=_("%(side)s: as of") % {"side": heading},
                required=False,
                widget=_MomentInput({**MOMENT, "title": _("Empty means now.")}),
            )
        self.order_fields([name for side in SIDES for name in side])

    def clean(self) -> dict[str, Any]:
        chosen: dict[str, Any] = self.cleaned_data
        for repository_field, at in SIDES:
            repository = self.repositories.get(chosen.get(repository_field, 0))
            if repository is None or at not in chosen:
                continue
            matching = ElementFilter(self.dimension, repository, self.cleaned_data.get("filter"))
            if not self.has_error("filter"):
                for failure in matching.failures():
                    self.add_error("filter", failure.message)
            try:
                self.sides.append(Side(repository, self._state(chosen[at], repository), matching))
            except ValidationError as error:
                self.add_error(at, error)
        if not self.errors and self.sides[0].state == self.sides[1].state:
            self.add_error("from", _("Both sides are the same state. Choose another moment or another repository."))
        return chosen

    def _state(self, typed: str, repository: Repository) -> State:
        if not typed:
            return current_state(repository.pk, self.dimension.name)[0]
        return state_at_instant(instant_of(typed), repository, self.dimension.name)


def compare_page_by_page(request: HttpRequest, form: CompareForm) -> dict[str, Any]:
    """Return the counts and the differences of the requested page, or of the last one, for the template."""
    number, limit = page_number(request), limit_of_count(request, DIFFERENCES_A_PAGE)
    counts: Counter[str] = Counter()
    page: list[DifferingElement] = []
    with closing(compare_states(*form.sides)) as differing:
        for position, element in enumerate(islice(differing, limit)):
            counts[element.action] += 1
            if position < number * DIFFERENCES_A_PAGE:
                if position % DIFFERENCES_A_PAGE == 0:
                    page = []
                page.append(element)
        has_more = next(differing, None) is not None
    total = counts.total()
    shown = requested_page(request, range(total), DIFFERENCES_A_PAGE)
    return {
        "counts": [
            (label, counts[action], BADGES[CHANGE_OF_ACTION[action]]) for action, label in labels_of(form).items()
        ],
        "sides": side_names(form),
        "total": count_up_to(total + has_more, limit),
        "page": shown,
        "page_numbers": shown.paginator.get_elided_page_range(shown.number),
        "found": list(_shown_differences(form, page)),
    }


def labels_of(form: CompareForm) -> dict[str, str]:
    """Return what each action is called: of two moments what happened, of two repositories where the element is."""
    before, after = (side.repository for side in form.sides)
    if before == after:
        return {action: str(change.label) for action, change in CHANGE_OF_ACTION.items()}
    only = _("Only in %(repository)s")
    return {
        "created": only % {"repository": after.db_id},
        "changed": _("Different"),
        "deleted": only % {"repository": before.db_id},
    }


def side_names(form: CompareForm) -> list[str]:
    """Return what the two sides are called: by their moments, their repositories, or both."""
    if form.sides[0].repository == form.sides[1].repository:
        return [_("Before"), _("After")]
    return [
        f"{side.repository.db_id} · {moment(instant_of(typed))}" if typed else side.repository.db_id
        for side, (_repository, at) in zip(form.sides, SIDES, strict=True)
        for typed in [form.cleaned_data[at]]
    ]


def _shown_differences(form: CompareForm, page: list[DifferingElement]) -> Iterator[ShownDifference]:
    """Yield the elements of the page, each with a link to its last version; two queries."""
    ids, labels = [element.id for element in page], labels_of(form)
    numbers = [last_versions(form.dimension, side.repository, ids) for side in form.sides]
    for element in page:
        side, shown = (0, element.before) if element.after is None else (1, element.after)
        number, change = numbers[side].get(element.id), CHANGE_OF_ACTION[element.action]
        yield ShownDifference(
            element.id,
            change,
            description_of((shown or {}).get("descriptions") or {}, form.sides[side].repository),
            values_of(change, differences_in_words(element.fields())),
            "" if number is None else element_route(form.dimension, "version", number),
            labels[element.action],
        )


def point_out_timeout(form: CompareForm, error: OperationalError) -> None:
    """Show in the form that the comparison took too long. Raises any other `error` again."""
    if not took_too_long(error):
        raise error
    message = _(
        "The comparison took too long and was stopped. Choose moments that are closer together, or restrict it "
        "by a filter, and try again."
    )
    form.add_error(None, message)
