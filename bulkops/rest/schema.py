"""The requests and responses of bulk operations for OpenAPI (contract E1, F1, F4, H2, H3)."""

import re
from collections.abc import Mapping
from typing import Any, get_args

from django.conf import settings
from drf_spectacular.utils import Direction, inline_serializer
from rest_framework import serializers

from bulkops.jobs.deletion import LISTED_NOT_FOUND
from bulkops.jobs.refusals import LISTED_IN_USE, LISTED_USERS
from bulkops.models import Status
from bulkops.save.envelope import DeletionItem
from bulkops.session.items import OPERATIONS, SAVE_MODE, SaveMode
from bulkops.session.patches import KeyObject
from dimensions_site.elements.declaration.serializers import ElementSerializer
from dimensions_site.elements.reading.answers import Answer
from dimensions_site.elements.rest.operations import ElementUse
from dimensions_site.elements.rest.wire_schema import Part

_INSTANT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}"


class ElementKey(KeyObject):
    pass


_PATCH = inline_serializer("ElementBulkPatch", {"key": ElementKey(), "data": ElementSerializer(partial=True)})


class ElementMerge(ElementSerializer):
    """An element that may exist, so that all but its id may be left out."""

    def complete_schema(self, schema: Part) -> Part:
        """Return the schema of an element in `merge`."""
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

    def complete_schema(self, schema: Part, auto_schema: Any, direction: Direction) -> Part:
        """Add the arrays: an element declared inside one would be bound to it, and its clones would share that."""
        for name in OPERATIONS:
            item = _ITEMS.get(name) or ElementSerializer()
            items = auto_schema.resolve_serializer(item, direction).ref
            schema["properties"][name] = _array(items, maxItems=settings.API_MAX_BULK_ELEMENTS)
        return schema


class BulkResult(serializers.Serializer[Any]):
    code = serializers.ChoiceField(["SUCCESS"])


class DeletionList(serializers.Serializer[Any]):
    """The body of a deletion, which is not an object."""

    def complete_schema(self, schema: Part, auto_schema: Any, direction: Direction) -> Part:
        """Return the array."""
        items = auto_schema.resolve_serializer(DeletionItem(), direction).ref
        return _array(items, minItems=1, maxItems=settings.API_MAX_BULK_ELEMENTS)


class DeletionStart(serializers.Serializer[Any]):
    dataProcessingId = serializers.UUIDField(help_text="The id of the deletion, for the path of its status.")


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


class ElementDeletionStatus(serializers.Serializer[Any]):
    requestDateTime = serializers.CharField()
    status = serializers.ChoiceField(
        Status.values,
        label="ProcessingStatus",
        help_text="`RUNNING` includes waiting and stopping; the other values are final.",
    )
    parameters = ElementDeletionCounts()

    def complete_schema(self, schema: Part, auto_schema: Any, direction: Direction) -> Part:
        """Return the schema in the form for the view's dimension (contract F4)."""
        properties, form = schema["properties"], auto_schema.view.form
        properties["requestDateTime"]["pattern"] = f"{_INSTANT}{re.escape(form.utc)}$"
        if form.in_arrays:
            properties["parameters"] = array_of_one(properties["parameters"])
        return schema


class ElementDeletion(DeletionStart, ElementDeletionStatus):
    pass


class DeletionAbort(serializers.Serializer[Any]):
    message = serializers.CharField(help_text="A sentence with the id of the deletion.")


def array_of_one(items: Part) -> Part:
    """Return the schema of an array with exactly one of `items`."""
    return _array(items, minItems=1, maxItems=1)


def _array(items: Part, **limits: int) -> Part:
    return {"type": "array", "items": items, **limits}
