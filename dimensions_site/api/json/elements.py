"""The JSON text of one element: decoded fast if nothing in it is in doubt, else by `read_json` (design/writing.md)."""

import re
from typing import Any, NoReturn

import msgspec
from django.utils.functional import cached_property

from dimensions_site.api.failures import JoinPath, wire_path
from dimensions_site.api.json.reader import MAX_JSON_DEPTH, MAX_NUMBER_LENGTH, read_json

# Malformed JSON, other encodings than UTF-8, too much nesting.
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

# Escapes of ASCII characters: NUL, which is refused, and the colon, which `is_all_of` counts.
_DOUBTFUL_ESCAPE = re.compile(rb"\\u00[0-7]")
# A number so long that `read_json` refuses it, with or without a sign, once all digits are zeros: a regular expression
# takes 14 times as long.
_LONG_NUMBER = b"0" * MAX_NUMBER_LENGTH
_AS_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)

_encode = msgspec.json.Encoder().encode


def _no_fraction(text: str) -> NoReturn:
    raise ValueError("A number with a fraction would be written with other digits.")


_any_members = msgspec.json.Decoder(dict[str, Any], float_hook=_no_fraction)


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
        """The members of the object, or None if only `read_json` may decide what the text means.

        It may refuse the text nevertheless, unless it `is_acceptable`.
        """
        try:
            if is_doubtful(self.text):
                return None
            members = _any_members.decode(self.text)
            return members if is_all_of(self.text, _encode(members)) else None
        except UNREADABLE:
            return None

    @property
    def is_parsed(self) -> bool:
        """Whether the members are known already."""
        return "members" in self.__dict__

    @property
    def is_acceptable(self) -> bool:
        """Whether `read_json` certainly accepts the text: by its members, its numbers and its depth."""
        if self.members is None or _LONG_NUMBER in self.text.translate(_AS_ZEROS):
            return False
        may_be_deep = self.text.count(b"{") + self.text.count(b"[") > MAX_JSON_DEPTH
        return not may_be_deep or _is_within(self.members, MAX_JSON_DEPTH)

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


def _is_within(value: Any, levels: int) -> bool:
    """Return whether the value is nested no deeper. The decoder goes deeper than recursion can, so it ends there."""
    if not isinstance(value, (dict, list)):
        return True
    items = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_within(item, levels - 1) for item in items)


def is_doubtful(text: bytes) -> bool:
    """Return whether `text` has escapes that need `read_json`."""
    return b"\\" in text and _DOUBTFUL_ESCAPE.search(text) is not None


def is_all_of(text: bytes, written: bytes) -> bool:
    """Return whether `written`, the encoding of what was decoded from `text`, covers all of it.

    Of duplicate keys the decoder keeps the last. The encoder never writes a value longer than it was, so with equal
    lengths nothing is missing. Otherwise compare colons: each member has one outside of strings, and those inside are
    equal, because none is escaped.
    """
    return len(written) == len(text) or written.count(b":") == text.count(b":")


def is_same_json(one: str | None, other: str | None) -> bool:
    """Return whether two texts of the same encoder have the same value: the order of members does not matter."""
    if one is None or other is None or len(one) != len(other):
        return False
    return one == other or bool(msgspec.json.decode(one) == msgspec.json.decode(other))
