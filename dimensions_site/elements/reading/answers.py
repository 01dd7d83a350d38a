"""Objects of responses beside elements, declared once: they are rendered by what documents them (contract H3, M6).

Those in long lists are texts, by the template of what documents them.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db.models import F
from rest_framework import serializers

from dimensions_site.api.json.texts import json_text
from dimensions_site.elements.declaration.serializers import with_sources
from dimensions_site.elements.reading.rendering import Renderer, TemplateSlot


def instant_text(instant: datetime) -> str:
    """Return the instant as in responses beyond the specification: RFC 3339 in UTC (contract M6)."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class InstantField(serializers.DateTimeField):
    """An instant in responses beyond the specification."""

    def to_representation(self, value: datetime) -> str:
        return instant_text(value)


# A member is the attribute with its name in snake case, unless it has another `source`. A name that serializers have
# takes a trailing underscore, which the JSON does not show. The OpenAPI documents show docstrings of the classes.
class Answer(serializers.Serializer[Any]):
    def get_fields(self) -> dict[str, Any]:
        return with_sources({name.rstrip("_"): member for name, member in super().get_fields().items()})


def template_of(answer: type[serializers.Serializer[Any]], *left_out: str) -> str:
    """Return the JSON of the `answer` with a place for the JSON text of each member, but for those `left_out`."""
    return "{" + ",".join(f'"{name}":%s' for name in answer().get_fields() if name not in left_out) + "}"


def answer_renderer(answer: type[Answer], slots: Mapping[str, TemplateSlot], *left_out: str) -> Renderer:
    """Return the renderer of the `answer` from rows with its sources, but for those `left_out`.

    `slots` are those of members that are not the JSON of their source.
    """
    sources = {name: str(member.source) for name, member in answer().fields.items() if name not in left_out}
    return Renderer({name: slots.get(name, TemplateSlot(F(source), json_text)) for name, source in sources.items()})
