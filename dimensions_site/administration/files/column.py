"""A column of an uploaded table on its page."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from bulkops.files.outside.previews import ColumnContent

# How many cells of a column are shown.
_SAMPLES = 4


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
    def samples(self) -> Sequence[str]:
        """The first different texts in its cells."""
        return (self.content.texts or list(dict.fromkeys(filter(None, self.cells))))[:_SAMPLES]

    @property
    def name(self) -> str:
        """The name of the box; that of the box to leave the column out is `out-` with the same number."""
        return f"column-{self.number}"
