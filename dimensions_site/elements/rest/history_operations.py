"""The operations on what has changed in the OpenAPI document of their dimension (contract H3, I3, I5, J2)."""

from typing import Any

from drf_spectacular.utils import extend_schema

from dimensions_site.changes.models import Channel
from dimensions_site.elements.declaration.texts import CODE_LENGTH, ID_PATTERN
from dimensions_site.elements.history.change_sets import ChangeSetSerializer
from dimensions_site.elements.history.feed import ElementChange
from dimensions_site.elements.history.moments import MAX_TOKEN
from dimensions_site.elements.history.versions import ElementVersion
from dimensions_site.elements.rest import parameters
from dimensions_site.elements.rest.operations import rows
from dimensions_site.elements.rest.parameters import parameter
from dimensions_site.elements.rest.schema import DimensionSchema
from dimensions_site.elements.rest.wire_schema import Part
from dimensions_site.elements.writing.differences import ElementDifference
from dimensions_site.repositories.models import DB_ID_PATTERN

CHANGE_SET = "3f2b1c9e-5d0a-4c61-9a3e-7f3f0f9d8b21"
_INSTANT = "2026-03-31T22:00:00.000Z"


_FILTER = (
    "Conditions in RSQL, as in the filter of elements, on `user`, `channel`, `origin`, `reason`, `committedAt` and "
    "`operation`. Example: `channel==IMPORT;committedAt=ge=2026-03-01`."
)
_TOKEN: Any = {"maxLength": MAX_TOKEN, "minLength": 1, "format": "sync-token"}
_MOMENT: Any = {**_TOKEN, "format": "instant-or-sync-token"}


def difference_example(element: Part) -> Part:
    """Return a change of the `element` of the examples."""
    changed = {"path": "descriptions.en", "before": "Petty cash", "after": element["descriptions"].get("en")}
    return {"id": element["id"], "action": "changed", "changes": [changed]}


CHANGES = extend_schema(
    operation_id="list{noun}Changes",
    summary="List what has changed",
    description="Returns every {dimension} that a transaction has written which was committed after the state of "
    "`since`: each once, in its newest state, ordered by id. No committed change is missed. Without `since` it returns "
    "all {plural}. With `filter`, what does not match is returned as `deleted`. `Sync-Token` is the state for the next "
    "call. 410 says that the changes since then are no longer stored: list the {plural} again.",
    parameters=[parameter("query", "since", "The `Sync-Token` of the last answer.", **_TOKEN), parameters.SYNC_TOKEN],
    responses=rows(ElementChange(many=True), "The changes."),
)
CHANGE_SETS = extend_schema(
    operation_id="list{noun}ChangeSets",
    summary="List the change sets",
    description="Returns the transactions that wrote {plural}, the latest first: who, when, through what, why, and how "
    "many {plural} they created, changed and deleted.",
    parameters=[parameter("query", "filter", _FILTER, format="rsql-of-change-sets"), *parameters.COUNTED],
    responses=rows(ChangeSetSerializer(many=True), "The change sets."),
)
VERSIONS = extend_schema(
    operation_id="list{noun}Versions",
    summary="List versions of one {dimension}, or of one change set",
    description="Returns the versions with what each has changed, the latest first. Name an element, a change set, or "
    "both.",
    parameters=[parameter("query", "changeSet", "The id of the change set.", format="uuid"), *parameters.COUNTED],
    responses=rows(ElementVersion(many=True), "The versions."),
)
COMPARE = extend_schema(
    operation_id="compare{nouns}",
    summary="Compare two states",
    description="Returns the {plural} that differ between two states of this repository, or between another repository "
    "and this one, ordered by id. `updateInfo` and what names an element are no differences. `filter` restricts to "
    "{plural} that match it on either side. `fromRepository` needs a grant, too.",
    parameters=[
        parameter("query", "from", "The earlier state: an instant or a `Sync-Token`; now by default.", **_MOMENT),
        parameter("query", "to", "The later state: an instant or a `Sync-Token`; now by default.", **_MOMENT),
        parameter(
            "query",
            "fromRepository",
            "The repository of the earlier state; this one by default.",
            pattern=f"^{DB_ID_PATTERN}$",
        ),
        *parameters.COUNTED,
    ],
    responses=rows(ElementDifference(many=True), "The differences."),
)


class HistorySchema(DimensionSchema):
    """The examples follow from that of the element."""

    def get_override_parameters(self) -> list[Any]:
        found = super().get_override_parameters()
        if self.action == "versions":  # one of its parameters is needed
            form: Any = {"maxLength": CODE_LENGTH, "pattern": ID_PATTERN, "example": self.examples["path"]["id"]}
            found.append(parameter("query", "id", "The id of the element.", **form))
        return found

    def answer_example(self) -> Any:
        difference = difference_example(self.element)
        head = {"user": "alice", "channel": Channel.REST.value}
        tail = {"reason": "Month-end review", "committedAt": _INSTANT}
        match self.action:
            case "changes":
                return [{"change": "saved", "element": self.element}, {"change": "deleted", "id": "9999"}]
            case "change_sets":
                plan, proposed = "6b1f8e62-3c0a-4f0e-9a57-0d8b1c2e7f44", {"author": "bob", "approver": "carol"}
                instants = {"proposedAt": _INSTANT, "approvedAt": _INSTANT}
                approval = {"planId": plan, **proposed, **instants, "text": "Agreed with the group."}
                head["channel"] = Channel.PLAN.value
                middle = {"origin": "INPUT_WEB", "requestId": "month-end-2026-03", "operation": plan}
                counts = {"created": 1, "changed": 0, "deleted": 0}
                return [{"id": CHANGE_SET, **head, **middle, **tail, "approval": approval, **counts}]
            case "versions":
                version = {"version": 4711, "id": difference["id"], "change": "changed", "changeSet": CHANGE_SET}
                return [{**version, **head, "committedAt": _INSTANT, **tail, "changes": difference["changes"]}]
        return [difference]
