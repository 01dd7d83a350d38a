"""The REST routes of plans (contract K4 to K7)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import ClassVar, cast
from uuid import uuid4

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpResponse, StreamingHttpResponse
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from bulkops.models import Plan, PlanAction
from bulkops.plans.deciding import (
    apply_plan,
    approve_plan,
    check_applicable,
    check_is_not_own,
    is_own,
    mark_if_outdated,
    reject_plan,
)
from bulkops.plans.planning import make_plan
from bulkops.plans.requests import OPTIONS, PlanRequest, read_decision, read_options, read_request
from bulkops.plans.scopes import ElementScope
from bulkops.plans.stored import change_texts, changes_of, deciding_role, find_plan, plan_text, plans
from bulkops.rest import plan_operations as operations
from bulkops.rest.bodies import EMPTY_CELLS, LinesParser, RowsBody, TableParser, empty_cells_failures, read_elements
from dimensions_site.api.access.throttling import BulkThrottle, CallThrottle
from dimensions_site.api.errors import Failure, Problem, bad_request, check_all
from dimensions_site.api.json.texts import shown_value
from dimensions_site.api.lists import AFTER, BY_CREATION, SkipTake, linked_page
from dimensions_site.api.parsers import BulkBodyParser
from dimensions_site.api.rendering import NdjsonRenderer, media_type
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor
from dimensions_site.changes.requirements import REASON_HEADER, InvalidReason, sent_reason, typed_reason
from dimensions_site.changes.states import State
from dimensions_site.elements.history.moments import state_of_moment
from dimensions_site.elements.reading.etags import check_preconditions, etag_of
from dimensions_site.elements.rest.dimension import DimensionViewSet
from dimensions_site.repositories.models import Repository, Role


class PlanViewSet(DimensionViewSet):
    """Makes, shows, lists, applies and deletes plans of one dimension of one repository."""

    timeout = settings.BULK_WAIT_SECONDS

    schema = operations.PlanSchema()
    throttle_classes = (CallThrottle, BulkThrottle)
    parser_classes = (BulkBodyParser, LinesParser, TableParser)
    query_parameters: ClassVar[dict[str, frozenset[str] | None]] = {
        "make": frozenset({*OPTIONS, EMPTY_CELLS}),
        "list": frozenset({"skip", "take", AFTER}),
        "changes": frozenset({"action", "skip", "take"}),
    }
    further_renderers: ClassVar[Mapping[str, Sequence[type[BaseRenderer]]]] = {"changes": (NdjsonRenderer,)}
    roles: ClassVar[dict[str, Role]] = {
        "make": Role.PROPOSER,
        "remove": Role.PROPOSER,
        **dict.fromkeys(("apply", "approve", "reject"), Role.EDITOR),
    }
    tagged = frozenset({"apply", "approve", "reject", "remove"})

    @operations.MAKE
    def make(self, request: Request, **path: str) -> HttpResponse:
        """Compute what a source would change, and keep it: 201 with its location (contract K4)."""
        with self._reading(cast(bytearray | RowsBody, request.data)) as plan_request:
            plan = make_plan(
                self.dimension,
                self.scope.repository,
                Actor(self.user.get_username(), Channel.PLAN, f"{uuid4()}", key=self.user.pk),
                replace(plan_request, reason=self._reason_of(plan_request)),
                state_of=lambda: self._state(plan_request),
            )
        response = self._answer(plan, status=201)
        response["Location"] = self.address("plan", plan_id=str(plan.pk))
        return response

    @operations.LIST
    def list(self, request: Request, **path: str) -> StreamingHttpResponse:
        """Return the plans of this dimension of this repository, the latest first (contract K5)."""
        _, paging = self._query()
        found = plans(self.scope.repository, self.dimension.name)
        headers = self.count_headers(found.order_by().count)
        page, link = linked_page(found, BY_CREATION, paging, request)
        return self.stream_texts(map(plan_text, page.iterator()), headers | link)

    @operations.SHOW
    def show(self, request: Request, **path: str) -> HttpResponse:
        """Return the plan, without its changes (contract K5)."""
        return self._answer(self._found(path))

    @operations.CHANGES
    def changes(self, request: Request, **path: str) -> StreamingHttpResponse:
        """Return what the plan does, by element, streamed as a comparison (contract K5)."""
        action, paging = self._query()
        found = changes_of(self._found(path), action)
        headers = self.count_headers(found.order_by().count)
        return self.stream_texts(change_texts(found[paging.window]), headers)

    @operations.APPLY
    def apply(self, request: Request, **path: str) -> HttpResponse:
        """Do exactly what the plan shows, or nothing (contract K6)."""
        plan = self._found(path)
        _ = request.data  # a body is an error
        check_applicable(plan)
        self._check_is_seen(plan)
        actor = Actor(self.user.get_username(), Channel.PLAN, str(plan.pk), self._reason_to_apply(plan))
        return self._answer(apply_plan(plan, actor, self.scope.require))

    @operations.APPROVE
    def approve(self, request: Request, **path: str) -> HttpResponse:
        """Approve exactly what the plan shows (contract O3)."""
        plan, text = self._to_decide(path, requires_text=False)
        return self._answer(approve_plan(plan, self.user, text, self.scope.require))

    @operations.REJECT
    def reject(self, request: Request, **path: str) -> HttpResponse:
        """Reject the plan for good, and say why (contract O3)."""
        plan, text = self._to_decide(path, requires_text=True)
        return self._answer(reject_plan(plan, self.user, text or "", self.scope.require))

    @operations.REMOVE
    def remove(self, request: Request, **path: str) -> HttpResponse:
        """Delete the plan; what it has changed stays (contract K5). Proposers delete their own (O1)."""
        plan = self._found(path)
        if not is_own(plan, self.user):
            self.scope.require(Role.EDITOR)
        check_preconditions(request, etag_of(plan_text(plan)), of="plan")
        plan.delete()
        return HttpResponse(status=204)

    def handle_exception(self, exc: Exception) -> Response:
        """Store once more that the plan is outdated: with an `Idempotency-Key`, that was rolled back with the rest."""
        with suppress(DatabaseError):
            mark_if_outdated(self.kwargs.get("plan_id", ""), exc)
        return super().handle_exception(exc)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[BaseRenderer, str]:
        """Return the renderer. A removal has no content, so any `Accept` will do; it selects the format of errors."""
        return super().perform_content_negotiation(request, force or self.action == "remove")

    def check_values(self) -> None:
        if self.action == "make":
            query, body = self.request.query_params, media_type(self.request.content_type)
            replacing = "replace=true" if query.get("replace") == "true" else ""
            message = "{} is a parameter of bodies in NDJSON and CSV; in a JSON body it is a member."
            names = sorted(query.keys() & {*OPTIONS}) if body == BulkBodyParser.media_type else ()
            failures = [Failure(name, "UNKNOWN_PARAMETER", message.format(name)) for name in names]
            wrong = () if body == BulkBodyParser.media_type else self._options().envelope.failures
            failures += (replace(one, path=one.path.removeprefix("/")) for one in wrong)
            check_all([*empty_cells_failures(query, body, replacing), *failures])
        elif self.action in ("list", "changes"):
            self._query()

    @property
    def takes_body(self) -> bool:
        return self.action != "apply"

    @property
    def is_trial(self) -> bool:
        """Return True: making a plan needs no reason, and applying it can use the reason of the plan."""
        return True

    def _found(self, path: dict[str, str]) -> Plan:
        return find_plan(self.scope.repository, self.dimension.name, path["plan_id"])

    def _to_decide(self, path: dict[str, str], *, requires_text: bool) -> tuple[Plan, str | None]:
        """Return the plan in the path and the text in the body. Raises what forbids the client to decide on it."""
        self.scope.require_person()
        plan = self._found(path)
        self.scope.require(deciding_role(plan))
        check_is_not_own(plan, self.user)
        text = read_decision(cast(bytearray, self.request.data), requires_text=requires_text)
        check_applicable(plan)
        self._check_is_seen(plan)
        return plan, text

    def _check_is_seen(self, plan: Plan) -> None:
        """Raise `Problem` 428 or 412 unless the client names the state of the plan that it has seen."""
        if self.request.headers.get("If-Match", "*").strip() == "*":
            detail = "Send If-Match with the ETag of the plan that you have seen; * names none."
            raise Problem(428, "PRECONDITION_REQUIRED", detail)
        check_preconditions(self.request, etag_of(plan_text(plan)), of="plan")

    def _answer(self, plan: Plan, *, status: int = 200) -> HttpResponse:
        text = plan_text(plan)
        counts = {"X-Created": plan.created, "X-Changed": plan.changed, "X-Unchanged": plan.unchanged}
        headers = {name: str(count) for name, count in {**counts, "X-Deleted": plan.deleted}.items()}
        headers["ETag"] = etag_of(text)
        return HttpResponse(text.encode(), status=status, content_type="application/json", headers=headers)

    @contextmanager
    def _reading(self, body: bytearray | RowsBody) -> Iterator[PlanRequest]:
        """Yield the request for a plan, for the block, which makes it; lines and tables are snapshots.

        Raises as `read_elements` does: the path of an error in a snapshot is the index of a line as in `/0/id`, or the
        line and column of a table.
        """
        if isinstance(body, bytearray):
            yield read_request(body, (self._scope_of, self._reason_of))
            return
        options, repository = self._options(), self.scope.repository
        operation = "put" if self.request.query_params.get("replace") == "true" else "merge"
        with read_elements(body, self.request, self.dimension, repository, operation, checks_repeated=False) as read:
            yield replace(options, envelope=replace(read, save_mode=options.envelope.save_mode))

    def _options(self) -> PlanRequest:
        """Return the request for a plan that the query has, with everything that is wrong with it."""
        query = self.request.query_params
        sent = {name: query[name] for name in OPTIONS if name in query}
        return read_options(sent, (self._scope_of, self._reason_of))

    def _scope_of(self, plan_request: PlanRequest) -> ElementScope:
        return ElementScope(self.dimension, self.scope.repository, plan_request.scope)

    def _reason_of(self, plan_request: PlanRequest) -> str | None:
        """Return the reason of the plan, for its changes once it is applied. Raises 400 for an invalid one."""
        if plan_request.reason is None:
            return self.reason
        try:
            return typed_reason(plan_request.reason, self.scope.repository)
        except InvalidReason as error:
            raise bad_request([error.failure("/reason")]) from None

    def _reason_to_apply(self, plan: Plan) -> str | None:
        if self.reason is not None or plan.reason is not None:
            return self.reason or plan.reason
        try:
            return sent_reason(None, self.scope.repository)
        except InvalidReason as error:
            raise bad_request([error.failure(REASON_HEADER)]) from None

    def _state(self, plan_request: PlanRequest) -> tuple[Repository, State | None]:
        """Return the repository and the state that the request names. Raises 404, 403 or 400 if it must not."""
        repository = self.repository_named(plan_request.repository)
        if plan_request.as_of is None:
            return repository, None
        try:
            return repository, state_of_moment("asOf", plan_request.as_of, repository, self.dimension.name)
        except Problem as problem:
            if problem.failures:  # it is in the body
                raise bad_request([replace(failure, path=f"/{failure.path}") for failure in problem.failures]) from None
            raise

    def _query(self) -> tuple[str | None, SkipTake]:
        """Return the action and the page that the query asks for. Raises 400 with everything that is wrong with it."""
        action = self.request.query_params.get("action")
        failures: list[Failure] = []
        if action is not None and action not in PlanAction:
            message = f"action must be one of {', '.join(PlanAction.values)}; got {shown_value(action)}."
            failures.append(Failure("action", "INVALID_VALUE", message))
        [paging] = check_all(failures, lambda: self.paging(BY_CREATION))
        return action, paging
