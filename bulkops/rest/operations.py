"""The operations on many elements in the OpenAPI document of their dimension (contract E, F, H3)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, get_args

from django.conf import settings
from drf_spectacular.utils import OpenApiResponse, extend_schema

from bulkops.models import DataProcessing, Status
from bulkops.rest import schema
from bulkops.session.items import SAVE_MODE, SaveMode
from dimensions_site.elements.declaration.serializers import ElementSerializer
from dimensions_site.elements.reading.cells import csv_cell
from dimensions_site.elements.rest import parameters
from dimensions_site.elements.rest.operations import WHOLE
from dimensions_site.elements.rest.schema import JSON, DimensionSchema
from dimensions_site.elements.rest.wire_schema import SchemaPart
from dimensions_site.text.files import Format

_PROCESSING_ID = parameters.parameter(
    "path", "dataProcessingId", "The id of the deletion, from the response to its start.", format="uuid"
)
_UNDONE = "`true`: everything is checked and returned in the same way, but nothing is saved."
_DRY_RUN = parameters.parameter("query", "dryRun", _UNDONE, type="boolean")
_MODE = parameters.parameter(
    "query",
    "mode",
    "How the elements of an NDJSON or CSV body are saved, by the name that a JSON body uses; `merge` by default. "
    "Rejected with a JSON body.",
    enum=["post", "put", "merge"],
)
_SAVE_MODE = parameters.parameter(
    "query",
    "saveMode",
    "The `saveMode` of a body in NDJSON or CSV; `LOOSE` by default. It is refused with a JSON body.",
    enum=[*get_args(SaveMode)],
    title=SAVE_MODE,
)
EMPTY_CELLS_QUERY = parameters.parameter(
    "query",
    "emptyCells",
    "What an empty cell of a CSV body does to the field of a stored element: `clear`, the default, sets the default of "
    "the field; `keep` leaves it alone. Rejected with other bodies, and `keep` where elements are replaced.",
    enum=["clear", "keep"],
)
_SENT: dict[str, Any] = {
    "parameters": [_DRY_RUN, _MODE, _SAVE_MODE, EMPTY_CELLS_QUERY, parameters.PREFERENCE_APPLIED, *parameters.COUNTS],
    "request": {JSON: schema.ElementBulk, Format.NDJSON.media_type: str, Format.CSV.media_type: str},
}
SAVE = extend_schema(
    operation_id="save{nouns}",
    summary="Save many {plural}",
    description="Creates the {plural} in `post`, replaces or inserts those in `put`, changes or inserts those in "
    "`merge`, and for each `key` in `patch` changes the fields in `data`. `merge` and `patch` leave other fields as "
    "they are. At least one of the four arrays is required. Either all {plural} are saved or none. Each {dimension} "
    f"may occur once in the body, which may have {settings.API_MAX_BULK_ELEMENTS:,} in all. {WHOLE} The path of an "
    "error is a JSON Pointer.\n\n"
    "With `Content-Type: application/x-ndjson` each line of the body is an element; the path of an error begins with "
    "the index of its line: `/0/id`. With `Content-Type: text/csv` each row below the headings is an element; headings "
    "are paths such as `descriptions.en`, an empty cell clears its field (sets its default), and the path of an error "
    "is its line and column: `line 2, id`. Text is UTF-8, or in the charset that `Content-Type` names. What the list "
    "returns in these formats can be sent back.",
    **_SENT,
)
# An operation of its own: clients in Java cannot read an answer that is either an array or an object.
SAVE_MINIMAL = extend_schema(
    operation_id="save{nouns}Minimal",
    summary="Save many {plural} without their return",
    description="Does what `elements-bulk` does with `Prefer: return=minimal`: the response has no {plural}, however "
    "many are saved.",
    responses={200: OpenApiResponse(schema.BulkResult, "Everything is saved.")},
    **_SENT,
)


class BulkSchema(DimensionSchema):
    """Some dimensions return the saved elements."""

    def get_response_serializers(self) -> Any:
        if self.view.answers_elements:
            saved = ElementSerializer(many=True)
            return {
                200: OpenApiResponse(saved, "The saved {plural}, in the order of `post`, `put`, `merge` and `patch`.")
            }
        return {200: OpenApiResponse(schema.BulkResult, "Everything is saved.")}

    def answer_example(self) -> Any:
        if self.action == "save_minimal" or not self.view.answers_elements:
            return schema.SAVED
        request = self.examples["save"]
        return [self.saved_example(element) for name in ("post", "put") for element in request.get(name, ())]

    def request_examples(self) -> SchemaPart:
        names = {"create and replace": "save", "create or change": "merge", "change": "change"}
        return {title: self.examples[name] for title, name in names.items()}

    def _add_bodies(self, operation: SchemaPart) -> None:
        super()._add_bodies(operation)
        add_text_examples(operation, "create or change", self.examples["merge"]["merge"])


def add_text_examples(operation: SchemaPart, title: str, elements: Sequence[Mapping[str, Any]]) -> None:
    """Add to an `operation` the `elements` as lines, and the last of them as a table."""
    content = operation["requestBody"]["content"]
    lines = "".join(f"{json.dumps(element, ensure_ascii=False)}\n" for element in elements)
    content[Format.NDJSON.media_type]["examples"] = {title: {"value": lines}}
    content[Format.CSV.media_type]["examples"] = {title: {"value": _table(elements[-1])}}


def _table(element: Mapping[str, Any]) -> str:
    return "".join(f"{','.join(map(csv_cell, row))}\r\n" for row in zip(*_cells(element), strict=True))


def _cells(value: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for name, inner in value.items():
        if isinstance(inner, Mapping):
            yield from _cells(inner, f"{path}{name}.")
        else:
            yield f"{path}{name}", inner


_REFERENCES = parameters.parameter(
    "query",
    "references",
    "`refuse`: an element stays if something refers to it that is not deleted, too; the status lists it. `ignore`, the "
    "default: references are not checked.",
    enum=["ignore", "refuse"],
)
# The ids of the deletions in the examples, of which the first completes and the second is aborted.
_DELETIONS = ("7d0c4a52-3f6e-4b0a-9c1d-5e8f2a61b7c3", "c2e95b18-84d7-4f3c-b6a0-19d3e7f40825")
START = extend_schema(
    operation_id="delete{nouns}",
    summary="Delete many {plural}",
    description="Starts to delete the {plural} in the background and responds at once. A repeated id counts once. An "
    "id that does not exist is not an error: the status lists it. If the request has errors, all of them are reported "
    "and nothing is deleted. The path of an error is a JSON Pointer.",
    parameters=[_REFERENCES, parameters.LOCATION],
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
    responses={200: OpenApiResponse(schema.ElementDeletion(many=True), "The deletions.")},
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
            return not self.path.endswith(f"/{self.view.form.listed_start}")
        return "delete-asynch" in self.path

    def get_response_serializers(self) -> Any:
        if self.action == "abort":
            return {self.view.form.aborted: OpenApiResponse(schema.DeletionAbort, "The deletion is stopped.")}
        status: Any = schema.ElementDeletionStatus
        if self.view.form.in_arrays:
            status = schema.array_of_one(self.resolve_serializer(status, "response").ref)
        return {200: OpenApiResponse(status, "The status.")}

    def answer_example(self) -> Any:
        *_, missing = self.examples["start"]
        at = datetime(2026, 1, 31, 10, tzinfo=UTC)
        completed, aborted = (
            DataProcessing(oid=oid, request_date_time=at, status=status, requested=2, not_found=[])
            for oid, status in zip(_DELETIONS, (Status.COMPLETED, Status.ABORTED), strict=True)
        )
        completed.processed, completed.deleted, completed.not_found = 2, 1, [missing["id"]]
        match self.action:
            case "start":
                return {"dataProcessingId": completed.oid}
            case "list":
                return [self.view.form.listed(deletion, ()) for deletion in (aborted, completed)]
            case "abort":
                return schema.stopped_message(aborted.oid)
        return self.view.form.status(completed, ())
