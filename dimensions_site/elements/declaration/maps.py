"""Maps: JSON objects with keys that the client chooses, each stored in a JSON column."""

import re
from functools import lru_cache
from types import GenericAlias
from typing import Annotated, Any, ClassVar, NoReturn

import msgspec
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import Meta
from rest_framework.exceptions import ErrorDetail, ValidationError

from dimensions_site.api.json.texts import described_value, shown_value
from dimensions_site.elements.declaration.fields import ElementContext, Leaf, too_long_message
from dimensions_site.elements.declaration.labels import are_in_messages, name_of
from dimensions_site.elements.declaration.members import join_details
from dimensions_site.elements.declaration.texts import CODE_LENGTH, FREE_TEXT_LENGTH, FreeTextField
from dimensions_site.elements.models import json_column
from dimensions_site.repositories.models import LANGUAGE_PATTERN
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.text.formats import grouped_number, shortened

# Python's whitespace, for the pattern in OpenAPI.
BLANK = r"[\s\x1C-\x1F\x85]"


class MapField(Leaf):
    """A JSON object from keys that the client chooses to text or null; null entries are kept (contract C3, C9)."""

    kind = ValueKind.TEXT_MAP
    column_type = staticmethod(json_column)
    fast_type_decides = False
    default_error_messages = {
        "too_large": gettext_lazy("{name} must not have more than {maximum} entries; it has {count}.")
    }
    key_pattern: ClassVar[str] = rf"[\s\S]{{1,{CODE_LENGTH}}}"
    max_length: ClassVar[int] = FREE_TEXT_LENGTH
    # What people call a key, and no certain one.
    key_label: ClassVar[Any] = gettext_lazy("Name")
    any_key: ClassVar[Any] = gettext_lazy("any entry")

    @property
    def expected(self) -> str:
        return _('an object such as {"Owner": "Anna"}')

    @property
    def key_expected(self) -> str:
        """Return what a key should look like, as the end of an error message."""
        return _("a name of 1 to {maximum} characters").format(maximum=CODE_LENGTH)

    def value_in(self, data: Any, context: ElementContext) -> dict[str, str | None]:
        if not isinstance(data, dict):
            message = _("{name} must be {expected}, not {value}.")
            self.reject(message, expected=self.expected, value=described_value(data))
        maximum: int = settings.ELEMENT_MAX_MAP_ENTRIES
        errors: Any = self._entry_errors(data, context)
        # A map stored before the limit existed may stay, or lose entries.
        if len(data) > maximum and len(data) > len(self._stored(context)):
            counts = {"count": grouped_number(len(data)), "maximum": grouped_number(maximum)}
            message = self.error_messages["too_large"].format(name=name_of(self), **counts)
            errors = join_details([ErrorDetail(message, "too_large")], errors)
        if errors:
            raise ValidationError(errors)
        return data

    def fast_value(self, value: dict[str, str | None], context: ElementContext) -> dict[str, str | None]:
        if len(value) > settings.ELEMENT_MAX_MAP_ENTRIES:
            self.refuse(value)
        return value

    def _stored(self, context: ElementContext) -> dict[str, str | None]:
        """Return the stored element's map; an empty one without it."""
        return {} if context.stored is None else msgspec.json.decode(context.stored).get(self.field_name) or {}

    def _entry_errors(self, data: dict[str, Any], context: ElementContext) -> dict[str, list[ErrorDetail]]:
        return {key: [error] for key, value in data.items() if (error := self._entry_error(key, value))}

    def _entry_error(self, key: str, value: object) -> ErrorDetail | None:
        if not self.has_key(key):
            return ErrorDetail(self.key_refusal(key), code="invalid_key")
        if value is None:
            return None
        name = name_of(self, shortened(key))
        if not isinstance(value, str):
            message = _("{name} must be a string or null, not {value}.")
            return ErrorDetail(message.format(name=name, value=described_value(value)), code="invalid")
        if len(value) > self.max_length:
            values = {"length": grouped_number(len(value)), "maximum": grouped_number(self.max_length)}
            return ErrorDetail(too_long_message().format(name=name, **values), code="invalid")
        return None

    def has_key(self, key: str) -> bool:
        return re.fullmatch(self.key_pattern, key) is not None

    def key_refusal(self, key: str) -> str:
        message = _("{name}: '{key}' is not {expected}.")
        return message.format(name=name_of(self), key=shortened(key), expected=self.key_expected)

    def key_as_written(self, key: str) -> str:
        return key

    def fast_type(self) -> Any:
        return GenericAlias(dict, (self._fast_key(), Annotated[str, Meta(max_length=self.max_length)] | None))

    def _fast_key(self) -> Any:
        # The decoder searches, so \A and \Z make the pattern match the whole key.
        return Annotated[str, Meta(pattern=rf"\A(?:{self.key_pattern})\Z")]

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "additionalProperties": {"type": "string", "maxLength": self.max_length, "nullable": True},
        }


# Most requests use the same few languages. Longer names are not worth the memory.
_REMEMBERED_LENGTH = 40


@lru_cache(1_000)
def _language(key: str) -> str | None:
    """Return what is equal for all tags of one language; None if the `key` is no tag."""
    return key.lower().replace("_", "-") if re.fullmatch(LANGUAGE_PATTERN, key) else None


def language_expected() -> str:
    """Return what a language should look like, as the end of an error message."""
    return _("a language tag such as de")


class LanguageMapField(MapField):
    """A map from a language to the text in that language; no two tags may mean the same one (contract C3)."""

    key_pattern = LANGUAGE_PATTERN
    has_languages = True
    key_label = gettext_lazy("Language")
    any_key = gettext_lazy("any language")
    default_error_messages = {
        "same_language": gettext_lazy("{name} differs from '{other}' only in case or in - and _; use only one of them.")
    }

    @property
    def expected(self) -> str:
        return _('an object such as {"en": "Cash"}')

    @property
    def key_expected(self) -> str:
        return language_expected()

    def key_as_written(self, key: str) -> str:
        # RFC 5646, section 2.1.1.
        language, *others = re.split("([-_])", key)
        return language.lower() + "".join(part.upper() if len(part) == 2 else part for part in others)

    def _entry_errors(self, data: dict[str, Any], context: ElementContext) -> dict[str, list[ErrorDetail]]:
        errors, first = super()._entry_errors(data, context), dict[str | None, str]()
        for tag in data:
            other = first.setdefault(_language(tag), tag)
            # Elements stored before this was a rule may keep both.
            if tag not in errors and other != tag and not {tag, other} <= self._stored(context).keys():
                message = self.error_messages["same_language"].format(name=name_of(self, tag), other=other)
                errors[tag] = [ErrorDetail(message, code="same_language")]
        return errors

    def _fast_key(self) -> Any:
        return Annotated[str, Meta(max_length=_REMEMBERED_LENGTH)]

    def fast_value(self, value: dict[str, str | None], context: ElementContext) -> dict[str, str | None]:
        value = super().fast_value(value, context)
        languages = set(map(_language, value))
        if None in languages or len(languages) < len(value):
            self.refuse(value)
        return value


class DescriptionField(FreeTextField):
    """The text in the repository's default language, read from `descriptions` and not stored itself (contract C4)."""

    def __init__(self) -> None:
        super().__init__(
            column="descriptions", read_only=True, label=gettext_lazy("Description in the default language")
        )


class DescriptionsField(LanguageMapField):
    """The descriptions of an element, at least one of them not blank (contract C3)."""

    default_error_messages = {
        "blank": gettext_lazy(
            '{name} must have a text in at least one language, such as {{"en": "Cash"}}; got {value}.'
        )
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            required=True,
            label=gettext_lazy("Description"),
            help_text=gettext_lazy("What it is called, one text for each language. At least one is needed."),
            **kwargs,
        )

    def fail(self, key: str, **kwargs: Any) -> NoReturn:
        """Raise the error; on pages it does not describe JSON."""
        if are_in_messages() and key in ("required", "null", "blank"):
            raise ValidationError(_("Enter a description in at least one language."), code=key)
        super().fail(key, **kwargs)

    def value_in(self, data: Any, context: ElementContext) -> dict[str, str | None]:
        return self._not_blank(super().value_in(data, context))

    def fast_value(self, value: dict[str, str | None], context: ElementContext) -> dict[str, str | None]:
        return self._not_blank(super().fast_value(value, context))

    def _not_blank(self, descriptions: dict[str, str | None]) -> dict[str, str | None]:
        if not any(text is not None and text.strip() for text in descriptions.values()):
            self.fail("blank", value=shown_value(descriptions))
        return descriptions

    def request_schema(self) -> dict[str, Any]:
        blank = {"type": "string", "nullable": True, "pattern": f"^{BLANK}*$"}
        return {**super().request_schema(), "not": {"type": "object", "additionalProperties": blank}}
