"""How all lists and pages show a moment, a number and a state.

Moments are in the time zone of the person, which is that of their browser, and in UTC on demand.
"""

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.contrib import admin
from django.http import HttpRequest
from django.template import Library
from django.utils.dateformat import format as formatted
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from dimensions_site.text.formats import grouped_number, moment

# The cookie that shell.js writes.
COOKIE = "zone"
# Looking for them reads many files.
_zones = cache(available_timezones)

# What templates show instants with: `{{ plan.created_at|instant }}`.
register = Library()

# What stands in the place of a value that there is not, on all lists.
EMPTY = "–"


def zone_of(request: HttpRequest) -> tzinfo:
    """Return the time zone of the browser; UTC before it sent one, and for one that does not exist."""
    name = request.COOKIES.get(COOKIE, "")
    return ZoneInfo(name) if name in _zones() else UTC


def local_minute(when: datetime) -> str:
    """Return the day and the minute in the zone of the page, as in its language."""
    return formatted(localtime(when), _("Y-m-d H:i"))


@register.filter("instant")
def shown_instant(when: datetime | None, *, as_day: bool = False) -> SafeString:
    """Return the element of HTML with the minute, or the day, in the zone of the page; the title is in UTC."""
    if when is None:
        return conditional_escape(EMPTY)
    day, _blank, time = local_minute(when).partition(" ")
    shown, title = day if as_day else f"{day} {time}", moment(when, UTC)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', f"{when.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}", title, shown
    )


def column(words: Any, text: Callable[[Any], Any], ordering: str | None = None) -> Callable[[Any], Any]:
    """Return the column of a list with the heading `words`, whose cells have the `text` of a row, or a dash."""

    def value(row: Any) -> Any:
        return text(row) or EMPTY

    return admin.display(description=words, ordering=ordering)(value)


def when(column: str, words: Any, in_words: Callable[[Any], str] = shown_instant) -> Callable[[Any], str]:
    """Return the column of a list that shows a moment to the minute, or any value `in_words`, as all pages do."""

    def value(row: Any) -> str:
        found = getattr(row, column)
        return EMPTY if found is None else in_words(found)

    return admin.display(description=words, ordering=column)(value)


def number(column: str, words: Any) -> Callable[[Any], str]:
    """Return the column of a list that shows a number, as all pages do."""
    shown = when(column, words, grouped_number)
    # The class of its cells, by which they stand on the right.
    shown.__name__ = f"{column}_number"
    return shown


# How people take the states of jobs and plans; any other is a quiet word.
_TONES = {
    **dict.fromkeys(("COMPLETED", "APPLIED", "APPROVED"), "good"),
    **dict.fromkeys(("FAILED", "INVALID", "REJECTED", "OUTDATED"), "bad"),
    **dict.fromkeys(("RUNNING", "CHECKING", "CHECKED", "IMPORTING", "READY"), "waiting"),
}


def badge(state: str, words: Any) -> SafeString:
    """Return the `words` of a `state`, such as COMPLETED, in its colour."""
    return format_html('<span class="badge is-{}">{}</span>', _TONES.get(state, "quiet"), words)


def state(heading: Any, column: str = "status") -> Callable[[Any], SafeString]:
    """Return the column of a list that shows a state as a badge."""

    def value(row: Any) -> SafeString:
        return badge(getattr(row, column), getattr(row, f"get_{column}_display")())

    return admin.display(description=heading, ordering=column)(value)
