"""Rows of a table that sum up others, or have no id: they are no elements."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from dimensions_site.text.formats import shortened

# How many of them are listed, and how many of their cells.
_LISTED = 50
_CELLS = 4
# In the languages of the administration, and in Dutch.
_BEGINS = re.compile(
    r"\s*(?:(?:grand |sub-?|sous-)?total(?:s|e|es)?|(?:gesamt|zwischen|end)?summe|gesamt|(?:sub|eind)?totaal|sum|som"
    r"|somme|somma|suma|\N{GREEK CAPITAL LETTER SIGMA}|\N{N-ARY SUMMATION})(?![^\W_])",
    re.IGNORECASE,
)


@dataclass
class Total:
    """A row that looks like a total, on a `line` of the file, and its first `texts`."""

    line: int
    texts: list[str]


@dataclass
class Totals:
    """The number of such rows in a file, and the first ones."""

    first: list[Total] = field(default_factory=list)
    count: int = 0

    def note(self, line: int, cells: Mapping[str, str], heading: str) -> bool:
        """Count the row if it looks like a total; return whether it does. `heading` is that of the ids."""
        id = cells.get(heading, "")
        if id.strip() and not _BEGINS.match(id):
            return False
        self.count += 1
        if len(self.first) < _LISTED:
            self.first.append(Total(line, [shortened(text) for text in cells.values() if text.strip()][:_CELLS]))
        return True
