"""Columns that several lists of the admin have."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin

from dimensions_site.formats import minute


def when(column: str, words: Any) -> Callable[[Any], str]:
    """A column of a list with a moment as all our pages write it, to the minute."""

    def told(row: Any) -> str:
        found = getattr(row, column)
        return "-" if found is None else minute(found)

    return admin.display(description=words, ordering=column)(told)
