"""Texts: codes, ids and what people read, stored exactly as sent (contract C19)."""

import re
import unicodedata
from collections.abc import Callable
from typing import Annotated, Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from msgspec import Meta

from dimensions_site.api.json.texts import shown_value, text_as_json
from dimensions_site.elements.declaration.fields import ElementContext, Leaf
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.text.formats import grouped_number

# Maximum lengths of texts, in characters (contract C1, C19).
CODE_LENGTH = 128
FREE_TEXT_LENGTH = 1000
LINK_LENGTH = 2000


class TextField(Leaf):
    """Text, stored exactly as sent (contract C19)."""

    kind = ValueKind.TEXT

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        self.max_length = max_length
        super().__init__(**kwargs)
        self.takes_any_text = self.refers_to is None

    @property
    def expected(self) -> str:
        return gettext("text of at most {maximum} characters").format(maximum=grouped_number(self.max_length))

    def to_internal_value(self, data: Any) -> str:
        return self.checked_text(data, self.max_length)

    def from_words(self, text: str) -> Any:
        return text if self.takes_any_text else text.strip()

    @property
    def encode(self) -> Callable[[Any], str]:
        return text_as_json

    def fast_type(self) -> Any:
        return Annotated[str, Meta(max_length=self.max_length)]

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "maxLength": self.max_length}


class CodeField(TextField):
    """A reference to another element, or a code (contract C19)."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=CODE_LENGTH, **kwargs)


class FreeTextField(TextField):
    """Text that people read (contract C19)."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=FREE_TEXT_LENGTH, **kwargs)


class LinkField(TextField):
    """The address of a page, which is not checked (contract C19)."""

    is_link = True

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=LINK_LENGTH, **kwargs)


class IdField(CodeField):
    """The `id` of an element (contract C1)."""

    fast_type_decides = False
    default_error_messages = {
        "invalid_character": _(
            "{name} must not contain the bidirectional control character {character} (at position {position}), which "
            "changes the order in which text is shown. Remove it."
        )
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # No id has blanks around it.
        self.takes_any_text = False

    @property
    def expected(self) -> str:
        return gettext("text of 1 to {maximum} characters").format(maximum=grouped_number(self.max_length))

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not text:
            self.reject(gettext("{name} must not be empty."))
        if text in {".", ".."}:
            self.reject(gettext("{name} must not be '.' or '..'."))
        control = next((character for character in text if unicodedata.category(character) == "Cc"), None)
        if control is not None:
            message = gettext("{name} must not contain the control character {character}; got {value}.")
            self.reject(message, character=f"U+{ord(control):04X}", value=shown_value(text))
        if text != text.strip():
            self.reject(gettext("{name} must not begin or end with white space; got {value}."), value=shown_value(text))
        return text

    def value_in(self, data: Any, context: ElementContext) -> str:
        text: str = super().value_in(data, context)
        found = _BIDIRECTIONAL.search(text)
        # An element with this id may exist from the time before such characters were rejected.
        if found and (context.existing is None or context.existing.element_id != text):
            self.fail("invalid_character", character=f"U+{ord(found[0]):04X}", position=found.start() + 1)
        return text

    def schema(self) -> dict[str, Any]:
        return {**super().schema(), "minLength": 1, "pattern": ID_PATTERN}

    def request_schema(self) -> dict[str, Any]:
        return {**self.schema(), "pattern": NEW_ID_PATTERN}


# The pattern of an id for OpenAPI: no whitespace at either end, no control characters, not `.` or `..`.
ID_PATTERN = r"^(?!\.{1,2}$)[^\s\x00-\x1F\x7F-\x9F](?:[^\x00-\x1F\x7F-\x9F]*[^\s\x00-\x1F\x7F-\x9F])?$"
# The same without bidirectional control characters, which an id from before contract C20 may have.
NEW_ID_PATTERN = ID_PATTERN.replace(r"\x9F]", r"\x9F\u202A-\u202E\u2066-\u2069]")
_BIDIRECTIONAL = re.compile("[\u202a-\u202e\u2066-\u2069]")
