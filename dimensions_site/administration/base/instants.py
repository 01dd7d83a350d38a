"""Instants on pages: in the time zone of the person, which is that of their browser, and in UTC on demand."""

from datetime import UTC, datetime, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest
from django.utils.dateformat import format as formatted
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from dimensions_site.text.formats import moment

# The cookie that shell.js writes.
COOKIE = "zone"
# Looking for them reads many files.
_zones = cache(available_timezones)

# What stands in the place of a value that there is not, on all lists.
EMPTY = "–"


def zone_of(request: HttpRequest) -> tzinfo:
    """Return the time zone of the browser; UTC before it sent one, and for one that does not exist."""
    name = request.COOKIES.get(COOKIE, "")
    return ZoneInfo(name) if name in _zones() else UTC


def shown_instant(when: datetime | None) -> SafeString:
    """Return the element of HTML with the minute in the zone of the page, whose title has the second in UTC."""
    if when is None:
        return conditional_escape(EMPTY)
    shown, title = formatted(localtime(when), _("Y-m-d H:i")), moment(when, UTC)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', f"{when.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}", title, shown
    )
