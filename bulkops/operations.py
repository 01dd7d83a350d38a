"""The operations on many elements as the OpenAPI document of their dimension tells them (contract E, F, H3)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from django.conf import settings
from drf_spectacular.plumbing import ComponentRegistry

from bulkops.schema import bulk_schemas, deletion_schemas, form_schema
from dimensions_site.api.components import Part
from dimensions_site.api.schema import Answer, Body, Operation, schema_ref
from dimensions_site.elements import parameters
from dimensions_site.elements.dimension_schema import WHOLE, DimensionSchema

if TYPE_CHECKING:
    # The views name their schemas, which are below.
    from bulkops.deletion_views import DeletionViewSet
    from bulkops.views import BulkViewSet

_DRY_RUN: Part = {
    "name": "dryRun",
    "in": "query",
    "description": "`true`: everything is done and answered in the same way, and then undone.",
    "schema": {"type": "boolean", "default": False},
}


class BulkSchema(DimensionSchema):
    """Tells the action of a `BulkViewSet`."""

    @property
    def viewset(self) -> "BulkViewSet":
        return cast("BulkViewSet", self.view)

    def schemas(self) -> Mapping[str, Part]:
        return {**super().schemas(), **bulk_schemas(self.noun)}

    def operations(self) -> Mapping[str, Operation]:
        dimension, noun, plural = self.viewset.dimension, self.noun, self.plural
        example = self.example("save")
        if self.viewset.answers_elements:
            schema: Part = {"type": "array", "items": schema_ref(noun)}
            told = f"The saved {plural}, in the order of `post`, `put` and `patch`."
        else:
            schema = {
                "type": "object",
                "properties": {"code": {"type": "string", "enum": ["SUCCESS"]}},
                "required": ["code"],
                "additionalProperties": False,
            }
            told = "Everything is saved."
        return {
            "save": Operation(
                id=f"save{plural.title()}",
                summary=f"Save many {plural}",
                description=f"Needs the role editor. Creates the {plural} in `post`, replaces or inserts those in "
                "`put`, and changes of those that `patch` names by `key` the fields in `data`, as `PATCH` does; at "
                "least one of the three has to be there. Either all of them are saved or none. Each "
                f"{dimension} may stand once in the body, which may hold {settings.API_MAX_BULK_ELEMENTS:,} in all. "
                f"{WHOLE} The path of a fault is a JSON Pointer.{parameters.spellings_text(self.viewset.wire)}",
                parameters=(parameters.REPOSITORY, _DRY_RUN),
                body=Body(schema_ref(f"{noun}Bulk"), {dimension: example["request"]}),
                answers={200: Answer(told, schema, headers=("Preference-Applied",), example=example["answer"])},
                refusals=self.refusals(),
            )
        }


class DeletionSchema(DimensionSchema):
    """Tells the actions of a `DeletionViewSet`."""

    @property
    def viewset(self) -> "DeletionViewSet":
        return cast("DeletionViewSet", self.view)

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: ComponentRegistry
    ) -> Part | None:
        if self.viewset.action == "start" and not path.endswith(f"/{self.viewset.listed_start}"):
            return None  # the other spelling (contract A2)
        return super().get_operation(path, path_regex, path_prefix, method, registry)

    def schemas(self) -> Mapping[str, Part]:
        return deletion_schemas(self.viewset.form)

    def operations(self) -> Mapping[str, Operation]:
        dimension, noun, plural = self.viewset.dimension, self.noun, self.plural
        started = self.example("start")
        address = (parameters.REPOSITORY, _processing_id(started["answer"]["dataProcessingId"]))
        return {
            "start": Operation(
                id=f"delete{plural.title()}",
                summary=f"Delete many {plural}",
                description=f"Needs the role manager. Takes note of the {plural} to delete and answers at once; they "
                "are deleted in the background. An id that stands several times counts once, and one that does not "
                "exist is no fault: the status tells it. Every fault of the request is reported, not only the first, "
                "and nothing is deleted then. The path of a fault is a JSON Pointer.",
                parameters=(parameters.REPOSITORY,),
                body=Body(schema_ref("DeletionList"), {dimension: started["request"]}),
                answers={
                    202: Answer(
                        "The deletion is noted; `Location` is where its status is told.",
                        schema_ref("DeletionStart"),
                        headers=("Location",),
                        example=started["answer"],
                    )
                },
                refusals=self.refusals(),
            ),
            "list": Operation(
                id=f"list{noun}Deletions",
                summary=f"List the deletions of {plural}",
                description=f"Answers the deletions of {plural} of this repository, the newest first: all, or the part "
                "that `skip` and `take` ask for. Those that ended long ago are forgotten.",
                parameters=(parameters.REPOSITORY, parameters.SKIP, parameters.TAKE),
                answers={
                    200: Answer(
                        "The deletions.",
                        {"type": "array", "items": schema_ref("ListedDeletion")},
                        example=self.example("deletions")["answer"],
                    )
                },
                refusals=self.refusals(),
            ),
            "show": Operation(
                id=f"get{noun}Deletion",
                summary=f"Read how far a deletion of {plural} is",
                description="Answers the status, and in `parameters` the counts. What is counted as deleted stays "
                "deleted, however the deletion ends.",
                parameters=address,
                answers={
                    200: Answer(
                        "The status.",
                        form_schema(self.viewset.form, "DeletionStatus"),
                        example=self.example("status")["answer"],
                    )
                },
                refusals=self.refusals(),
            ),
            "abort": Operation(
                id=f"abort{noun}Deletion",
                summary=f"Abort a deletion of {plural}",
                description="Needs the role manager. Stops the deletion; what is deleted by then stays deleted. A "
                "deletion that is aborted already may be aborted again; one that has completed or failed is refused.",
                parameters=address,
                answers={
                    self.viewset.aborted: Answer(
                        "The deletion is stopped.", schema_ref("DeletionAbort"), example=self.example("abort")["answer"]
                    )
                },
                refusals=self.refusals(),
            ),
        }


def _processing_id(example: str) -> Part:
    return {
        "name": "dataProcessingId",
        "in": "path",
        "required": True,
        "description": "The id of the deletion, which its start has answered.",
        "schema": {"type": "string", "format": "uuid", "example": example},
    }
