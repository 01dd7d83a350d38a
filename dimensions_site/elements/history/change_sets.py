"""The change sets of a dimension, as a list that clients filter (contract I1, I5)."""

import orjson
from django.db.models import Case, F, TextField, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, JSONObject
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dimensions_site.api.json.texts import json_text
from dimensions_site.changes.models import Channel
from dimensions_site.elements.models import Origin
from dimensions_site.elements.reading.answers import Answer, InstantField, answer_renderer
from dimensions_site.elements.reading.rendering import TemplateSlot
from dimensions_site.rsql.errors import UnknownField
from dimensions_site.rsql.expressions import InstantText
from dimensions_site.rsql.fields import Field, ValueKind
from dimensions_site.text.suggestions import close_names, did_you_mean

# The origin that elements show for the channel (contract C12).
_ORIGIN = Case(
    When(channel=Channel.IMPORT.value, then=Value(Origin.IMPORT.value)),
    default=Value(Origin.INPUT_WEB.value),
    output_field=TextField(),
)
_COMMITTED_AT = InstantText(F("committed_at"), "Z")


_INSTANT = {"type": "string", "format": "date-time"}


# Written out, because clients read a reference that may be null in different ways.
@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": True,
        "properties": {
            "planId": {"type": "string", "format": "uuid", "description": "The plan that was applied."},
            "author": {"type": "string", "description": "Who made the plan."},
            "proposedAt": _INSTANT,
            "approver": {"type": "string", "description": "Who approved it."},
            "approvedAt": _INSTANT,
            "text": {"type": "string", "nullable": True, "description": "What the approver wrote."},
        },
        "required": ["planId", "author", "proposedAt", "approver", "approvedAt", "text"],
    }
)
class ChangeSetApprovalField(serializers.JSONField):
    """Who proposed and approved the changes of an applied plan (contract O5)."""


class ChangeSetSerializer(Answer):
    id = serializers.UUIDField()
    user = serializers.CharField()
    channel = serializers.ChoiceField(Channel.values, label="Channel")
    origin = serializers.ChoiceField(Origin.values, label="Origin")
    requestId = serializers.CharField(allow_null=True)
    operation = serializers.CharField(allow_null=True, help_text="The id of the data processing, import or plan.")
    reason = serializers.CharField(allow_null=True)
    committedAt = InstantField()
    approval = ChangeSetApprovalField(allow_null=True, help_text="null unless an approved plan was applied.")
    created = serializers.IntegerField(min_value=0)
    changed = serializers.IntegerField(min_value=0)
    deleted = serializers.IntegerField(min_value=0)


_APPROVAL_MEMBERS: dict[str, Combinable] = {
    "planId": F("operation"),
    "author": F("proposed_by"),
    "proposedAt": InstantText(F("proposed_at"), "Z"),
    "approver": F("approved_by"),
    "approvedAt": InstantText(F("approved_at"), "Z"),
    "text": F("approval_text"),
}
_APPROVAL = Case(
    When(approved_at__isnull=False, then=Cast(JSONObject(**_APPROVAL_MEMBERS), TextField())), output_field=TextField()
)


def _approval_json(stored: str | None) -> str:
    """Return the JSON text of an approval; the databases write its members in orders and with blanks of their own."""
    if stored is None:
        return "null"
    members = orjson.loads(stored)
    return orjson.dumps({name: members[name] for name in _APPROVAL_MEMBERS}).decode()


_SLOTS = {
    "origin": TemplateSlot(_ORIGIN, json_text),
    "committedAt": TemplateSlot(_COMMITTED_AT, json_text),
    "approval": TemplateSlot(_APPROVAL, _approval_json),
}
CHANGE_SETS = answer_renderer(ChangeSetSerializer, _SLOTS)
_FIELDS = {
    field.path: field
    for field in (
        Field("user", ValueKind.TEXT, F("user"), nullable=False),
        Field("channel", ValueKind.ENUM, F("channel"), choices=tuple(Channel.values), nullable=False),
        Field("origin", ValueKind.ENUM, _ORIGIN, choices=tuple(Origin.values), nullable=False),
        Field("reason", ValueKind.TEXT, F("reason")),
        Field("committedAt", ValueKind.TIMESTAMP, F("committed_at"), answered=_COMMITTED_AT, nullable=False),
        Field("operation", ValueKind.TEXT, F("operation")),
        Field("approval.author", ValueKind.TEXT, F("proposed_by")),
        Field("approval.approver", ValueKind.TEXT, F("approved_by")),
    )
}


class ChangeSetFields:
    def resolve(self, selector: str) -> Field:
        """Return the field that `selector` names. Raises `UnknownField` with the nearest known ones."""
        if selector not in _FIELDS:
            known = tuple(_FIELDS)
            hint = did_you_mean(close_names(selector, known)) or f" Change sets have {', '.join(known)}."
            raise UnknownField(f"There is no field '{selector}'.{hint}")
        return _FIELDS[selector]
