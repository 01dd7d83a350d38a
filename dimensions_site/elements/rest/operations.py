"""The operations on a dimension's elements and their history in its OpenAPI document (contract H3, I3, I5, J2)."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.serializers import Serializer

from dimensions_site.changes.models import Channel
from dimensions_site.elements.declaration.serializers import ElementSerializer
from dimensions_site.elements.declaration.texts import CODE_LENGTH, ID_PATTERN
from dimensions_site.elements.history.change_sets import ChangeSetSerializer
from dimensions_site.elements.history.feed import ElementChange
from dimensions_site.elements.history.moments import MAX_TOKEN
from dimensions_site.elements.history.versions import ElementVersion
from dimensions_site.elements.reading.uses import LISTED as LISTED_USES
from dimensions_site.elements.rest import parameters
from dimensions_site.elements.rest.parameters import parameter
from dimensions_site.elements.rest.schema import DimensionSchema
from dimensions_site.elements.rest.wire_schema import ElementSelection, SchemaPart
from dimensions_site.elements.writing.differences import ElementDifference
from dimensions_site.repositories.models import DB_ID_PATTERN
from dimensions_site.text.files import Format

WHOLE = "If there are errors, all of them are reported and nothing is saved."
_PRECONDITIONS = (
    "With `If-Match` the element is written only if it still has the version that you read, with `If-None-Match: *` "
    "only if it does not exist; otherwise the response is 412."
)
_UNKNOWN = "An unknown query parameter is rejected, so a mistyped `filter` never returns everything."
_FORMS = (
    "\n\nWith `Accept: application/x-ndjson` each element is one line of JSON. With `Accept: text/csv` it is a row of "
    "cells, separated by commas and in UTF-8. The headings are the paths of the fields; a map has a column for each "
    "key that any of the elements has, such as `descriptions.en`. An empty cell is not set, `[[empty]]` is the empty "
    "text and `[[null]]` is null. `[[text]]` stands before a text that is taken literally, such as one that a "
    "spreadsheet program would run as a formula. The import commands read the same format."
)
_NULLS = "Optional fields that are left out are unset; `updateInfo` is accepted and ignored."


class ElementUse(serializers.Serializer[Any]):
    dimension = serializers.CharField(help_text="The dimension of the element that refers.")
    id = serializers.CharField(help_text="Its id.")
    path = serializers.CharField(help_text="The path of its field with the reference.")


class ElementUses(serializers.Serializer[Any]):
    id = serializers.CharField()
    usedBy = serializers.ListField(child=ElementUse(), max_length=LISTED_USES)
    count = serializers.IntegerField(min_value=0, help_text="The number of all uses.")


def rows(row: Serializer[Any], description: str, *others: Format) -> dict[tuple[int, str], Any]:
    """Return the responses of a list of such rows, which is also available as NDJSON, and in the `others`."""
    in_text = {(200, kind.media_type): str for kind in (*others, Format.NDJSON)}
    return {(200, Format.JSON.media_type): OpenApiResponse(row, description), **in_text}


def _element(description: str) -> OpenApiResponse:
    return OpenApiResponse(ElementSerializer, description)


LIST = extend_schema(
    operation_id="list{nouns}",
    summary="List {plural}",
    description="Returns the {plural} that `filter` selects, complete, in the order of `sort`: all, or the page that "
    f"`skip` and `take` ask for. The response is a bare array and is streamed. {_UNKNOWN}{_FORMS}",
    parameters=parameters.LIST,
    responses=rows(ElementSerializer(many=True), "The selected {plural}.", Format.CSV),
)
COUNT = extend_schema(
    operation_id="count{nouns}",
    summary="Count {plural}",
    description="Returns the number of {plural} that `filter` selects, as a bare integer. `sort`, `skip` and "
    f"`take` are checked and have no effect. {_UNKNOWN}",
    responses={200: OpenApiResponse({"type": "integer", "minimum": 0}, "The number of {plural}.")},
)
FETCH = extend_schema(
    operation_id="fetch{nouns}",
    summary="List selected properties of {plural}",
    description="Returns the {plural} that `filter` selects with the fields in `properties` only; groups stay nested "
    f"as in the whole {{dimension}}. {_UNKNOWN}{_FORMS}",
    parameters=parameters.LIST,
    responses=rows(ElementSelection(many=True), "The selected properties of the selected {plural}.", Format.CSV),
)
USES = extend_schema(
    operation_id="list{noun}Uses",
    summary="List what refers to {plural}",
    description="Returns for each id what refers to the {dimension} with it, from any dimension that you may read: the "
    f"first {LISTED_USES:,} uses, ordered by dimension, id and path, and the number of all. An id that no "
    "{dimension} has is answered, too. A reference to itself is not counted.",
    responses={200: OpenApiResponse(ElementUses(many=True), "The uses, in the order of the ids, each id once.")},
)
RETRIEVE = extend_schema(
    operation_id="get{noun}",
    summary="Read one {dimension}",
    description="Returns the {dimension} with its version in `ETag`. With `If-None-Match` the response is 304 if you "
    "already have this version.",
    parameters=[parameters.IF_NONE_MATCH, parameters.ETAG],
    responses={200: _element("The {dimension}."), 304: OpenApiResponse(description="You have this version.")},
)
CREATE = extend_schema(
    operation_id="create{noun}",
    summary="Create one {dimension}",
    description=f"The id must be new. {_NULLS} {WHOLE}",
    parameters=[parameters.ETAG, parameters.LOCATION],
    request=ElementSerializer,
    responses={201: _element("The new {dimension}.")},
)
REPLACE = extend_schema(
    operation_id="replace{noun}",
    summary="Replace or insert one {dimension}",
    description="You may send back what `GET` returns. The id is in the path; in the body it may be left out, and "
    f"a different one is rejected. {_NULLS} {WHOLE} {_PRECONDITIONS}",
    parameters=[*parameters.PRECONDITIONS, parameters.LOCATION],
    request=ElementSerializer,
    responses={200: _element("The {dimension}, replaced."), 201: _element("The {dimension}, inserted.")},
)
MODIFY = extend_schema(
    operation_id="patch{noun}",
    summary="Change some fields of one {dimension}",
    description="Objects and maps are merged member by member; what is left out stays as it is. null unsets an "
    "optional field, a null entry of a map is stored as null, and null for a group unsets everything in it. With "
    "`Content-Type: application/merge-patch+json`, null removes the entry of a map, too (RFC 7396). The "
    f"result must be valid as a whole. {WHOLE} {_PRECONDITIONS}",
    parameters=parameters.PRECONDITIONS,
    request=ElementSerializer,
    responses={200: _element("The whole {dimension}, changed.")},
)

# --- What has changed ----------------------------------------------------------------------------

CHANGE_SET = "3f2b1c9e-5d0a-4c61-9a3e-7f3f0f9d8b21"
_INSTANT = "2026-03-31T22:00:00.000Z"


_FILTER = (
    "Conditions in RSQL, as in the filter of elements, on `user`, `channel`, `origin`, `reason`, `committedAt` and "
    "`operation`. Example: `channel==IMPORT;committedAt=ge=2026-03-01`."
)
_TOKEN: Any = {"maxLength": MAX_TOKEN, "minLength": 1, "format": "sync-token"}
_MOMENT: Any = {**_TOKEN, "format": "instant-or-sync-token"}


def difference_example(element: SchemaPart) -> SchemaPart:
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
