"""The operations on many elements in the OpenAPI document of their dimension (contract E, F, H3)."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiResponse, extend_schema

from bulkops.rest import schema
from dimensions_site.elements.declaration.serializers import ElementSerializer
from dimensions_site.elements.rest import parameters
from dimensions_site.elements.rest.operations import WHOLE
from dimensions_site.elements.rest.schema import DimensionSchema
from dimensions_site.elements.rest.wire_schema import Part

_PROCESSING_ID = parameters.parameter(
    "path", "dataProcessingId", "The id of the deletion, from the response to its start.", format="uuid"
)
_UNDONE = "`true`: everything is checked and returned in the same way, but nothing is saved."
_DRY_RUN = parameters.parameter("query", "dryRun", _UNDONE, type="boolean")

SAVE = extend_schema(
    operation_id="save{nouns}",
    summary="Save many {plural}",
    description="Creates the {plural} in `post`, replaces or inserts those in `put`, and for each `key` in `patch` "
    "changes the fields in `data`, as `PATCH` does. At least one of the three arrays is required. Either all "
    "{plural} are saved or none. Each {dimension} may occur once in the body, which may have "
    f"{settings.API_MAX_BULK_ELEMENTS:,} in all. {WHOLE} The path of an error is a JSON Pointer.",
    parameters=[_DRY_RUN, parameters.PREFERENCE_APPLIED],
    request=schema.ElementBulk,
)


class BulkSchema(DimensionSchema):
    """Some dimensions return the saved elements."""

    def get_response_serializers(self) -> Any:
        if self.view.answers_elements:
            saved = ElementSerializer(many=True)
            return {200: OpenApiResponse(saved, "The saved {plural}, in the order of `post`, `put` and `patch`.")}
        return {200: OpenApiResponse(schema.BulkResult, "Everything is saved.")}

    def request_examples(self) -> Part:
        return {"create and replace": self.examples["save"]["request"], "change": self.examples["change"]["request"]}


START = extend_schema(
    operation_id="delete{nouns}",
    summary="Delete many {plural}",
    description="Starts to delete the {plural} in the background and responds at once. A repeated id counts once. An "
    "id that does not exist is not an error: the status lists it. If the request has errors, all of them are reported "
    "and nothing is deleted. The path of an error is a JSON Pointer.",
    parameters=[parameters.LOCATION],
    request=schema.DeletionList,
    responses={
        202: OpenApiResponse(schema.DeletionStart, "The deletion is accepted; `Location` is the URL of its status.")
    },
)
LIST = extend_schema(
    operation_id="list{noun}Deletions",
    summary="List the deletions of {plural}",
    description="Returns the deletions of {plural} in this repository, the latest first: all, or the page that "
    "`skip` and `take` ask for. Deletions that ended long ago are removed.",
    responses={200: OpenApiResponse(schema.ListedDeletion(many=True), "The deletions.")},
)
SHOW = extend_schema(
    operation_id="get{noun}Deletion",
    summary="Read the progress of a deletion of {plural}",
    description="Returns the status, and the counts in `parameters`. What is counted as deleted stays deleted, "
    "however the deletion ends.",
    parameters=[_PROCESSING_ID],
)
ABORT = extend_schema(
    operation_id="abort{noun}Deletion",
    summary="Abort a deletion of {plural}",
    description="Stops the deletion; what it has deleted so far stays deleted. Aborting an aborted deletion again has "
    "no effect; aborting a completed or failed one is an error.",
    parameters=[_PROCESSING_ID],
)


class DeletionSchema(DimensionSchema):
    """The form of a status and the HTTP status of an abort depend on the dimension."""

    def is_excluded(self) -> bool:
        """Return whether it is a path in the other spelling (contract A2)."""
        if self.action == "start":
            return not self.path.endswith(f"/{self.view.listed_start}")
        return "delete-asynch" in self.path

    def get_response_serializers(self) -> Any:
        if self.action == "abort":
            return {self.view.aborted: OpenApiResponse(schema.DeletionAbort, "The deletion is stopped.")}
        status: Any = schema.DeletionStatus
        if self.view.form.in_arrays:
            status = schema.array_of_one(self.resolve_serializer(status, "response").ref)
        return {200: OpenApiResponse(status, "The status.")}

    def answer_example(self) -> Any:
        return self.examples[{"list": "deletions", "show": "status"}.get(self.action, self.action)]["answer"]
