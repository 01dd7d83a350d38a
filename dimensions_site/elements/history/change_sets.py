"""The change sets of a dimension, as a list that clients filter (contract I1, I5)."""

from collections.abc import Callable, Iterator
from typing import Any

from django.db.models import Case, F, QuerySet, TextField, Value, When

from dimensions_site.api.filtering import RsqlFilter, TableFilterSet
from dimensions_site.api.json.texts import json_text, text_as_json
from dimensions_site.changes.models import Channel
from dimensions_site.elements.models import Origin
from dimensions_site.elements.reading.rendering import Renderer, Slot
from dimensions_site.rsql.errors import UnknownField
from dimensions_site.rsql.expressions import InstantText
from dimensions_site.rsql.fields import Field, Kind
from dimensions_site.text.suggestions import close_names, did_you_mean

# The origin that elements show for the channel (contract C12).
_ORIGIN = Case(
    When(channel=Channel.IMPORT.value, then=Value(Origin.IMPORT.value)),
    default=Value(Origin.INPUT_WEB.value),
    output_field=TextField(),
)
_COMMITTED_AT = InstantText(F("committed_at"), "Z")


def _uuid(value: object) -> str:
    return json_text(None if value is None else str(value))


def _slot(expression: Any, encode: Callable[[Any], str] = text_as_json) -> Slot:
    return Slot(expression, encode)


_RENDERER = Renderer(
    {
        "id": _slot(F("id"), _uuid),
        "user": _slot(F("user")),
        "channel": _slot(F("channel")),
        "origin": _slot(_ORIGIN),
        "requestId": _slot(F("request_id")),
        "operation": _slot(F("operation")),
        "reason": _slot(F("reason")),
        "committedAt": _slot(_COMMITTED_AT),
        "created": _slot(F("created"), json_text),
        "changed": _slot(F("changed"), json_text),
        "deleted": _slot(F("deleted"), json_text),
    }
)
_FIELDS = {
    field.path: field
    for field in (
        Field("user", Kind.TEXT, F("user"), nullable=False),
        Field("channel", Kind.ENUM, F("channel"), choices=tuple(Channel.values), nullable=False),
        Field("origin", Kind.ENUM, _ORIGIN, choices=tuple(Origin.values), nullable=False),
        Field("reason", Kind.TEXT, F("reason")),
        Field("committedAt", Kind.TIMESTAMP, F("committed_at"), answered=_COMMITTED_AT, nullable=False),
        Field("operation", Kind.TEXT, F("operation")),
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
