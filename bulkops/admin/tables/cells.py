"""The cells of a table that people edit: how they show a value, and what is typed there means."""

import re
from collections.abc import Iterable
from typing import Any

from dimensions_site.elements.declaration.fields import BooleanField, EnumField
from dimensions_site.elements.declaration.words import from_words
from dimensions_site.elements.reading.tables import Column
from dimensions_site.elements.writing.merging import Absent

_LINE_BREAK = re.compile(r"\r\n|\r")


def cell_text(column: Column, value: Any) -> str:
    """Return the text of the cell for a JSON `value`: labels, not codes; an empty text for what is not set."""
    if value is None or isinstance(value, Absent):
        return ""
    text = value if column.key is not None else column.place.leaf.in_words(value)
    return _LINE_BREAK.sub("\n", text)


def typed_value(column: Column, text: str) -> Any:
    """Return the JSON value that the `text` of a cell means to people, valid or not; null for an empty cell.

    Raises AmbiguousText.
    """
    if not text:
        return None
    return text if column.key is not None else from_words(column.place.leaf, text)


def offered_values(column: Column) -> Iterable[Any]:
    """Return the values that people choose from; none if they type freely."""
    leaf = column.place.leaf
    if isinstance(leaf, EnumField):
        return list(leaf.choices.values)
    return [True, False] if isinstance(leaf, BooleanField) else []
