"""Sort keys for decimal text: its 25 digits fit neither a double nor an integer."""

import re
from decimal import Decimal

# At most 15 digits before and 10 after the point (contract C10).
DECIMAL_PATTERN = "-?[0-9]{1,15}([.][0-9]{1,10})?"
_DECIMAL = re.compile(DECIMAL_PATTERN)

# The sort key of a number is the positive integer `number * SCALE + OFFSET` in KEY_DIGITS digits.
SCALE = 10**10
OFFSET = 10**25
KEY_DIGITS = 26

# A word (`true`, `false`) is its own key: letters sort after digits, so words sort after all numbers.
WORDS_START = ":"


def is_decimal(text: str) -> bool:
    """Return whether `text` is a decimal number of contract C10, such as `-12.50`."""
    return _DECIMAL.fullmatch(text) is not None


def sort_key(text: str) -> str:
    """Return text that sorts by code point as the number in `text` does; any other text is its own key."""
    if not is_decimal(text):
        return text
    return str(int(Decimal(text) * SCALE) + OFFSET).zfill(KEY_DIGITS)
