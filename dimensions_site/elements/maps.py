"""The maps of the wire: JSON objects whose keys the client chooses, each kept in a JSON column."""

import re
from typing import Any, ClassVar

from rest_framework.exceptions import ErrorDetail, ValidationError

from dimensions_site.elements.fields import CODE_LENGTH, FREE_TEXT_LENGTH, FreeTextField, Leaf, shown
from dimensions_site.repositories.models import LANGUAGE_PATTERN
from dimensions_site.rsql.fields import Kind

# What Python takes for white space, for OpenAPI's readers.
BLANK = r"[\s\x1C-\x1F\x85]"


class MapField(Leaf):
    """A JSON object from a key of the client's choice to text or null; null entries are kept (contract C3, C9)."""

    kind = Kind.TEXT_MAP
    expected = "an object from names to texts"
    key_pattern: ClassVar[str] = rf"[\s\S]{{1,{CODE_LENGTH}}}"
    key_expected: ClassVar[str] = f"a name has 1 to {CODE_LENGTH} characters"
    max_length: ClassVar[int] = FREE_TEXT_LENGTH

    def to_internal_value(self, data: Any) -> dict[str, str | None]:
        if not isinstance(data, dict):
            self.refuse(data)
        errors = {key: [error] for key, value in data.items() if (error := self._entry_error(key, value))}
        if errors:
            raise ValidationError(errors)
        return data

    def _entry_error(self, key: str, value: object) -> ErrorDetail | None:
        if not self.has_key(key):
            return ErrorDetail(
                f"{shown(key)} cannot be a name in {self.field_name}; {self.key_expected}.", code="invalid_key"
            )
        if value is not None and (not isinstance(value, str) or len(value) > self.max_length):
            return ErrorDetail(
                f"{key} cannot be {shown(value)}; it has to be a text of at most {self.max_length:,} characters, "
                "or null.",
                code="invalid",
            )
        return None

    def has_key(self, key: str) -> bool:
        """Whether `key` may be a key of this map."""
        return re.fullmatch(self.key_pattern, key) is not None

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "additionalProperties": {"type": "string", "maxLength": self.max_length, "nullable": True},
        }


class AttributeMapField(MapField):
    """From the name of a custom attribute to its value (contract C9)."""


class LanguageMapField(MapField):
    """From a language to the text in it (contract C3)."""

    expected = 'an object from languages to texts, such as {"en": "Cash"}'
    key_pattern = LANGUAGE_PATTERN
    key_expected = "a language is written like en or de-CH"


class DescriptionField(FreeTextField):
    """The text in the default language of the repository: read from `descriptions`, not stored (contract C4)."""

    def __init__(self) -> None:
        super().__init__(column="descriptions", read_only=True)

    def to_representation(self, value: dict[str, str | None]) -> str | None:
        return value.get(self.context["repository"].default_language)


class DescriptionsField(LanguageMapField):
    """The descriptions of an element: at least one of them says something (contract C3)."""

    default_error_messages = {
        "blank": "{name} cannot be {value}; it has to be {expected}, with at least one that is not blank."
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=True, **kwargs)

    def to_internal_value(self, data: Any) -> dict[str, str | None]:
        descriptions = super().to_internal_value(data)
        if not any(text is not None and text.strip() for text in descriptions.values()):
            self.fail("blank", value=shown(data))
        return descriptions

    def schema(self) -> dict[str, Any]:
        blank = {"type": "string", "nullable": True, "pattern": f"^{BLANK}*$"}
        return {**super().schema(), "not": {"type": "object", "additionalProperties": blank}}
