"""The JSON of one element as sent; the fast decoder reads most of it without parsing it twice (design/writing.md)."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import cached_property

from dimensions_site.api.errors import bad_request
from dimensions_site.api.json.fast import certain_members
from dimensions_site.api.json.reader import JsonError, read_json
from dimensions_site.api.parsers import StrictJSONParser


class RawElement:
    """An element or a patch: its JSON `text` in UTF-8, and the `value` that it encodes.

    In a patch that `removes`, null removes the entry of a map (RFC 7396).
    """

    def __init__(self, text: bytes, *, removes: bool = False) -> None:
        self.text = text
        self.removes = removes

    @cached_property
    def members(self) -> Mapping[str, Any] | None:
        """The members of the object, or None if only `read_json` may decide what the text means."""
        return certain_members(self.text)

    @cached_property
    def value(self) -> Any:
        """The value as `read_json` reads it. Raises `Problem` 400 as the parser does."""
        try:
            return read_json(self.text)
        except JsonError as error:
            raise bad_request(error.failures, error.failure_count) from None


def as_raw(data: Any) -> RawElement:
    """Return `data` itself if it was sent as text, else `data` as if it had been sent; it is not decoded fast."""
    if isinstance(data, RawElement):
        return data
    sent = RawElement(b"")
    sent.value = data
    return sent


class ElementParser(StrictJSONParser):
    """Passes the body to the view as `RawElement`. Errors in the JSON are raised at once, before anything is locked."""

    removes = False

    def value(self, body: bytearray) -> RawElement:
        """Return the body. Raises `JsonError`."""
        sent = RawElement(bytes(body), removes=self.removes)
        if sent.members is None:
            sent.value = super().value(body)
        return sent


class MergePatchParser(ElementParser):
    """Does the same with a patch in which null removes the entry of a map (RFC 7396, contract C15)."""

    media_type = "application/merge-patch+json"
    method = "PATCH"
    removes = True
