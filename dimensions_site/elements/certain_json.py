"""JSON that one look is enough for: the decoder is quick, but knows less of what is wrong than `read_json`."""

import re
from typing import Any, NoReturn

import msgspec

from dimensions_site.api.json_reader import MAX_DEPTH, MAX_NUMBER_LENGTH

# JSON that is not right, not in UTF-8, or too deep.
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

# Letters that are written as escapes: among them are NUL, which is refused, and the colon, which is counted.
_DOUBTFUL_ESCAPE = re.compile(rb"\\u00[0-7]")
# Of a length that `read_json` refuses, with a sign or without.
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % MAX_NUMBER_LENGTH)

_encode = msgspec.json.Encoder().encode


def is_certain(text: bytes) -> bool:
    """Whether `text` is surely an object that `read_json` reads, too."""
    try:
        if is_doubtful(text) or _LONG_NUMBER.search(text):
            return False
        members = members_of(text)
        may_be_deep = text.count(b"{") + text.count(b"[") > MAX_DEPTH
        return members is not None and not (may_be_deep and _depth(members) > MAX_DEPTH)
    except UNREADABLE:
        return False


def _depth(value: Any) -> int:
    if not isinstance(value, (dict, list)):
        return 0
    return 1 + max(map(_depth, value.values() if isinstance(value, dict) else value), default=0)


def is_doubtful(text: bytes) -> bool:
    """Whether escapes stand in `text` that another look is due to."""
    return b"\\" in text and _DOUBTFUL_ESCAPE.search(text) is not None


def members_of(text: bytes) -> dict[str, Any] | None:
    """The members of the object `text`; None when one of them stands twice in its object.

    Raises one of `UNREADABLE`, for numbers with a fraction, too.
    """
    members = _any_members.decode(text)
    return members if is_all_of(text, _encode(members)) else None


def is_all_of(text: bytes, written: bytes) -> bool:
    """Whether `written`, which is what the decoder took of `text`, is all of it.

    Of a member that stands twice the decoder keeps the last. Nothing is written longer than it was sent, so with equal
    lengths nothing is missing. Else each member has one colon outside of texts; those inside are the same in both,
    because none is written as an escape.
    """
    return len(written) == len(text) or written.count(b":") == text.count(b":")


def is_same_json(one: str | None, other: str | None) -> bool:
    """Whether two texts stand for one value: the members of an object are in no order."""
    return one is not None and other is not None and bool(msgspec.json.decode(one) == msgspec.json.decode(other))


def _no_fraction(text: str) -> NoReturn:
    raise ValueError("A number with a fraction would be written with other digits.")


_any_members = msgspec.json.Decoder(dict[str, Any], float_hook=_no_fraction)
