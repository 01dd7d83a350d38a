"""Short texts, and numbers and moments in the format of the page's language; English if none is active."""

from datetime import datetime, tzinfo

from django.utils.dateformat import format as formatted
from django.utils.formats import number_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

# The largest number of characters that a message quotes.
_QUOTED = 100


def shortened(text: str, length: int = _QUOTED) -> str:
    """Return `text`; if it is longer than `length` characters, its beginning and an ellipsis."""
    return text if len(text) <= length else f"{text[:length]}…"


def grouped_number(number: int) -> str:
    """Return the number with grouped digits: `10,000` in English, `10.000` in German."""
    return number_format(number, force_grouping=True)


def moment(when: datetime, zone: tzinfo | None = None) -> str:
    """Return date and time to the second with the zone, else that of the page: `2026-01-31 11:00:00 CET`."""
    return formatted(localtime(when, zone), f"{_('Y-m-d H:i:s')} T")


def minute(when: datetime) -> str:
    """Return date and time to the minute with the zone of the page."""
    return formatted(localtime(when), f"{_('Y-m-d H:i')} T")
