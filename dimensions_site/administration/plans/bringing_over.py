"""From a comparison to the plan that makes one side like the other: bringing over, and going back (contract K4)."""

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from bulkops.plans.requests import PlanRequest
from dimensions_site.administration.elements.comparing import SIDES, ComparedAdmin, CompareForm
from dimensions_site.administration.lists.past import instant_of
from dimensions_site.administration.plans.making import ANY_NUMBER, NO_ELEMENTS, open_new_plan
from dimensions_site.elements.reading.answers import instant_text
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.text.formats import moment


@dataclass(frozen=True)
class Target:
    """A side of a comparison that can be made like the other one: its `name`, the text of its button, and the plan."""

    name: str
    label: str
    repository: Repository
    plan_request: PlanRequest


class BringOverMixin(ComparedAdmin):
    """Adds the buttons to the page that compares, and the view that makes the plan."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(require_POST(self.bring_over_view))
        return [path("compare/plan/", view, name=self.url_name("compare_plan")), *super().get_urls()]

    def compare_page(self, request: HttpRequest, form: CompareForm, **found: Any) -> HttpResponse:
        """Return the page with a button for each side that the user may change, if there are differences."""
        targets = self._targets(request, form) if found.get("total") else []
        return super().compare_page(request, form, **found, targets=targets)

    def bring_over_view(self, request: HttpRequest) -> HttpResponse:
        """Make the plan of the comparison in the URL, for the side `into`, and redirect to its page."""
        form = self.compare_form(request)
        if not form.is_valid():
            return self.compare_page(request, form)
        name = request.POST.get("into")
        target = next((one for one in self._targets(request, form) if one.name == name), None)
        if target is None:
            raise PermissionDenied
        back = f"{self.route('compare')}?{request.GET.urlencode()}"
        return open_new_plan(request, self.dimension, target.repository, target.plan_request, back=back)

    def _targets(self, request: HttpRequest, form: CompareForm) -> list[Target]:
        """Return the sides that are of now, and of repositories of which the user is an editor."""
        open_keys = self.open_keys(request, Role.EDITOR)
        return [
            self._target(form, number)
            for number, (_repository, at) in enumerate(SIDES)
            if not form.cleaned_data[at] and form.sides[number].repository.pk in open_keys
        ]

    def _target(self, form: CompareForm, number: int) -> Target:
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
            label = _("Go back to the state of %(when)s UTC…")
        elif instant is None:
            label = _("Bring over from %(source)s into %(target)s…")
        else:
            label = _("Bring over from %(source)s as of %(when)s UTC into %(target)s…")
        return Target(SIDES[number][1], label % words, target, plan_request)
