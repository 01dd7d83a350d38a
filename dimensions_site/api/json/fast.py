"""A fast JSON decoder, which leaves invalid and unusual texts to `read_json` (design/writing.md)."""

import re
from typing import Any, NoReturn

import msgspec

from dimensions_site.api.json.reader import MAX_DEPTH, MAX_NUMBER_LENGTH

# Malformed JSON, other encodings than UTF-8, too much nesting.
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

# Escapes of ASCII characters: NUL, which is refused, and the colon, which `is_all_of` counts.
_DOUBTFUL_ESCAPE = re.compile(rb"\\u00[0-7]")
# A number so long that `read_json` refuses it, with or without a sign.
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % MAX_NUMBER_LENGTH)

_encode = msgspec.json.Encoder().encode


def certain_members(text: bytes) -> dict[str, Any] | None:
    """Return the members of the object `text`, as `read_json` would; None if the result might differ."""
    try:
        if is_doubtful(text) or _LONG_NUMBER.search(text):
            return None
        members = members_of(text)
        may_be_deep = text.count(b"{") + text.count(b"[") > MAX_DEPTH
        return None if may_be_deep and _depth(members) > MAX_DEPTH else members
    except UNREADABLE:
        return None


def _depth(value: Any) -> int:
    if not isinstance(value, (dict, list)):
        return 0
    return 1 + max(map(_depth, value.values() if isinstance(value, dict) else value), default=0)


def is_doubtful(text: bytes) -> bool:
    """Return whether `text` has escapes that need `read_json`."""
    return b"\\" in text and _DOUBTFUL_ESCAPE.search(text) is not None


def members_of(text: bytes) -> dict[str, Any] | None:
    """Return the members of the object `text`; None if an object in it has a duplicate key.

    Raises one of `UNREADABLE`, also for numbers with a fraction.
    """
    members = _any_members.decode(text)
    return members if is_all_of(text, _encode(members)) else None


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


def _no_fraction(text: str) -> NoReturn:
    raise ValueError("A number with a fraction would be written with other digits.")


_any_members = msgspec.json.Decoder(dict[str, Any], float_hook=_no_fraction)
