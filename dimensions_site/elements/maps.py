"""The maps of the wire: JSON objects whose keys the client chooses, each kept in a JSON column."""

import re
from functools import lru_cache
from types import GenericAlias
from typing import Annotated, Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import Meta
from rest_framework.exceptions import ErrorDetail, ValidationError

from dimensions_site.elements.fields import CODE_LENGTH, FREE_TEXT_LENGTH, FreeTextField, Leaf
from dimensions_site.elements.json_texts import shown
from dimensions_site.formats import grouped
from dimensions_site.repositories.models import LANGUAGE_PATTERN
from dimensions_site.rsql.fields import Kind

# What Python takes for white space, for OpenAPI's readers.
BLANK = r"[\s\x1C-\x1F\x85]"


class MapField(Leaf):
    """A JSON object from a key of the client's choice to text or null; null entries are kept (contract C3, C9)."""

    kind = Kind.TEXT_MAP
    key_pattern: ClassVar[str] = rf"[\s\S]{{1,{CODE_LENGTH}}}"
    max_length: ClassVar[int] = FREE_TEXT_LENGTH

    @property
    def expected(self) -> str:
        return _("an object from names to texts")

    @property
    def key_expected(self) -> str:
        """What would be right as a key, in words that complete an error message."""
        return _("a name has 1 to {maximum} characters").format(maximum=CODE_LENGTH)

    def to_internal_value(self, data: Any) -> dict[str, str | None]:
        if not isinstance(data, dict):
            self.refuse(data)
        errors = {key: [error] for key, value in data.items() if (error := self._entry_error(key, value))}
        if errors:
            raise ValidationError(errors)
        return data

    def _entry_error(self, key: str, value: object) -> ErrorDetail | None:
        if not self.has_key(key):
            return ErrorDetail(self.key_refusal(key), code="invalid_key")
        if value is not None and (not isinstance(value, str) or len(value) > self.max_length):
            message = _("{key} cannot be {value}; it has to be a text of at most {maximum} characters, or null.")
            told = {"key": key, "value": shown(value), "maximum": grouped(self.max_length)}
            return ErrorDetail(message.format(**told), code="invalid")
        return None

    def has_key(self, key: str) -> bool:
        """Whether `key` may be a key of this map."""
        return re.fullmatch(self.key_pattern, key) is not None

    def key_refusal(self, key: str) -> str:
        """The message for a `key` that this map cannot have."""
        message = _("{key} cannot be a name in {field}; {expected}.")
        return message.format(key=shown(key), field=self.field_name, expected=self.key_expected)

    def key_as_written(self, key: str) -> str:
        """The `key` as most people write it who mean the same."""
        return key

    def fast_type(self) -> Any:
        return GenericAlias(dict, (self._fast_key(), Annotated[str, Meta(max_length=self.max_length)] | None))

    def _fast_key(self) -> Any:
        # The decoder searches: \A and \Z hold the pattern to the whole key.
        return Annotated[str, Meta(pattern=rf"\A(?:{self.key_pattern})\Z")]

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "additionalProperties": {"type": "string", "maxLength": self.max_length, "nullable": True},
        }


class AttributeMapField(MapField):
    """From the name of a custom attribute to its value (contract C9)."""


# The same few languages come all the time. Longer names are not worth the memory.
_REMEMBERED_LENGTH = 40


@lru_cache(1_000)
def _is_language(key: str) -> bool:
    return re.fullmatch(LANGUAGE_PATTERN, key) is not None


def language_expected() -> str:
    """What would be right as a language, in words that complete an error message."""
    return _("a language is written like en or de-CH")


class LanguageMapField(MapField):
    """From a language to the text in it (contract C3)."""

    key_pattern = LANGUAGE_PATTERN
    fast_type_decides = False

    @property
    def expected(self) -> str:
        return _('an object from languages to texts, such as {"en": "Cash"}')

    @property
    def key_expected(self) -> str:
        return language_expected()

    def key_as_written(self, key: str) -> str:
        # RFC 5646, section 2.1.1.
        language, *others = re.split("([-_])", key)
        return language.lower() + "".join(part.upper() if len(part) == 2 else part for part in others)

    def _fast_key(self) -> Any:
        return Annotated[str, Meta(max_length=_REMEMBERED_LENGTH)]

    def fast_value(self, value: dict[str, str | None]) -> dict[str, str | None]:
        if not all(map(_is_language, value)):
            self.refuse(value)
        return value


class DescriptionField(FreeTextField):
    """The text in the default language of the repository: read from `descriptions`, not stored (contract C4)."""

    def __init__(self) -> None:
        super().__init__(column="descriptions", read_only=True)

    def to_representation(self, value: dict[str, str | None]) -> str | None:
        return value.get(self.context["repository"].default_language)


class DescriptionsField(LanguageMapField):
    """The descriptions of an element: at least one of them says something (contract C3)."""

    default_error_messages = {
        "required": gettext_lazy(
            "{name} is missing; a text in at least one language is needed, such as descriptions.en."
        ),
        "blank": gettext_lazy(
            "{name} cannot be {value}; a text that is not blank is needed in at least one language, "
            "such as descriptions.en."
        ),
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=True, **kwargs)

    def to_internal_value(self, data: Any) -> dict[str, str | None]:
        return self._saying_something(super().to_internal_value(data))

    def fast_value(self, value: dict[str, str | None]) -> dict[str, str | None]:
        return self._saying_something(super().fast_value(value))

    def _saying_something(self, descriptions: dict[str, str | None]) -> dict[str, str | None]:
        if not any(text is not None and text.strip() for text in descriptions.values()):
            self.fail("blank", value=shown(descriptions))
        return descriptions

    def schema(self) -> dict[str, Any]:
        blank = {"type": "string", "nullable": True, "pattern": f"^{BLANK}*$"}
        return {**super().schema(), "not": {"type": "object", "additionalProperties": blank}}
