"""Parsing of timestamps from clients."""

import re
from datetime import UTC, datetime

# The forms of ISO 8601 in contract C11, extended and basic; `datetime.fromisoformat` accepts more, depending on the
# version of Python.
_HOUR = "(?:[01][0-9]|2[0-3])"
_FRACTION = "(?:[.,](?P<fraction{form}>[0-9]+))?"
_OFFSET = f"(?:Z|[+-]{_HOUR}(?::?[0-5][0-9])?)?"
_EXTENDED = f"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:[T ]{_HOUR}:[0-9]{{2}}(?::[0-9]{{2}}{_FRACTION})?{_OFFSET})?"
_BASIC = f"[0-9]{{8}}(?:T{_HOUR}[0-9]{{2}}(?:[0-9]{{2}}{_FRACTION})?{_OFFSET})?"
_TIMESTAMP = re.compile(f"{_EXTENDED.replace('{form}', '1')}|{_BASIC.replace('{form}', '2')}")
_MILLISECONDS = 3


class TooPrecise(ValueError):
    """A timestamp between two milliseconds, where one may be meant that is later than the millisecond before it."""


class NoSuchMoment(ValueError):
    """A well-formed date or time that does not exist."""


def parse_timestamp(text: str, *, exact: bool = False) -> datetime:
    """Return the instant of the ISO 8601 `text` in UTC, in whole milliseconds (contract C11).

    The offset is `Z`, `+HH:MM`, `+HHMM` or `+HH`; a date alone is its start, and without an offset the time is UTC.
    Raises ValueError for another form, `NoSuchMoment` for an instant that does not exist or is not in the years 1 to
    9999. Digits beyond milliseconds are cut, or raise `TooPrecise` if the instant must be `exact`.
    """
    form = _TIMESTAMP.fullmatch(text)
    if form is None:
        raise ValueError("The text is not an ISO 8601 date or time.")
    fraction = form["fraction1"] or form["fraction2"] or ""
    if exact and len(fraction.rstrip("0")) > _MILLISECONDS:
        raise TooPrecise("The text has a fraction of a millisecond.")
    try:
        local = datetime.fromisoformat(text)
        instant = local.replace(tzinfo=local.tzinfo or UTC).astimezone(UTC)
    except ValueError as error:
        raise NoSuchMoment("This date or time does not exist.") from error
    except OverflowError as error:
        raise NoSuchMoment("The year in UTC is not from 1 to 9999.") from error
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)
