"""Cells of tables: an empty one means "not set", and three notations say what plain text cannot (design/files.md).

`[[empty]]` is the empty text, `[[null]]` is null, and `[[text]]` stands before a text that is taken literally. They are
plain ASCII, so that they survive every encoding and spreadsheet program.
"""

import re
from enum import Enum
from typing import Final, TypeAlias

from dimensions_site.text.formats import is_decimal

# A JSON value that is not an object.
Scalar: TypeAlias = str | int | bool | None


class Unset(Enum):
    UNSET = "unset"


UNSET: Final = Unset.UNSET
_EMPTY = "[[empty]]"
_NULL = "[[null]]"
_TEXT = "[[text]]"
_NOTATIONS = (_EMPTY, _NULL, _TEXT)
# Programs take a text with one of these at its start for a formula, even after blanks, or drop the first character.
_LOOKS_LIKE_FORMULA = re.compile(r"[\t\r\n\ufeff]|\s*[=+\-@＝＋－＠]")
# What spreadsheet programs write into CSV where they have something else: the digits that they show of a long number,
# or an error, in their own language. Hash signs are those of a column that is too narrow. Blanks may fill the column.
SHORTENED_NUMBER = re.compile(r"\s*+-?\d(?:[.,]\d+)?[eE][+-]\d{2,3}\s*+")
SPREADSHEET_ERROR = re.compile(
    r"\s*+(?:#(?:[^\W\d_]/[^\W\d_]!?|NV|YOK|HIÁNYZIK|NENÍ_K_DISPOZICI|GETTING_DATA|[¡¿]?[^\W\da-z]+(?:/0)?[!?]|#{3,})"
    r"|Err\s?:\d{3})\s*+"
)
# After a first digit: what a shortened number may go on with.
_AFTER_DIGIT = frozenset(".,eE")


def read_cell(text: str) -> str | Unset | None:
    """Return what the `text` of a cell means: a text, null or nothing.

    Whatever is not in one of the notations is the text itself.
    """
    if not text:
        return UNSET
    if text == _EMPTY:
        return ""
    return None if text == _NULL else text.removeprefix(_TEXT)


def write_cell(text: str | None, *, guards_formulas: bool) -> str:
    """Return the cell from which `read_cell` reads `text`.

    With `guards_formulas`, for tables whose cells have no types, `[[text]]` stands before a text that a spreadsheet
    program might run or change. A decimal number stays as it is.
    """
    if text is None:
        return _NULL
    if not text:
        return _EMPTY
    is_guarded = guards_formulas and not is_decimal(text) and _means_another(text)
    return _TEXT + text if is_guarded or text.startswith(_NOTATIONS) else text


def _means_another(text: str) -> bool:
    """Return whether spreadsheet programs run the text, change it, or mean something else by it."""
    patterns = (_LOOKS_LIKE_FORMULA.match, SHORTENED_NUMBER.fullmatch, SPREADSHEET_ERROR.fullmatch)
    return any(matches(text) for matches in patterns)


def untyped_cell(value: Scalar) -> str:
    """Return the cell for a JSON `value` in a table where everything is text (CSV)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else write_cell(value, guards_formulas=True)


def csv_cell(value: Scalar | Unset) -> str:
    """Return the `untyped_cell` for a `value` as in CSV (RFC 4180), quoted if necessary; empty for `UNSET`."""
    if value is UNSET:
        return ""
    cell = value if isinstance(value, str) and _is_plain(value) else untyped_cell(value)
    if '"' in cell:
        return '"' + cell.replace('"', '""') + '"'
    return f'"{cell}"' if "," in cell or "\n" in cell or "\r" in cell else cell


def _is_plain(text: str) -> bool:
    """Return whether the text, as nearly all, begins with a letter or a digit and cannot mean anything else.

    A list has a hundred cells for each element, and patterns would make it a third slower.
    """
    first = text[:1]
    if first.isalpha():
        return text[:3] != "Err"
    return first.isalnum() and text[1:2] not in _AFTER_DIGIT


def cell_for_reading(value: Scalar) -> Scalar:
    """Return the cell for people in a table where everything is text: an apostrophe guards what may be a formula."""
    is_formula = isinstance(value, str) and _LOOKS_LIKE_FORMULA.match(value) is not None and not is_decimal(value)
    return f"'{value}" if is_formula else value


def typed_cell(value: Scalar) -> str | int | bool:
    """Return the cell for a JSON `value` in a table whose cells have types (XLSX)."""
    return write_cell(value, guards_formulas=False) if value is None or isinstance(value, str) else value
