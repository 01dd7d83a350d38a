"""Objects of responses beside elements, declared once: they are rendered by what documents them (contract H3, M6).

Those in long lists are texts, by the template of what documents them.
"""

from datetime import UTC, datetime
from typing import Any

from rest_framework import serializers

from dimensions_site.elements.declaration.serializers import snake_case


def instant_text(instant: datetime) -> str:
    """Return the instant as in responses beyond the specification: RFC 3339 in UTC (contract M6)."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class InstantField(serializers.DateTimeField):
    """An instant in responses beyond the specification."""

    def to_representation(self, value: datetime) -> str:
        """Return the text of the instant."""
        return instant_text(value)


# A member is the attribute with its name in snake case, unless it has another `source`. The OpenAPI documents show
# docstrings of the classes.
class Answer(serializers.Serializer[Any]):
    def get_fields(self) -> dict[str, Any]:
        """Return the members, each with its source."""
        fields = super().get_fields()
        for name, field in fields.items():
            column = snake_case(name)
            if field.source is None and column != name:
                field.source = column
        return fields


def template_of(answer: type[serializers.Serializer[Any]], *left_out: str) -> str:
    """Return the JSON of the `answer` with a place for the JSON text of each member, but for those `left_out`."""
    return "{" + ",".join(f'"{name}":%s' for name in answer().get_fields() if name not in left_out) + "}"
