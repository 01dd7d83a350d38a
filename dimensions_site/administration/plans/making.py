"""Plans that people make on pages of the administration: to undo, to go back, to bring over (contract K4, K7)."""

from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from bulkops.files.imports.options import Share
from bulkops.models import Plan
from bulkops.plans.planning import make_plan
from bulkops.plans.requests import PlanRequest
from bulkops.session.items import Envelope, operations
from dimensions_site.administration.base.bounded import open_keys
from dimensions_site.administration.base.granted import GrantedAdmin
from dimensions_site.administration.base.page import Page
from dimensions_site.administration.plans.words import problem_words
from dimensions_site.api.errors import Problem, as_problem, forbidden
from dimensions_site.changes.models import Channel
from dimensions_site.changes.states import State
from dimensions_site.db.read_limits import is_cancellation
from dimensions_site.elements.dimension import Dimension, dimension_named
from dimensions_site.elements.history.moments import state_of_moment
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.repositories.models import Repository, Role

# The source is a state, so no elements are sent.
NO_ELEMENTS = Envelope("LOOSE", operations({}))
# People see what would be deleted before they apply the plan.
ANY_NUMBER = Share(Decimal(100), is_percentage=True)


def open_new_plan(
    request: HttpRequest, dimension: Dimension, repository: Repository, plan_request: PlanRequest, *, back: str
) -> HttpResponse:
    """Make the plan and redirect to its page; if that fails, redirect to the URL `back` with messages that say why."""
    try:
        plan = _made(request, dimension, repository, plan_request)
    except OperationalError as error:
        if not is_cancellation(error):
            raise
        problem = as_problem(error)
    except Problem as refusal:
        problem = refusal
    else:
        return redirect("admin:bulkops_plan_change", plan.pk)
    for text in problem_words(problem):
        messages.error(request, text)
    return redirect(back)


def _made(request: HttpRequest, dimension: Dimension, repository: Repository, plan_request: PlanRequest) -> Plan:
    def state_of() -> tuple[Repository, State | None]:
        source = (
            repository if plan_request.repository is None else _readable(request, dimension, plan_request.repository)
        )
        moment = plan_request.as_of
        return source, None if moment is None else state_of_moment("asOf", moment, source, dimension.name)

    def require(role: Role) -> None:
        if repository.pk not in open_keys(request, dimension.name, role):
            message = _("This would delete, for which you need the role manager in the repository.")
            raise forbidden("ROLE_TOO_SMALL", message)

    actor = Actor(request.user.get_username(), Channel.PLAN)
    return make_plan(dimension, repository, actor, plan_request, state_of=state_of, require=require)


def _readable(request: HttpRequest, dimension: Dimension, db_id: str) -> Repository:
    found = Repository.objects.filter(pk__in=open_keys(request, dimension.name), db_id=db_id).first()
    if found is None:
        message = _("The repository {repository} is not open to you.").format(repository=db_id)
        raise forbidden("NO_GRANT", message)
    return found


class UndoMixin(GrantedAdmin):
    """Adds the view that makes a plan of the undo, and leads to it. Its button is `admin/plans/undo.html`."""

    def undo_id(self, row: Any) -> str | None:
        """Return the id of the change set, or of the operation, that the row stands for; None if it wrote nothing."""
        raise NotImplementedError

    def may_undo(self, request: HttpRequest, row: Any) -> bool:
        """Return whether the row can be undone, and the user is an editor of its elements."""
        return self.undo_id(row) is not None and self.has_role(request, row, Role.EDITOR)

    def undo_address(self, request: HttpRequest, row: Any) -> str:
        """Return the URL of the view; empty if the user may not undo the row."""
        return self.route("undo", row.pk) if self.may_undo(request, row) else ""

    def undo_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Make the plan, which changes nothing yet, and redirect to its page: for editors."""
        row = self.get_object(request, oid)
        if not self.may_undo(request, row):
            raise PermissionDenied
        plan_request = PlanRequest(NO_ELEMENTS, undo=self.undo_id(row), max_delete=ANY_NUMBER)
        dimension = dimension_named(row.dimension)
        return open_new_plan(request, dimension, row.repository, plan_request, back=self.route("change", row.pk))

    pages = [Page("undo", "<str:oid>/undo/", undo_view, "POST")]
