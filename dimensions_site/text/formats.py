"""Short texts, and numbers and moments in the format of the page's language; English if none is active."""

from datetime import datetime

from django.utils.dateformat import format as formatted
from django.utils.formats import number_format
from django.utils.translation import gettext as _

# The largest number of characters that a message quotes.
_QUOTED = 100


def shortened(text: str, length: int = _QUOTED) -> str:
    """Return `text`; if it is longer than `length` characters, its beginning and an ellipsis."""
    return text if len(text) <= length else f"{text[:length]}…"


def grouped_number(number: int) -> str:
    """Return the number with grouped digits: `10,000` in English, `10.000` in German."""
    return number_format(number, force_grouping=True)


def moment(when: datetime) -> str:
    """Return date and time to the second, in the time zone of `when`: `2026-01-31 10:00:00` in English."""
    return formatted(when, _("Y-m-d H:i:s"))


def minute(when: datetime) -> str:
    """Return date and time to the minute."""
    return formatted(when, _("Y-m-d H:i"))
