"""A column of an uploaded table on its page, and what its cells say about the field that it may have."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bulkops.files.outside.previews import ColumnContent
from dimensions_site.elements.declaration.choices import BooleanField, EnumField
from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.texts import CodeField, IdField

# How many cells of a column are shown.
_SAMPLES = 4
# A column with fewer different values may be a list of them, and one with more is not.
_FEW = 20
_REPEATED = 4
# Fewer cells may say yes or no by chance.
_SEVERAL = 3
# No word that people read: digits and capitals, such as 4711, A.24.110 or EUR.
_CODE = re.compile(r"(?=.*\w)[^a-z\s]{1,40}")
_DIGIT = re.compile(r"\d")
_BOOLEAN = BooleanField()
# A field with more texts than this beside yes and no is no boolean.
_STATES = 3

# What the content says: it contradicts, says nothing, or agrees.
NO, PERHAPS, YES = -1, 0, 1


class GuessOrigin(StrEnum):
    """Why the page shows a field for a column."""

    NONE = ""
    HEADING = "heading"
    REMEMBERED = "remembered"
    SIMILAR = "similar"
    CONTENT = "content"


@dataclass
class ColumnField:
    """A heading of the file with its first cells, the chosen field, and its errors.

    `typed` is what the field is called in the box, `path` the wire path that it means, "" for none; `is_out` if the
    column is left out. The `hint` is shown while nothing is chosen.
    """

    number: int
    heading: str
    cells: Sequence[str]
    typed: str = ""
    path: str = ""
    is_out: bool = False
    origin: GuessOrigin = GuessOrigin.NONE
    hint: str = ""
    errors: list[str] = field(default_factory=list)
    content: ColumnContent = field(default_factory=lambda: ColumnContent(0, 0, ()))

    @property
    def is_open(self) -> bool:
        """Whether it has no field yet."""
        return not (self.path or self.is_out)

    @property
    def is_guess(self) -> bool:
        """Whether its field is only likely."""
        return self.origin in (GuessOrigin.SIMILAR, GuessOrigin.CONTENT)

    @property
    def is_to_check(self) -> bool:
        """Whether a person has to look at it."""
        return self.is_open or bool(self.errors) or self.is_guess

    @property
    def is_like_its_cells(self) -> bool:
        """Whether its heading is a number or code in the form of one below it, and so perhaps a cell itself."""
        form = _DIGIT.sub("0", self.heading)
        return form != self.heading and any(_DIGIT.sub("0", text) == form for text in self.content.texts)

    @property
    def samples(self) -> Sequence[str]:
        """The first different texts in its cells."""
        return (self.content.texts or list(dict.fromkeys(filter(None, self.cells))))[:_SAMPLES]

    @property
    def name(self) -> str:
        """The name of the box; that of the box to leave the column out is `out-` with the same number."""
        return f"column-{self.number}"


def evidence(leaf: Leaf | None, content: ColumnContent) -> int:
    """Return what the `content` of a column says about its having the field `leaf`, None for an entry of a map."""
    if not content.texts:
        return PERHAPS
    is_yes_or_no = has_yes_and_no(content)
    match leaf:
        case EnumField(open_length=None):
            if 2 * known_values(leaf, content) >= len(content.texts):
                return YES
            return NO if content.distinct > _FEW else PERHAPS
        case BooleanField():
            return YES if is_yes_or_no else NO if content.distinct > _STATES else PERHAPS
        case IdField():
            is_list = _REPEATED <= content.filled >= 2 * content.distinct and content.distinct <= _FEW
            return NO if is_yes_or_no or is_list else YES if has_codes(content) else PERHAPS
        case CodeField():
            return NO if is_yes_or_no else PERHAPS
        case None:
            return NO if is_yes_or_no else PERHAPS if has_codes(content) else YES
    return PERHAPS


def has_yes_and_no(content: ColumnContent) -> bool:
    """Return whether all texts say yes or no, in several cells; each number may be an id that is there once."""
    is_repeated = content.filled >= 2 * content.distinct
    return content.filled >= _SEVERAL and all(
        isinstance(_BOOLEAN.from_words(text), bool) and text.isalnum() and (is_repeated or not text.isdigit())
        for text in content.texts
    )


def known_values(leaf: Any, content: ColumnContent) -> int:
    """Return how many of the texts are values of the `leaf`, which is one of some values."""
    return sum(leaf.from_words(text) in leaf.choices.values for text in content.texts)


def has_codes(content: ColumnContent) -> bool:
    """Return whether most texts look like codes."""
    return 2 * sum(_CODE.fullmatch(text) is not None for text in content.texts) > len(content.texts)
