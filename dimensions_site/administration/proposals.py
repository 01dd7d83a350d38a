"""Whether a person writes on a page or proposes, the change proposals that pages make, and why one is refused.

Pages propose elements and deletions (contract O1, O2, O4), or make one state like another: to undo, to go back, to
bring over (contract K4, K7).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import reduce
from types import MappingProxyType
from typing import Any

import msgspec
import orjson
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bulkops.files.imports.options import Share
from bulkops.models import Plan
from bulkops.plans.planning import make_plan
from bulkops.plans.requests import PlanRequest
from bulkops.session.items import Envelope, all_operations
from dimensions_site.administration.base.bounded import Page, open_keys, require_role
from dimensions_site.administration.base.scope import GrantedAdmin
from dimensions_site.api.errors import Problem, as_problem, forbidden
from dimensions_site.api.failures import pointer_segments, wire_path
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor
from dimensions_site.changes.states import State
from dimensions_site.db.read_limits import is_cancellation
from dimensions_site.elements.dimension import Dimension, dimension_named
from dimensions_site.elements.history.moments import state_of_moment
from dimensions_site.repositories.models import Repository, Role

# People see what would be deleted before the plan is applied.
ANY_NUMBER = Share(Decimal(100), is_percentage=True)

# The source is a state, so no elements are sent.
NO_ELEMENTS = Envelope("LOOSE", all_operations({}))
# Problems and errors that name parts of a request, which people have not written.
_IN_WORDS = {
    "CHANGED_SINCE": gettext_lazy("It has changed since."),
    "HISTORY_EXPIRED": gettext_lazy("Old versions that this needs were purged. What they had cannot be brought back."),
    "TOO_MANY_DELETIONS": gettext_lazy("The proposal would delete more than its limit allows."),
    "TOO_MANY_CHANGES": gettext_lazy("The proposal changes too much at once. Restrict it by a filter."),
    "OUTSIDE_SCOPE": gettext_lazy("It does not match the filter, and only what matches may be changed."),
    "UNKNOWN_CHANGE_SET": gettext_lazy("There is nothing to undo: what was changed then is no longer stored."),
    "TOO_MANY_PLANS": gettext_lazy(
        "You have too many change proposals here that are not applied. Delete those that you no longer need."
    ),
    "PLANS_TOO_LARGE": gettext_lazy(
        "With this one, your change proposals here would become too large. Delete those that you no longer need, "
        "or restrict this one by a filter."
    ),
    "CONFLICT": gettext_lazy("Others are saving right now. Nothing was changed; try again in a few seconds."),
    "REPOSITORY_BUSY": gettext_lazy("Others are saving right now. Nothing was changed; try again in a few seconds."),
    "QUERY_TIMEOUT": gettext_lazy("This took too long and was stopped. Restrict it by a filter, and try again."),
    "TOO_MANY_LONG_READS": gettext_lazy("Others are reading a lot right now. Try again in a few seconds."),
    "PLAN_NOT_FOUND": gettext_lazy("The change proposal does not exist any more. Nothing was changed."),
    "PLAN_APPLIED": gettext_lazy("The change proposal is applied already."),
    "PLAN_INVALID": gettext_lazy("The change proposal has errors, so it cannot be applied."),
    "PLAN_APPROVED": gettext_lazy("The change proposal is approved already."),
    "PLAN_REJECTED": gettext_lazy("The change proposal was rejected."),
    "OWN_PLAN": gettext_lazy("You have made this change proposal, so another person must approve or reject it."),
    "APPROVAL_REQUIRED": gettext_lazy("Nothing was changed: this needs the approval of a second person."),
    "PLAN_OUTDATED": gettext_lazy("Nothing was changed: what the proposal concerns has changed since it was made."),
}


def proposes(request: HttpRequest, repository: Repository, dimension: str, *, deletes: bool = False) -> bool:
    """Return whether what the user does here becomes a change proposal: their role is too small to write, the
    repository requires an approval, or either was so when they opened the page and it offered to propose. `deletes`
    says whether it deletes elements.
    """
    needed = Role.MANAGER if deletes else Role.EDITOR
    is_too_small = repository.pk not in open_keys(request, dimension, needed)
    was_offered = "_proposes" in request.POST
    return was_offered or is_too_small or repository.approval_of(dimension).requires(deletes=deletes)


def planner(user: Any) -> Actor:
    """Return the `user` as the author of a plan that they make on a page."""
    return Actor(user.get_username(), Channel.PLAN, key=user.pk)


def propose(
    request: HttpRequest,
    dimension: Dimension,
    repository: Repository,
    *,
    reason: str | None,
    elements: Mapping[str, Any] = MappingProxyType({}),
    deletions: Sequence[str] = (),
) -> Plan:
    """Return the new plan that deletes the elements with the ids `deletions`, and posts or puts the JSON `elements`,
    one by operation.

    Raises PermissionDenied for readers, and `Problem` as `make_plan` does, with failures that name the fields of a
    single element by wire path.
    """
    require_role(request, repository, dimension.name, Role.PROPOSER)
    sent = {name: [msgspec.Raw(orjson.dumps(element))] for name, element in elements.items()}
    plan_request = PlanRequest(Envelope("LOOSE", all_operations(sent)), deletions, max_delete=ANY_NUMBER, reason=reason)
    try:
        return make_plan(dimension, repository, planner(request.user), plan_request)
    except Problem as problem:
        if elements:
            problem.failures = tuple(
                replace(failure, path=reduce(wire_path, pointer_segments(failure.path)[2:], ""))
                for failure in problem.failures
            )
        raise


def open_plan(request: HttpRequest, make: Callable[[], Plan], *, back: str) -> HttpResponse:
    """Make a plan and redirect to its page; if that fails, redirect to the URL `back` with messages that say why."""
    try:
        plan = make()
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


def open_new_plan(
    request: HttpRequest, dimension: Dimension, repository: Repository, plan_request: PlanRequest, *, back: str
) -> HttpResponse:
    """Make the plan of a state and redirect to its page, as `open_plan` does."""

    def state_of() -> tuple[Repository, State | None]:
        source = repository
        if plan_request.repository is not None:
            source = _readable(request, dimension, plan_request.repository)
        moment = plan_request.as_of
        return source, None if moment is None else state_of_moment("asOf", moment, source, dimension.name)

    def make() -> Plan:
        return make_plan(dimension, repository, planner(request.user), plan_request, state_of=state_of)

    return open_plan(request, make, back=back)


def _readable(request: HttpRequest, dimension: Dimension, db_id: str) -> Repository:
    found = Repository.objects.filter(pk__in=open_keys(request, dimension.name), db_id=db_id).first()
    if found is None:
        message = _("The repository {repository} is not open to you.").format(repository=db_id)
        raise forbidden("NO_GRANT", message)
    return found


def undo_address(admin: GrantedAdmin, request: HttpRequest, row: Any, id: str | None) -> str:
    """Return the URL for the button of `admin/plans/undo.html`; empty if the user may not undo the `row`.

    `id` is that of the change set or operation that the row stands for; None if it wrote nothing.
    """
    is_open = id is not None and admin.has_role(request, row, Role.PROPOSER)
    return admin.route("undo", row.pk) if is_open else ""


def undo_page(id_of: Callable[[Any], str | None]) -> Page:
    """Return the page that makes the plan of the undo of a row; `id_of` returns the id that `undo_address` takes."""

    def undo(admin: GrantedAdmin, request: HttpRequest, oid: str) -> HttpResponse:
        row = admin.get_object(request, oid)
        if not undo_address(admin, request, row, id_of(row)):
            raise PermissionDenied
        plan_request = PlanRequest(NO_ELEMENTS, undo=id_of(row), max_delete=ANY_NUMBER)
        dimension = dimension_named(row.dimension)
        return open_new_plan(request, dimension, row.repository, plan_request, back=admin.route("change", row.pk))

    return Page("undo", "<str:oid>/undo/", undo, "POST")


def has_words(problem: Problem) -> bool:
    """Return whether the problem as a whole has a sentence for people."""
    return problem.code in _IN_WORDS


def problem_words(problem: Problem) -> list[str]:
    """Return the sentences that say what is wrong: one for each error of a request, else one."""
    if has_words(problem):
        return [str(_IN_WORDS[problem.code])]
    return [failure_words(one.code, one.message) for one in problem.failures] or [str(problem.detail)]


def failure_words(code: str, message: str) -> str:
    """Return the sentence for an error with this `code`: the `message`, if there is no other."""
    return str(_IN_WORDS.get(code, message))
