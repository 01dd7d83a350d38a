"""The JSON of one element as somebody sent it: most of it is understood without being read exactly (record 0011)."""

from typing import Any

from django.utils.functional import cached_property

from dimensions_site.api.errors import bad_request
from dimensions_site.api.json_reader import JsonError, read_json
from dimensions_site.api.parsers import StrictJSONParser
from dimensions_site.elements.certain_json import is_certain


class Sent:
    """An element, or what is to change in one: its JSON `text` in UTF-8, and the `value` that it stands for."""

    def __init__(self, text: bytes) -> None:
        self.text = text

    @cached_property
    def value(self) -> Any:
        """The value as `read_json` reads it, when it is asked for. Raises `Problem` 400 as the parser does."""
        try:
            return read_json(self.text)
        except JsonError as error:
            raise bad_request(error.failures, error.failure_count) from None


class _Value(Sent):
    """A value that is no text any more, so that there is nothing to understand quickly."""

    def __init__(self, value: Any) -> None:
        super().__init__(b"")
        self.value = value


def as_sent(data: Any) -> Sent:
    """`data` itself if it was sent as text; else as if it had been sent."""
    return data if isinstance(data, Sent) else _Value(data)


class ElementParser(StrictJSONParser):
    """Gives the view what was `Sent`. What is wrong with it as JSON is told at once, before anything is locked."""

    def value(self, body: bytearray) -> Sent:
        """The body. Raises JsonError."""
        text = bytes(body)
        return Sent(text) if is_certain(text) else _Value(super().value(body))
