"""The JSON of one element as sent; the fast decoder reads most of it without parsing it twice (design/writing.md)."""

from typing import Any

from django.utils.functional import cached_property

from dimensions_site.api.failures import JoinPath, wire_path
from dimensions_site.api.json.fast import is_acceptable, members_of
from dimensions_site.api.json.reader import read_json
from dimensions_site.api.parsers import StrictJSONParser


class RawElement:
    """An element or a patch: its JSON `text` in UTF-8, and the `value` that it encodes.

    In a patch that `removes`, null removes the entry of a map (RFC 7396). Errors in the text are at `path`, or at paths
    that `join` builds from it.
    """

    def __init__(self, text: bytes, *, removes: bool = False, path: str = "", join: JoinPath = wire_path) -> None:
        self.text = text
        self.removes = removes
        self._path = path
        self._join = join

    @cached_property
    def members(self) -> dict[str, Any] | None:
        """The members of the object, or None if only `read_json` may decide what the text means."""
        return members_of(self.text)

    @property
    def is_parsed(self) -> bool:
        """Whether the members are known already."""
        return "members" in self.__dict__

    @cached_property
    def value(self) -> Any:
        """The value as `read_json` reads it. Raises `JsonError`."""
        return read_json(self.text, join=self._join, path=self._path)


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
        if sent.members is None or not is_acceptable(sent.text, sent.members):
            sent.value = super().value(body)
        return sent


class MergePatchParser(ElementParser):
    """Does the same with a patch in which null removes the entry of a map (RFC 7396, contract C15)."""

    media_type = "application/merge-patch+json"
    method = "PATCH"
    removes = True
