"""Paths and query strings as they were sent: what Django would have to guess at is refused instead (contract B3)."""

import re
from urllib.parse import unquote, unquote_to_bytes

_LONE_PERCENT_SIGN = re.compile(r"%(?![0-9A-Fa-f]{2})")
# A tab is white space of the filter language (contract D1).
_CONTROL_CHARACTER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def ambiguity(encoded: str) -> str | None:
    """Return in words why the percent-encoded text `encoded` cannot be decoded for certain, or None when it can."""
    if _LONE_PERCENT_SIGN.search(encoded):
        return "holds a percent sign without two hexadecimal digits after it (a percent sign itself is written %25)"
    try:
        unquote_to_bytes(encoded).decode()
    except UnicodeDecodeError:
        return "is not valid UTF-8 once its percent signs are decoded"
    return None


def fault(encoded: str) -> str | None:
    """Return in words what is wrong with the percent-encoded query string `encoded`, or None."""
    wrong = ambiguity(encoded)
    if wrong:
        return wrong
    found = _CONTROL_CHARACTER.search(unquote(encoded))
    return f"holds the control character U+{ord(found[0]):04X}" if found else None
