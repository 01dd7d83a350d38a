"""What the cells of tables say: an empty cell means "not set", and three notations say what plain text cannot.

`[[empty]]` is the empty text, `[[null]]` an explicit null, and `[[text]]` stands before a text that is taken as it is.
They are plain ASCII, so that they survive every encoding and every program for tables.
"""

import re
from enum import Enum
from typing import Final, TypeAlias

from dimensions_site.rsql.decimals import is_decimal

# A value of the wire that is not an object.
Scalar: TypeAlias = str | int | bool | None


class Unset(Enum):
    """What an empty cell says."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET
_EMPTY = "[[empty]]"
_NULL = "[[null]]"
_TEXT = "[[text]]"
_NOTATIONS = (_EMPTY, _NULL, _TEXT)
# With these a program for tables takes a text for a formula, even behind blanks; or it drops what the text begins with.
_LOOKS_LIKE_FORMULA = re.compile(r"[\t\r\n]|\s*[=+\-@＝＋－＠]")


def read_cell(text: str) -> str | Unset | None:
    """What the `text` of a cell says: a text, null or nothing.

    Whatever is not in one of the notations is the text itself, whoever wrote it.
    """
    if not text:
        return UNSET
    if text == _EMPTY:
        return ""
    return None if text == _NULL else text.removeprefix(_TEXT)


def write_cell(text: str | None, *, guards_formulas: bool) -> str:
    """The cell from which `read_cell` reads `text`.

    `guards_formulas` is for tables whose cells have no types: what a program might run there, or change, is written
    with `[[text]]`. A decimal number stays as it is.
    """
    if text is None:
        return _NULL
    if not text:
        return _EMPTY
    is_guarded = guards_formulas and _LOOKS_LIKE_FORMULA.match(text) is not None and not is_decimal(text)
    return _TEXT + text if is_guarded or text.startswith(_NOTATIONS) else text


def untyped_cell(value: Scalar) -> str:
    """The cell for a `value` of the wire in a table where everything is text (CSV)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else write_cell(value, guards_formulas=True)


def csv_cell(value: Scalar | Unset) -> str:
    """The `untyped_cell` for a `value` as CSV (RFC 4180) writes it, in quotes where it needs them; none for `UNSET`."""
    if value is UNSET:
        return ""
    # What begins with a letter or a digit, as nearly all does, is no notation and no formula.
    cell = value if isinstance(value, str) and value[:1].isalnum() else untyped_cell(value)
    if '"' in cell:
        return '"' + cell.replace('"', '""') + '"'
    return f'"{cell}"' if "," in cell or "\n" in cell or "\r" in cell else cell


def typed_cell(value: Scalar) -> str | int | bool:
    """The cell for a `value` of the wire in a table whose cells have types (XLSX)."""
    return write_cell(value, guards_formulas=False) if value is None or isinstance(value, str) else value
