"""What a page with a table sends: the columns, the rows, and what was typed in them."""

import hashlib
from typing import Annotated

import msgspec
from django.core.exceptions import BadRequest
from msgspec import Meta

from dimensions_site.administration.table.columns import MAX_COLUMNS
from dimensions_site.elements.declaration.texts import CODE_LENGTH

MAX_ROWS, MAX_CELLS = 5_000, 60_000
# The longest number of a version, and the longest name of a column.
_NUMBER = Annotated[int, Meta(ge=0, le=2**63 - 1)]
_NAME = Annotated[str, Meta(max_length=3 * CODE_LENGTH)]


class SentRow(msgspec.Struct):
    """One row: the element's id, the number of the version that was read, and the text of each cell that was changed.

    `kept` has the number of a newer version for the cells in which the user has decided against its value. The id of
    an element that `is_new` is what was typed, valid or not.
    """

    id: str
    base: _NUMBER
    typed: dict[_NAME, str] = {}
    kept: dict[_NAME, _NUMBER] = {}
    is_new: bool = False

    @property
    def is_edited(self) -> bool:
        """Whether something was typed in the row."""
        return self.is_new or bool(self.typed)


class SentTable(msgspec.Struct):
    """The whole table, of one repository (a primary key)."""

    repository: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    columns: Annotated[list[_NAME], Meta(max_length=2 * MAX_COLUMNS)]
    rows: Annotated[list[SentRow], Meta(max_length=MAX_ROWS)]

    @property
    def digest(self) -> str:
        """A short text that differs as soon as something else is typed."""
        typed = msgspec.json.encode([(row.id, sorted(row.typed.items())) for row in self.rows if row.is_edited])
        return hashlib.sha256(typed).hexdigest()[:32]


_decoder = msgspec.json.Decoder(SentTable)


def read_sent(text: str) -> SentTable:
    """Return the table. Raises `BadRequest` for what no page sends."""
    try:
        sent = _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        raise BadRequest("The table was not sent as this page sends it.") from None
    ids = [row.id for row in sent.rows if not row.is_new]
    if len({*ids}) < len(ids) or any("\0" in id or not 0 < len(id) <= CODE_LENGTH for id in ids):
        raise BadRequest("The table names an element twice, or one that cannot exist.")
    return sent
