"""The change sets of a dimension, as a list that clients filter (contract I1, I5)."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Case, F, QuerySet, TextField, Value, When
from rest_framework import serializers

from dimensions_site.api.filtering import RsqlFilter, TableFilterSet
from dimensions_site.api.json.texts import json_text
from dimensions_site.changes.models import Channel
from dimensions_site.elements.models import Origin
from dimensions_site.elements.reading.answers import Answer, InstantField
from dimensions_site.elements.reading.rendering import Renderer, TemplateSlot
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


class ChangeSetSerializer(Answer):
    id = serializers.UUIDField()
    user = serializers.CharField()
    channel = serializers.ChoiceField(Channel.values, label="Channel")
    origin = serializers.ChoiceField(Origin.values, label="Origin")
    requestId = serializers.CharField(allow_null=True)
    operation = serializers.CharField(allow_null=True, help_text="The id of the data processing, import or plan.")
    reason = serializers.CharField(allow_null=True)
    committedAt = InstantField()
    created = serializers.IntegerField(min_value=0)
    changed = serializers.IntegerField(min_value=0)
    deleted = serializers.IntegerField(min_value=0)


_EXPRESSIONS = {"origin": _ORIGIN, "committedAt": _COMMITTED_AT}
_RENDERER = Renderer(
    {
        name: TemplateSlot(_EXPRESSIONS.get(name, F(str(member.source))), json_text)
        for name, member in ChangeSetSerializer().fields.items()
    }
)
_FIELDS = {
    field.path: field
    for field in (
        Field("user", ValueKind.TEXT, F("user"), nullable=False),
        Field("channel", ValueKind.ENUM, F("channel"), choices=tuple(Channel.values), nullable=False),
        Field("origin", ValueKind.ENUM, _ORIGIN, choices=tuple(Origin.values), nullable=False),
        Field("reason", ValueKind.TEXT, F("reason")),
        Field("committedAt", ValueKind.TIMESTAMP, F("committed_at"), answered=_COMMITTED_AT, nullable=False),
        Field("operation", ValueKind.TEXT, F("operation")),
    )
}


class ChangeSetFields:
    """The fields of a change set that a filter may name."""

    def resolve(self, selector: str) -> Field:
        """Return the field that `selector` names. Raises `UnknownField` with the nearest known ones."""
        if selector not in _FIELDS:
            known = tuple(_FIELDS)
            hint = did_you_mean(close_names(selector, known)) or f" Change sets have {', '.join(known)}."
            raise UnknownField(f"There is no field '{selector}'.{hint}")
        return _FIELDS[selector]


class ChangeSetFilterSet(TableFilterSet):
    """The parameter `filter` of the list of change sets."""

    filter = RsqlFilter(label="RSQL conditions that the change sets meet")


def change_set_texts(sets: QuerySet[Any]) -> Iterator[str]:
    """Yield the JSON of the change `sets`, from one query, with constant memory."""
    return _RENDERER.each(sets)
