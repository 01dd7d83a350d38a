"""Cells and rows as people write them, in files that a person checks before anything is saved."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from bulkops.files.columns import FileColumn
from bulkops.files.formats.tables import INVISIBLE
from bulkops.session.items import Doubt, Segments
from dimensions_site.api.errors import Failure
from dimensions_site.api.json.texts import json_text
from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.labels import AmbiguousText
from dimensions_site.elements.declaration.texts import TextField
from dimensions_site.elements.reading.cells import UNSET, read_cell
from dimensions_site.text.formats import shortened

# How many different texts of a column are remembered: most repeat.
_REMEMBERED = 1_000
# How many different texts are reported with what they mean.
MEANINGS = 1_000
# A longer text is no value that somebody gives a meaning.
_LONGEST = 200
# How many rows with totals are listed, and how many of their cells.
_LISTED = 50
_CELLS = 4
_UNSEEN = re.compile(f"[{INVISIBLE}]")
# In the languages of the administration, and in Dutch.
_BEGINS = re.compile(
    r"\s*(?:(?:grand |sub-?|sous-)?tot(?:al(?:s|e|es|i)?|aux)|(?:gesamt|zwischen|end)?summe|(?:gesamt|teil)?ergebnis"
    r"|gesamt|(?:sub|eind)?totaal|som|somm[ea]|suma?|\N{GREEK CAPITAL LETTER SIGMA}|\N{N-ARY SUMMATION})(?![^\W_])",
    re.IGNORECASE,
)


@dataclass
class Meaning:
    """What the `text` of cells under a heading was understood as, and how often; `value` is empty if it was not."""

    heading: str
    text: str
    value: str
    count: int = 0
    # Whether a person should look at it.
    is_surprising: bool = False


class Understanding:
    """What the cells of one file were understood as; `doubts` are about cells of the current row.

    `rules` are the values that texts mean, as in `Options.values`.
    """

    def __init__(self, rules: Mapping[str, Mapping[str, str]]) -> None:
        self.rules = rules
        self._meanings: dict[tuple[str, str], Meaning] = {}
        self._unknown: dict[tuple[str, str], Meaning] = {}
        # All further ones together.
        self._others = Meaning("", "", "")
        self.doubts: list[Doubt] = []

    def column(self, column: FileColumn) -> FileColumn:
        leaf = column.leaf
        if leaf is None:
            return TrimmedColumn(column.heading, column.segments, leaf, self)
        return column if leaf.takes_any_text else UnderstandingColumn(column.heading, column.segments, leaf, self)

    def meaning(self, heading: str, text: str, value: Any, leaf: Leaf | None = None) -> Meaning:
        """Return the counter of the cells with this text; texts beyond a limit share one counter."""
        key = (heading, text)
        if key not in self._meanings:
            if len(self._meanings) >= MEANINGS:
                return self._others
            words = "" if value is UNSET else value if isinstance(value, str) else json_text(value)
            label = words
            if leaf is not None and (isinstance(value, bool) or value in leaf.offered):
                label = leaf.in_words(value)
            self._meanings[key] = Meaning(
                heading,
                shortened(text),
                shortened(words if label == words else f"{label} ({words})"),
                is_surprising=value is not UNSET
                and (
                    text.strip() in self.rules.get(heading, {})
                    or (leaf is not None and leaf.is_surprising(text, value))
                ),
            )
        return self._meanings[key]

    def unknown(self, heading: str, text: str) -> Meaning:
        """Return the counter of the cells with this text, which is no value of the column, such as an empty one where
        there must be a value; nobody reads that of a text beyond the limits.
        """
        found = self._unknown.get((heading, text), Meaning(heading, text, ""))
        if len(text) <= _LONGEST and len(self._unknown) < MEANINGS:
            self._unknown[heading, text] = found
        return found

    def doubt_id(self, id: Any, cell: str) -> None:
        """Doubt the id of the `cell` if it has a mark that nobody sees: unless it is stored so, another was meant."""
        found = _UNSEEN.search(id) if isinstance(id, str) else None
        if found and read_cell(cell) == cell:
            message = _(
                "The id contains {character} (at position {position}), which nobody sees. Remove it; if it is meant "
                "so, write [[text]] before the id."
            )
            message = message.format(character=f"U+{ord(found[0]):04X}", position=found.start() + 1)
            self.doubts.append(Doubt(("id",), [found.string], Failure("", "INVALID_CHARACTER", message)))

    def take_doubts(self) -> list[Doubt]:
        doubts, self.doubts = self.doubts, []
        return doubts

    @property
    def count(self) -> int:
        return self._others.count + sum(meaning.count for meaning in self._meanings.values())

    def most_frequent(self, number: int) -> Sequence[Meaning]:
        """Return the `number` meanings with the most cells; those that may surprise people come first."""
        return sorted(self._meanings.values(), key=lambda one: (not one.is_surprising, -one.count))[:number]

    def unknown_values(self, number: int) -> Sequence[Meaning]:
        """Return the texts that are no value of their columns, the most frequent ones first."""
        return sorted(self._unknown.values(), key=lambda one: -one.count)[:number]


@dataclass
class TrimmedColumn(FileColumn):
    understanding: Understanding

    def value_of(self, text: str) -> Any:
        stripped = text.strip()
        if "\N{REPLACEMENT CHARACTER}" in text and read_cell(text) == text:
            message = _(
                "'{cell}' has signs in place of letters that were lost when the file was saved. Write the letters, or "
                "save the file again as 'CSV UTF-8'; if the text is meant so, write [[text]] before it."
            )
            failure = Failure("", "INVALID_CHARACTER", message.format(cell=shortened(text)))
            self.understanding.doubts.append(Doubt(self.segments, [text, stripped], failure))
        if text == stripped or read_cell(text) != text:
            return super().value_of(text)
        value = stripped or UNSET
        self.understanding.meaning(self.heading, text, value).count += 1
        self.understanding.doubts.append(Doubt(self.segments, [text]))
        return value


class UnderstandingColumn(FileColumn):
    """A column whose cells may have labels, yes and no, local dates and decimals, and blanks around the value."""

    def __init__(self, heading: str, segments: Segments, leaf: Leaf, understanding: Understanding) -> None:
        super().__init__(heading, segments, leaf)
        self._leaf = leaf
        self._is_text = isinstance(leaf, TextField)
        self._understanding = understanding
        # A rule may be from an import in which the column had another field.
        values = ("", *(leaf.words or ("true", "false")))
        self._rules = {text: value for text, value in understanding.rules.get(heading, {}).items() if value in values}
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
            failure = Failure("", "INVALID", str(error))
            self._understanding.doubts.append(Doubt(self.segments, error.readings, failure))
            return UNSET, None
        is_same = type(value) is type(written) and value == written
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        meaning = None if is_same else self._understanding.meaning(self.heading, text, value, self._leaf)
        leaf = self._leaf
        is_missing = leaf.required and value is UNSET
        if leaf.offered and (is_missing or self._is_unknown(value)):
            meaning = self._understanding.unknown(self.heading, text.strip() if is_missing else value)
        self._known[text] = value, meaning
        return value, meaning

    def _is_unknown(self, value: Any) -> bool:
        return isinstance(value, str) and self._leaf.spellings.get(value, value) not in self._leaf.offered

    def _understood(self, text: str, written: Any) -> Any:
        # What has a notation of its own, such as [[null]], is meant literally.
        if text and read_cell(text) != text:
            return written
        stripped = text.strip()
        if stripped in self._rules:
            return self._leaf.from_cell(self._rules[stripped]) if self._rules[stripped] else UNSET
        return self._leaf.from_words(text) if stripped else UNSET


@dataclass
class Total:
    """A row that sums up others or has no id, so it is no element: its `line` in the file, and its first `texts`."""

    line: int
    texts: list[str]


@dataclass
class Totals:
    """The number of such rows in a file, and the first ones."""

    first: list[Total] = field(default_factory=list)
    count: int = 0
    _above: Mapping[str, str] = field(default_factory=dict)

    def note(self, line: int, cells: Mapping[str, str], heading: str) -> bool:
        """Count the row if it looks like a total; return whether it does. `heading` is that of the ids.

        A subtotal of Excel has the id of the row above and such a word, and no text of its own, such as a description.
        """
        id, above, self._above = cells.get(heading, ""), self._above, cells
        ends = id.removeprefix(f"{above.get(heading)} ")
        is_subtotal = ends != id and _BEGINS.fullmatch(ends) and _has_words(above, heading) > _has_words(cells, heading)
        if id.strip() and not _BEGINS.match(id) and not is_subtotal:
            return False
        self.count += 1
        if len(self.first) < _LISTED:
            self.first.append(Total(line, [shortened(text) for text in cells.values() if text.strip()][:_CELLS]))
        return True


def _has_words(cells: Mapping[str, str], heading: str) -> bool:
    """Return whether a cell under another heading has more than a number."""
    return any(any(map(str.isalpha, text)) for name, text in cells.items() if name != heading)
