"""Short texts, and numbers and moments in texts: for people in the format of the page's language, English if none is
active; and from clients (contract C10, C11).
"""

import re
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from uuid import UUID

from django.utils.dateformat import format as formatted
from django.utils.formats import number_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

# The largest number of characters that a message quotes.
_QUOTED = 100


def shortened(text: str, length: int = _QUOTED) -> str:
    """Return `text`; if it is longer than `length` characters, its beginning and an ellipsis."""
    return text if len(text) <= length else f"{text[:length]}…"


def named_value(name: object, value: object) -> str:
    """Return `name: value` as the language of the page writes it; French has a blank before the colon."""
    return _("%(field)s: %(value)s") % {"field": name, "value": value}


def grouped_number(number: int) -> str:
    """Return the number with grouped digits: `10,000` in English, `10.000` in German."""
    return number_format(number, force_grouping=True)


def moment(when: datetime, zone: tzinfo | None = None) -> str:
    """Return date and time to the second with the zone, else that of the page: `2026-01-31 11:00:00 CET`."""
    return formatted(localtime(when, zone), _("Y-m-d H:i:s") + " T")


def minute_with_zone(when: datetime) -> str:
    """Return date and time to the minute with the zone of the page."""
    return formatted(localtime(when), _("Y-m-d H:i") + " T")


def uuid_of(text: str) -> UUID | None:
    """Return the UUID that `text` writes exactly as answers do, None for any other text (contract K5)."""
    found = None
    with suppress(ValueError):
        found = UUID(text)
    return found if str(found) == text else None


# At most 15 digits before and 10 after the point (contract C10).
DECIMAL_PATTERN = "-?[0-9]{1,15}([.][0-9]{1,10})?"
_DECIMAL = re.compile(DECIMAL_PATTERN)

# The sort key of a number is the positive integer `number * SCALE + OFFSET` in KEY_DIGITS digits.
SCALE = 10**10
OFFSET = 10**25
KEY_DIGITS = 26

# A word (`true`, `false`) is its own key: letters sort after digits, so words sort after all numbers.
WORDS_START = ":"

# The forms of ISO 8601 in contract C11, extended and basic; `datetime.fromisoformat` accepts more, depending on the
# version of Python.
_HOUR = "(?:[01][0-9]|2[0-3])"
_FRACTION = "(?:[.,](?P<fraction{form}>[0-9]+))?"
_OFFSET = f"(?:Z|[+-]{_HOUR}(?::?[0-5][0-9])?)?"
_EXTENDED = f"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:[T ]{_HOUR}:[0-9]{{2}}(?::[0-9]{{2}}{_FRACTION})?{_OFFSET})?"
_BASIC = f"[0-9]{{8}}(?:T{_HOUR}[0-9]{{2}}(?:[0-9]{{2}}{_FRACTION})?{_OFFSET})?"
_TIMESTAMP = re.compile(f"{_EXTENDED.replace('{form}', '1')}|{_BASIC.replace('{form}', '2')}")
_MILLISECONDS = 3


def is_decimal(text: str) -> bool:
    """Return whether `text` is a decimal number of contract C10, such as `-12.50`."""
    return _DECIMAL.fullmatch(text) is not None


def sort_key(text: str) -> str:
    """Return text that sorts by code point as the number in `text` does; any other text is its own key."""
    if not is_decimal(text):
        return text
    return str(int(Decimal(text) * SCALE) + OFFSET).zfill(KEY_DIGITS)


class TooPrecise(ValueError):
    """A timestamp between two milliseconds, where one may be meant that is later than the millisecond before it."""


class NoSuchMoment(ValueError):
    """A well-formed date or time that does not exist."""


def parse_timestamp(text: str, *, exact: bool = False, zone: tzinfo = UTC) -> datetime:
    """Return the instant of the ISO 8601 `text` in UTC, in whole milliseconds (contract C11).

    The offset is `Z`, `+HH:MM`, `+HHMM` or `+HH`; a date alone is its start, and without an offset the time is in the
    `zone`. Raises ValueError for another form, `NoSuchMoment` for an instant that does not exist or is not in the years
    1 to 9999. Digits beyond milliseconds are cut, or raise `TooPrecise` if the instant must be `exact`.
    """
    form = _TIMESTAMP.fullmatch(text)
    if form is None:
        raise ValueError("The text is not an ISO 8601 date or time.")
    fraction = form["fraction1"] or form["fraction2"] or ""
    if exact and len(fraction.rstrip("0")) > _MILLISECONDS:
        raise TooPrecise("The text has a fraction of a millisecond.")
    try:
        local = datetime.fromisoformat(text)
        instant = local.replace(tzinfo=local.tzinfo or zone).astimezone(UTC)
    except ValueError as error:
        raise NoSuchMoment("This date or time does not exist.") from error
    except OverflowError as error:
        raise NoSuchMoment("The year in UTC is not from 1 to 9999.") from error
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)
