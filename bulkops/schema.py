"""The JSON schemas of what is sent and answered where many elements are written (contract E1, F1, F4, H2, H3)."""

import re
from collections.abc import Mapping
from typing import get_args

from django.conf import settings

from bulkops.deletion import LISTED_NOT_FOUND
from bulkops.envelope import OPERATIONS, DeletionItem, SaveMode
from bulkops.models import Status
from bulkops.patches import KeyObject
from bulkops.processing_form import ProcessingForm
from dimensions_site.api.components import Part
from dimensions_site.api.schema import schema_ref
from dimensions_site.elements.schema import request_schema

_ID: Part = {"type": "string", "format": "uuid", "description": "Names the deletion in its address."}
_COUNT: Part = {"type": "integer", "minimum": 0}


def bulk_schemas(noun: str) -> Mapping[str, Part]:
    """The components of a bulk save; those of the element, whose names begin with `noun`, are told elsewhere."""
    patch = _complete({"key": request_schema(KeyObject()), "data": schema_ref(f"{noun}Patch")})
    items = dict.fromkeys(OPERATIONS, schema_ref(f"{noun}Create")) | {"patch": schema_ref(f"{noun}BulkPatch")}
    mode = {
        "type": "string",
        "enum": [*get_args(SaveMode)],
        "default": "LOOSE",
        "description": "`STRICT` refuses references to elements that are neither stored nor in the body.",
    }
    arrays = {
        name: {"type": "array", "maxItems": settings.API_MAX_BULK_ELEMENTS, "items": items[name]} for name in OPERATIONS
    }
    body: Part = {
        "type": "object",
        "properties": {"saveMode": mode, **arrays},
        "additionalProperties": False,
        "anyOf": [{"required": [name]} for name in OPERATIONS],
    }
    return {f"{noun}Bulk": body, f"{noun}BulkPatch": patch}


def deletion_schemas(form: ProcessingForm) -> Mapping[str, Part]:
    """The components of a deletion, whose status is told in `form`."""
    counts = {
        "requested": {**_COUNT, "description": "How many elements are to be deleted."},
        "processed": {**_COUNT, "description": "How many of them were looked for so far."},
        "deleted": {**_COUNT, "description": "How many of those were there, and are deleted."},
        "notFound": {
            "type": "array",
            "maxItems": LISTED_NOT_FOUND,
            "items": {"type": "string"},
            "description": f"The ids of the others; at most the first {LISTED_NOT_FOUND:,}.",
        },
        "error": {"type": "string", "nullable": True, "description": "Why the deletion failed, if it did."},
    }
    digits = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}"
    status = {
        "requestDateTime": {"type": "string", "pattern": f"^{digits}{re.escape(form.utc)}$"},
        "status": {
            "type": "string",
            "enum": [*Status.values],
            "description": "`RUNNING` also while the deletion waits or is being stopped; the others are final.",
        },
        "parameters": form_schema(form, "DeletionCounts"),
    }
    return {
        "DeletionList": {
            "type": "array",
            "minItems": 1,
            "maxItems": settings.API_MAX_BULK_ELEMENTS,
            "items": request_schema(DeletionItem()),
        },
        "DeletionStart": _complete({"dataProcessingId": _ID}),
        "DeletionCounts": _complete(counts),
        "DeletionStatus": _complete(status),
        "ListedDeletion": _complete({"dataProcessingId": _ID, **status}),
        "DeletionAbort": _complete({"message": {"type": "string", "description": "Names the deletion."}}),
    }


def form_schema(form: ProcessingForm, name: str) -> Part:
    """The reference to the schema `name`, in an array of one where `form` has objects stand in such."""
    reference = schema_ref(name)
    return {"type": "array", "minItems": 1, "maxItems": 1, "items": reference} if form.in_arrays else reference


def _complete(properties: Part) -> Part:
    """An object with all of `properties` and no other."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
