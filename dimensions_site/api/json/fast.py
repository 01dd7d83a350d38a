"""A fast JSON decoder, which leaves invalid and unusual texts to `read_json` (design/writing.md)."""

import re
from typing import Any, NoReturn

import msgspec

from dimensions_site.api.json.reader import MAX_DEPTH, MAX_NUMBER_LENGTH

# Malformed JSON, other encodings than UTF-8, too much nesting.
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

# Escapes of ASCII characters: NUL, which is refused, and the colon, which `is_all_of` counts.
_DOUBTFUL_ESCAPE = re.compile(rb"\\u00[0-7]")
# A number so long that `read_json` refuses it, with or without a sign, once all digits are zeros: a regular expression
# takes 14 times as long.
_LONG_NUMBER = b"0" * MAX_NUMBER_LENGTH
_AS_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)

_encode = msgspec.json.Encoder().encode


def members_of(text: bytes) -> dict[str, Any] | None:
    """Return the members of the object `text`; None if `read_json` might read others.

    `read_json` may refuse the text nevertheless, unless `is_acceptable`.
    """
    try:
        if is_doubtful(text):
            return None
        members = _any_members.decode(text)
        return members if is_all_of(text, _encode(members)) else None
    except UNREADABLE:
        return None


def is_acceptable(text: bytes, members: dict[str, Any]) -> bool:
    """Return whether `read_json` accepts the `text`, which has these `members`: by its numbers and its depth."""
    may_be_deep = text.count(b"{") + text.count(b"[") > MAX_DEPTH
    has_long_number = _LONG_NUMBER in text.translate(_AS_ZEROS)
    return not has_long_number and not (may_be_deep and _depth(members) > MAX_DEPTH)


def _depth(value: Any) -> int:
    if not isinstance(value, (dict, list)):
        return 0
    return 1 + max(map(_depth, value.values() if isinstance(value, dict) else value), default=0)


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


def _no_fraction(text: str) -> NoReturn:
    raise ValueError("A number with a fraction would be written with other digits.")


_any_members = msgspec.json.Decoder(dict[str, Any], float_hook=_no_fraction)
