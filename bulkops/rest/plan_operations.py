"""The operations on plans in the OpenAPI document of their dimension (contract H3, K4 to K7)."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

from django.conf import settings
from drf_spectacular.utils import Direction, OpenApiResponse, extend_schema
from rest_framework import serializers

from bulkops.files.imports.options import MAX_DELETE
from bulkops.models import Plan, PlanAction, PlanStatus
from bulkops.plans.requests import CONFLICTS
from bulkops.plans.stored import ElementPlan, plan_json
from bulkops.rest.operations import EMPTY_CELLS_QUERY, add_text_examples
from bulkops.rest.schema import DeletionList, ElementBulk
from bulkops.session.items import OPERATIONS, SAVE_MODE, SaveMode
from dimensions_site.changes.requirements import MAX_REASON
from dimensions_site.elements.rest import parameters
from dimensions_site.elements.rest.operations import CHANGE_SET, difference_example, rows
from dimensions_site.elements.rest.parameters import parameter
from dimensions_site.elements.rest.schema import JSON, DimensionSchema
from dimensions_site.elements.rest.wire_schema import SchemaPart
from dimensions_site.elements.writing.differences import ACTION, ElementDifference
from dimensions_site.repositories.models import DB_ID_PATTERN
from dimensions_site.text.files import Format

# A number of elements, or a share of them.
_SHARE = r"^([0-9]{1,9}|(100|[0-9]{1,2}(\.[0-9]{1,6})?)%)$"
# A reason is a text in one line.
_ONE_LINE = r"^[^\x00-\x1f\x7f-\x9f]*$"
_PLAN_ID = "6b1f8e62-3c0a-4f0e-9a57-0d8b1c2e7f44"
_REMARKS = {"approve": "Agreed with the group.", "reject": "The account exists already: use 1010."}
_PLAN = parameter("path", "planId", "The id of the plan, from the response to its making.", format="uuid")
_IF_MATCH = parameter(
    "header", "If-Match", "The `ETag` of the plan that you have seen.", required=True, **parameters.ENTITY_TAGS
)
_ETAG = parameter("header", "ETag", "The state of the plan, for `If-Match`.", required=True, on=[200, 201])
_COUNTS = [
    parameter("header", name, f"The number of elements that are {what}.", on=[200, 201], type="integer", minimum=0)
    for name, what in {
        "X-Created": "new",
        "X-Changed": "changed",
        "X-Unchanged": "stored like this already",
        "X-Deleted": "deleted",
    }.items()
]


class ElementPlanBulk(serializers.Serializer[Any]):
    """Requires at least one of its arrays."""

    def complete_schema(self, schema: SchemaPart, auto_schema: Any, direction: Direction) -> SchemaPart:
        """Return an object with the arrays of a bulk save, and the ids to delete."""
        arrays = auto_schema.resolve_serializer(ElementBulk, direction).schema["properties"]
        deletions = auto_schema.resolve_serializer(DeletionList, direction).ref
        properties = {**{name: arrays[name] for name in OPERATIONS}, "delete": deletions}
        return {"type": "object", "additionalProperties": False, "properties": properties}


class ElementPlanRequest(serializers.Serializer[Any]):
    """Requires exactly one source: `snapshot`, `repository` (with or without `asOf`), `asOf`, `undo` or `bulk`."""

    replace = serializers.BooleanField(
        required=False, help_text="`true`: a snapshot replaces elements, as `put`; otherwise it merges them."
    )
    repository = serializers.RegexField(
        f"^{DB_ID_PATTERN}$", required=False, help_text="Make this repository equal to that one."
    )
    asOf = serializers.CharField(
        required=False, help_text="The state to go back to, or of `repository`: an instant or a `Sync-Token`."
    )
    undo = serializers.CharField(
        required=False,
        min_length=1,
        help_text="The id of a change set, or of the deletion, import or plan that wrote several.",
    )
    onConflict = serializers.ChoiceField(
        CONFLICTS,
        label="OnConflict",
        required=False,
        help_text="`skip`: an undo leaves elements that were changed again since.",
    )
    scope = serializers.CharField(
        required=False, help_text="Conditions in RSQL, as in `filter`: nothing outside them is touched."
    )
    maxDelete = serializers.CharField(
        required=False,
        help_text=f"How many elements the plan may delete: a number or a share of the stored ones; {MAX_DELETE} by "
        "default.",
    )
    saveMode = serializers.ChoiceField(get_args(SaveMode), label=SAVE_MODE, required=False)
    reason = serializers.RegexField(
        _ONE_LINE,
        required=False,
        max_length=MAX_REASON,
        help_text="The reason for the changes, once the plan is applied.",
    )

    def complete_schema(self, schema: SchemaPart, auto_schema: Any, direction: Direction) -> SchemaPart:
        arrays = auto_schema.resolve_serializer(ElementBulk, direction).schema["properties"]
        description = "All elements there should be: those that it lacks are deleted."
        schema["properties"] |= {
            # Nullable, else clients in Java send an empty one beside another source.
            "snapshot": {**arrays["merge"], "nullable": True, "description": description},
            "bulk": auto_schema.resolve_serializer(ElementPlanBulk, direction).ref,
        }
        formats = {"scope": "rsql", "asOf": "instant-or-sync-token", "maxDelete": None}
        for name, form in formats.items():
            schema["properties"][name] |= {"format": form} if form else {"pattern": _SHARE}
        return schema


class ElementPlanApprovalRequest(serializers.Serializer[Any]):
    text = serializers.RegexField(_ONE_LINE, required=False, max_length=MAX_REASON, help_text="A remark, in one line.")


class ElementPlanRejectionRequest(serializers.Serializer[Any]):
    text = serializers.RegexField(_ONE_LINE, min_length=1, max_length=MAX_REASON, help_text="Why, in one line.")


_OF_TEXTS = "Of a snapshot in NDJSON or CSV, what `{}` is in a JSON body."
_FORMS: dict[str, dict[str, Any]] = {
    "replace": {"type": "boolean"},
    "scope": {"format": "rsql"},
    "maxDelete": {"pattern": _SHARE},
    "saveMode": {"enum": [*get_args(SaveMode)], "title": SAVE_MODE},
    "reason": {"pattern": _ONE_LINE, "maxLength": MAX_REASON, "minLength": 1},
}
_OPTIONS = [parameter("query", name, _OF_TEXTS.format(name), **form) for name, form in _FORMS.items()]
MAKE = extend_schema(
    operation_id="plan{nouns}",
    summary="Plan changes of {plural}",
    description="Computes what a source would change and keeps it; nothing is changed yet. The source is a complete "
    "`snapshot`, another `repository`, an earlier state (`asOf`), the `undo` of a change set or of an operation with "
    "several, or a `bulk` body with deletions. Errors in what you sent are "
    "400; what the stored {plural} forbid are `errors` of the plan, which then cannot be applied.\n\n"
    "A body in NDJSON or CSV is a snapshot, read as by `elements-bulk`, with its options in the query.",
    parameters=[*_OPTIONS, EMPTY_CELLS_QUERY, parameters.LOCATION, _ETAG, *_COUNTS],
    request={JSON: ElementPlanRequest, Format.NDJSON.media_type: str, Format.CSV.media_type: str},
    responses={201: OpenApiResponse(ElementPlan, "The plan is made; `Location` is its URL.")},
)
LIST = extend_schema(
    operation_id="list{noun}Plans",
    summary="List the plans for {plural}",
    description="Returns the plans of this repository, the latest first. Plans are kept for "
    f"{settings.PLAN_RETENTION_DAYS} days.",
    parameters=[*parameters.COUNTED],
    responses={200: OpenApiResponse(ElementPlan(many=True), "The plans.")},
)
SHOW = extend_schema(
    operation_id="get{noun}Plan",
    summary="Read a plan",
    description="Returns the plan with its counts and errors; `changes` lists what it does to each {dimension}.",
    parameters=[_PLAN, _ETAG, *_COUNTS],
    responses={200: OpenApiResponse(ElementPlan, "The plan.")},
)
CHANGES = extend_schema(
    operation_id="list{noun}PlanChanges",
    summary="List what a plan changes",
    description="Returns the {plural} that the plan creates, changes or deletes, ordered by id, with the values before "
    "and after, as `elements-compare` does.",
    parameters=[
        _PLAN,
        parameter(
            "query",
            "action",
            "Only elements that the plan creates, changes or deletes.",
            enum=PlanAction.values,
            title=ACTION,
        ),
        *parameters.COUNTED,
    ],
    responses=rows(ElementDifference(many=True), "The changes."),
)
APPLY = extend_schema(
    operation_id="apply{noun}Plan",
    summary="Apply a plan",
    description="Does exactly what the plan shows, in one transaction and one change set, or nothing. 409 "
    "`PLAN_OUTDATED` lists the {plural} of the plan that have changed since it was made; changes to others do not "
    "matter. 409 `PLAN_APPLIED` says that the plan was applied already, 428 that `If-Match` is missing. Needs the role "
    "manager if the plan deletes, and an approval where changes need one: else 403 `APPROVAL_REQUIRED`.",
    parameters=[_PLAN, _IF_MATCH, _ETAG, *_COUNTS],
    request=None,
    responses={200: OpenApiResponse(ElementPlan, "The plan is applied.")},
)
_DECISION = (
    "for a person who has not made it, and a manager if the plan deletes. API keys and programs with client "
    "credentials cannot decide."
)
APPROVE = extend_schema(
    operation_id="approve{noun}Plan",
    summary="Approve a plan",
    description="Approves exactly what the plan shows: " + _DECISION + " A decision is final: to change what an "
    "approved plan does, make another one.",
    parameters=[_PLAN, _IF_MATCH, _ETAG, *_COUNTS],
    request={JSON: ElementPlanApprovalRequest},
    responses={200: OpenApiResponse(ElementPlan, "The plan is approved.")},
)
REJECT = extend_schema(
    operation_id="reject{noun}Plan",
    summary="Reject a plan",
    description="Rejects the plan for good: " + _DECISION,
    parameters=[_PLAN, _IF_MATCH, _ETAG, *_COUNTS],
    request={JSON: ElementPlanRejectionRequest},
    responses={200: OpenApiResponse(ElementPlan, "The plan is rejected.")},
)
REMOVE = extend_schema(
    operation_id="delete{noun}Plan",
    summary="Delete a plan",
    description="Deletes the plan: a proposer their own, an editor any. What an applied plan has changed stays. "
    "With `If-Match`, a plan that is no longer as you have seen it stays, too: 412.",
    parameters=[_PLAN, parameters.IF_MATCH],
    responses={204: OpenApiResponse(description="The plan is deleted.")},
)


class PlanSchema(DimensionSchema):
    """The examples follow from that of the element."""

    def answer_example(self) -> Any:
        if self.action == "changes":
            return [difference_example(self.element)]
        at = datetime(2026, 3, 31, 22, tzinfo=UTC)
        plan = Plan(
            id=_PLAN_ID,
            status=PlanStatus.READY,
            source={"snapshot": 1},
            reason="Nightly synchronisation",
            created_at=at,
            requester="integrator",
            changed=1,
            errors=[],
        )
        if self.action in ("approve", "reject"):
            plan.status = PlanStatus.APPROVED if self.action == "approve" else PlanStatus.REJECTED
            plan.decided_at, plan.decided_by = at + timedelta(minutes=4), "controller"
            plan.decision_text = _REMARKS[self.action]
        if self.action == "apply":
            plan.status, plan.applied_by, plan.change_set = PlanStatus.APPLIED, plan.requester, CHANGE_SET
            plan.applied_at = at + timedelta(minutes=5)
        answer = plan_json(plan)
        return [answer] if self.action == "list" else answer

    @property
    def takes_elements(self) -> bool:
        return self.action == "make"

    def _errors(self, operation: SchemaPart) -> Iterator[int]:
        yield from super()._errors(operation)
        if self.action == "make":
            yield 410  # an earlier state may no longer be stored

    def _add_bodies(self, operation: SchemaPart) -> None:
        super()._add_bodies(operation)
        if self.action == "make":
            add_text_examples(operation, "snapshot", [self.examples["create"]])

    def request_examples(self) -> SchemaPart:
        if self.action in _REMARKS:
            return {self.action: {"text": _REMARKS[self.action]}}
        element = self.examples["create"]
        return {
            "snapshot": {"snapshot": [element], "maxDelete": "5%", "reason": "Nightly synchronisation"},
            "undo": {"undo": CHANGE_SET},
            "bulk": {"bulk": {"merge": [element], "delete": [{"id": "9999"}]}},
        }
