"""States as coloured words, the same on all lists and pages."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString

# How people take the states of jobs and plans; any other is a quiet word.
_TONES = {
    **dict.fromkeys(("COMPLETED", "APPLIED"), "good"),
    **dict.fromkeys(("FAILED", "INVALID"), "bad"),
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
