"""Decimal text as a number that databases compare exactly: its 25 digits fit neither a double nor an integer."""

import re
from decimal import Decimal

# At most 15 digits before and 10 after the point (contract C10).
DECIMAL_PATTERN = "-?[0-9]{1,15}([.][0-9]{1,10})?"
_DECIMAL = re.compile(DECIMAL_PATTERN)

# The sort key of a number is the integer `number * SCALE + OFFSET`, above zero, in KEY_DIGITS digits.
SCALE = 10**10
OFFSET = 10**25
KEY_DIGITS = 26

# A word (`true`, `false`) is its own key: letters come after digits, so words come after all numbers.
WORDS_START = ":"


def is_decimal(text: str) -> bool:
    """Whether `text` is a decimal number as contract C10 allows it, such as `-12.50`."""
    return _DECIMAL.fullmatch(text) is not None


def sort_key(text: str) -> str:
    """Text that sorts by code point as the number in `text` does; a text that is no number is its own key."""
    if not is_decimal(text):
        return text
    return str(int(Decimal(text) * SCALE) + OFFSET).zfill(KEY_DIGITS)
