"""The requests and responses of bulk operations; statuses of deletions are rendered by them (contract E, F, H2, H3)."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from django.conf import settings
from drf_spectacular.utils import Direction, inline_serializer
from rest_framework import serializers

from bulkops.jobs.deletion import LISTED_NOT_FOUND
from bulkops.jobs.refusals import LISTED_IN_USE, LISTED_USERS
from bulkops.models import DataProcessing, Status
from bulkops.session.envelope import DeletionItem
from bulkops.session.items import OPERATIONS, SAVE_MODE, SaveMode
from bulkops.session.patches import KeyObject
from dimensions_site.elements.declaration.serializers import ElementSerializer
from dimensions_site.elements.reading.answers import Answer
from dimensions_site.elements.rest.operations import ElementUse
from dimensions_site.elements.rest.wire_schema import SchemaPart

_INSTANT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}"


class ElementKey(KeyObject):
    pass


_PATCH = inline_serializer("ElementBulkPatch", {"key": ElementKey(), "data": ElementSerializer(partial=True)})


class ElementMerge(ElementSerializer):
    """An element that may exist, so that all but its id may be left out."""

    def complete_schema(self, schema: SchemaPart) -> SchemaPart:
        description = "Only an element that does not exist yet needs all that an element in `post` needs."
        return {**schema, "required": ["id"], "description": description}


_ITEMS: dict[str, Any] = {"merge": ElementMerge(partial=True), "patch": _PATCH}


# Only the description says that one of the arrays is required: client generators lose them in an `anyOf`.
class ElementBulk(serializers.Serializer[Any]):
    """Requires at least one of `post`, `put`, `merge`, `patch`."""

    # Without `default`: a client generator makes a member with a default required.
    saveMode = serializers.ChoiceField(
        get_args(SaveMode),
        label=SAVE_MODE,
        required=False,
        help_text="`STRICT` rejects references to elements that are neither stored nor in the body. `LOOSE`, the "
        "default, does not check references.",
    )

    def complete_schema(self, schema: SchemaPart, auto_schema: Any, direction: Direction) -> SchemaPart:
        """Add the arrays: an element declared inside one would be bound to it, and its clones would share that."""
        for name in OPERATIONS:
            item = _ITEMS.get(name) or ElementSerializer()
            items = auto_schema.resolve_serializer(item, direction).ref
            schema["properties"][name] = _array(items, maxItems=settings.API_MAX_BULK_ELEMENTS)
        return schema


class BulkResult(Answer):
    code = serializers.ChoiceField(["SUCCESS"])


SAVED = BulkResult().to_representation({"code": "SUCCESS"})


class DeletionList(serializers.Serializer[Any]):
    """The body of a deletion, which is not an object."""

    def complete_schema(self, schema: SchemaPart, auto_schema: Any, direction: Direction) -> SchemaPart:
        items = auto_schema.resolve_serializer(DeletionItem(), direction).ref
        return _array(items, minItems=1, maxItems=settings.API_MAX_BULK_ELEMENTS)


class DeletionStart(Answer):
    dataProcessingId = serializers.UUIDField(
        source="oid", help_text="The id of the deletion, for the path of its status."
    )


class ElementInUse(serializers.Serializer[Any]):
    id = serializers.CharField()
    usedBy = serializers.ListField(
        child=ElementUse(),
        max_length=LISTED_USERS,
        help_text=f"What refers to it and stays, too; at most {LISTED_USERS}.",
    )

    def to_representation(self, instance: Mapping[str, Any]) -> dict[str, Any]:
        """Return the stored JSON, with the uses in dimensions that are `readable` in the context."""
        uses = [use for use in instance["usedBy"] if use["dimension"] in self.context["readable"]]
        return {**instance, "usedBy": uses}


class ElementDeletionCounts(Answer):
    requested = serializers.IntegerField(min_value=0, help_text="The number of elements to delete.")
    processed = serializers.IntegerField(min_value=0, help_text="The number of elements processed so far.")
    deleted = serializers.IntegerField(min_value=0, help_text="The number of elements found and deleted.")
    notFound = serializers.ListField(
        child=serializers.CharField(),
        max_length=LISTED_NOT_FOUND,
        help_text=f"The ids that were not found; at most the first {LISTED_NOT_FOUND:,}.",
    )
    error = serializers.CharField(allow_null=True, help_text="Why the deletion failed, if it did.")
    refused = serializers.IntegerField(
        required=False, min_value=0, help_text="With `references=refuse`: the number of elements that stay, in use."
    )
    inUse = serializers.ListField(
        child=ElementInUse(),
        required=False,
        max_length=LISTED_IN_USE,
        help_text=f"With `references=refuse`: the elements that stay; at most the first {LISTED_IN_USE:,}.",
    )

    def to_representation(self, instance: DataProcessing) -> dict[str, Any]:
        """Return the counts; without those of elements in use if they are deleted, too."""
        counts = super().to_representation(instance)
        if instance.in_use is None:
            del counts["refused"], counts["inUse"]
        else:
            counts["refused"] = instance.refused or 0
        return counts


class ElementDeletionStatus(Answer):
    requestDateTime = serializers.CharField()
    status = serializers.ChoiceField(
        Status.values,
        label="ProcessingStatus",
        help_text="`RUNNING` includes waiting and stopping; the other values are final.",
    )
    parameters = ElementDeletionCounts(source="*")

    def to_representation(self, instance: DataProcessing) -> dict[str, Any]:
        answer, form = super().to_representation(instance), self.context["form"]
        time = instance.request_date_time.isoformat(timespec="milliseconds").replace("+00:00", form.utc)
        return {**answer, "requestDateTime": time, "parameters": form.enclosed(answer["parameters"])}

    def complete_schema(self, schema: SchemaPart, auto_schema: Any, direction: Direction) -> SchemaPart:
        """Return the schema in the form for the view's dimension (contract F4)."""
        properties, form = schema["properties"], auto_schema.view.form
        properties["requestDateTime"]["pattern"] = f"{_INSTANT}{re.escape(form.utc)}$"
        if form.in_arrays:
            properties["parameters"] = array_of_one(properties["parameters"])
        return schema


class ElementDeletion(DeletionStart, ElementDeletionStatus):
    pass


@dataclass(frozen=True)
class DeletionForm:
    """The form of deletions for one dimension.

    That is how times say that they are in UTC, whether objects stand in arrays of one, the HTTP status of the response
    to an abort, and of the two spellings of the path of the start the one in its specification (contract A2).
    """

    utc: str
    in_arrays: bool = False
    aborted: int = 200
    listed_start: str = "elements-bulk-delete-async"

    def status(self, processing: DataProcessing, readable: Collection[str]) -> Any:
        """Return the body with the progress of the deletion, and uses in the `readable` dimensions only."""
        status = ElementDeletionStatus(context={"form": self, "readable": readable})
        return self.enclosed(status.to_representation(processing))

    def listed(self, processing: DataProcessing, readable: Collection[str]) -> dict[str, Any]:
        """Return the body as an item of the list of deletions, otherwise as `status`."""
        return ElementDeletion(context={"form": self, "readable": readable}).to_representation(processing)

    def enclosed(self, value: dict[str, Any]) -> Any:
        return [value] if self.in_arrays else value


def stopped_message(oid: str) -> dict[str, str]:
    """Return the body that says that the deletion with this `oid` was aborted."""
    return {"message": f"Data processing {oid} was stopped."}


class DeletionAbort(serializers.Serializer[Any]):
    message = serializers.CharField(help_text="A sentence with the id of the deletion.")


def array_of_one(items: SchemaPart) -> SchemaPart:
    """Return the schema of an array with exactly one of `items`."""
    return _array(items, minItems=1, maxItems=1)


def _array(items: SchemaPart, **limits: int) -> SchemaPart:
    return {"type": "array", "items": items, **limits}
