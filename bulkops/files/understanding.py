"""Cells as people write them, in files that a person checks before anything is saved."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from bulkops.files.columns import Column, Segments
from dimensions_site.api.errors import Failure
from dimensions_site.api.json.texts import json_text
from dimensions_site.elements.declaration.fields import EnumField, Leaf, TextField
from dimensions_site.elements.declaration.words import AmbiguousText, from_words, takes_any_text
from dimensions_site.elements.reading.cells import UNSET, read_cell
from dimensions_site.text.shortening import shortened

# How many different texts of a column are remembered: most repeat.
_REMEMBERED = 1_000
# How many different texts are reported with what they mean.
MEANINGS = 1_000


@dataclass
class Meaning:
    """What the `text` of cells under a heading was understood as, and how often."""

    heading: str
    text: str
    value: str
    count: int = 0


class Understanding:
    """What the cells of one file were understood as; `failures` are the ambiguous cells of the current row."""

    def __init__(self) -> None:
        self._meanings: dict[tuple[str, str], Meaning] = {}
        # All further ones together.
        self._others = Meaning("", "", "")
        self.failures: list[Failure] = []

    def column(self, column: Column) -> Column:
        """Return the column that reads cells as people write them."""
        leaf = column.leaf
        if leaf is None or takes_any_text(leaf):
            return column
        return UnderstandingColumn(column.heading, column.segments, leaf, self)

    def meaning(self, heading: str, text: str, value: Any, leaf: Leaf) -> Meaning:
        """Return the counter of the cells with this text; texts beyond a limit share one counter."""
        key = (heading, text)
        if key not in self._meanings:
            if len(self._meanings) >= MEANINGS:
                return self._others
            words = "" if value is UNSET else value if isinstance(value, str) else json_text(value)
            is_labelled = isinstance(value, bool) or (isinstance(leaf, EnumField) and value in leaf.choices.values)
            label = leaf.in_words(value) if is_labelled else words
            self._meanings[key] = Meaning(
                heading, shortened(text), shortened(words if label == words else f"{label} ({words})")
            )
        return self._meanings[key]

    def take_failures(self) -> list[Failure]:
        """Return the ambiguous cells of the row that was read last."""
        failures, self.failures = self.failures, []
        return failures

    @property
    def count(self) -> int:
        """The number of cells that were understood as something other than their text."""
        return self._others.count + sum(meaning.count for meaning in self._meanings.values())

    def most_frequent(self, number: int) -> Sequence[Meaning]:
        """Return what most cells mean."""
        return sorted(self._meanings.values(), key=lambda meaning: -meaning.count)[:number]


class UnderstandingColumn(Column):
    """A column whose cells may have labels, yes and no, local dates and decimals, and blanks around the value."""

    def __init__(self, heading: str, segments: Segments, leaf: Leaf, understanding: Understanding) -> None:
        super().__init__(heading, segments, leaf)
        self._leaf = leaf
        self._is_text = isinstance(leaf, TextField)
        self._from_words = partial(from_words, leaf)
        self._understanding = understanding
        # Texts and their values; the meaning is None if the value is what the text says.
        self._known: dict[str, tuple[Any, Meaning | None]] = {}

    def value_of(self, text: str) -> Any:
        # Most texts are different and need nothing.
        if self._is_text and text == text.strip():
            return super().value_of(text)
        value, meaning = self._known.get(text) or self._learn(text)
        if meaning is not None:
            meaning.count += 1
        return value

    def _learn(self, text: str) -> tuple[Any, Meaning | None]:
        written = super().value_of(text)
        try:
            value = self._understood(text, written)
        except AmbiguousText as error:
            # The row is not saved, so its value does not matter; without one it has no second error.
            self._understanding.failures.append(Failure(self.heading, "INVALID", str(error)))
            return UNSET, None
        is_same = type(value) is type(written) and value == written
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        meaning = None if is_same else self._understanding.meaning(self.heading, text, value, self._leaf)
        self._known[text] = value, meaning
        return value, meaning

    def _understood(self, text: str, written: Any) -> Any:
        # What has a notation of its own, such as [[null]], is meant literally.
        if read_cell(text) != text:
            return written
        return self._from_words(text) if text.strip() else UNSET
