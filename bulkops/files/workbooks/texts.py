"""The text of a workbook cell: what an accountant sees, if it is a code or a number."""

import math
import re
from collections.abc import Mapping
from datetime import datetime, time
from decimal import Decimal

from django.utils.translation import gettext as _
from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format
from openpyxl.utils.datetime import from_excel

from dimensions_site.text.shortening import shortened

_NUMBER = re.compile(r"-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,3})?")
_INTEGER = re.compile(r"-?(?:0|[1-9]\d*)")
# What a format shows around a number: quoted texts, escaped characters, colours and currencies, blanks and fillers.
# Unclosed parts extend to the end, so that the end is searched for only once.
_AROUND = re.compile(r'"[^"]*+(?:"|\Z)|\\.|\[[^\]]*+(?:\]|\Z)|[_*].')
_ONLY_ZEROS = re.compile("0{2,}")
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_GENERAL = "General"
_MIDNIGHT = "T00:00:00"


class CellError(Exception):
    """The value of a cell cannot be used; the message says why, and what to do."""


class CellTexts:
    """Converts the stored values of one workbook to texts.

    `number_formats` are the workbook's own by number, of at most 255 characters each, `styles` the format numbers of
    its styles; `epoch` is the first day of its dates.
    """

    def __init__(self, number_formats: Mapping[int, str], styles: list[int], epoch: datetime) -> None:
        codes = [number_formats.get(style, BUILTIN_FORMATS.get(style, _GENERAL)) for style in styles]
        self._epoch = epoch
        # Thousands of styles share a few formats.
        meanings = {code: (_zeros(code), _is_date(code)) for code in set(codes)}
        self._styles = [meanings[code] for code in codes]

    def text(self, kind: str, style: int, stored: str) -> str:
        """Return the text of a stored value of that kind (the `t` of its cell) and style. Raises CellError."""
        match kind:
            case "n":
                return self._number(style, stored)
            case "b":
                return "true" if stored.strip() in ("1", "true") else "false"
            case "d":
                return stored.removesuffix("Z").removesuffix(".000").removesuffix(_MIDNIGHT)
            case "e":
                raise CellError(
                    _("holds the error {error}. Correct it, or replace it by its value").format(error=stored)
                )
            case "str" | "inlineStr":
                return unescaped(stored)
        raise CellError(_("holds a value of the unknown kind '{kind}'. Write it again").format(kind=shortened(kind)))

    def _number(self, style: int, stored: str) -> str:
        stored = stored.strip()
        if not _NUMBER.fullmatch(stored):
            raise CellError(_("holds a number that cannot be read. Write it again"))
        width, is_date = self._styles[style] if style < len(self._styles) else (0, False)
        if is_date:
            return self._date(float(stored))
        text = _plain(stored)
        if width and _INTEGER.fullmatch(text):
            sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
            return sign + digits.zfill(width)
        return text

    def _date(self, serial: float) -> str:
        try:
            found = from_excel(serial, self._epoch)
        except (OverflowError, ValueError):
            found = None
        if not isinstance(found, datetime | time) or serial < 0:
            raise CellError(_("is formatted as a date, but its number is not a date. Write the date again"))
        return found.isoformat().removesuffix(_MIDNIGHT)


def unescaped(text: str) -> str:
    """Return the text with characters that XML cannot carry, stored as `_x0001_`."""
    return _ESCAPE.sub(_character, text) if "_x" in text else text


def _character(escape: re.Match[str]) -> str:
    code = int(escape[1], 16)
    # A lone surrogate is not a character.
    return escape[0] if 0xD800 <= code <= 0xDFFF else chr(code)


def _plain(stored: str) -> str:
    """Return the number without exponent, with the digits that Excel shows; it stores 1.1 as 1.1000000000000001."""
    if _INTEGER.fullmatch(stored):
        return stored
    number = float(stored)
    if math.isinf(number):
        raise CellError(_("holds a number that is too large. Write it again"))
    return f"{Decimal(repr(number)):f}".removesuffix(".0")


def _is_date(code: str) -> bool:
    return is_date_format(code) and not is_timedelta_format(code)


def _zeros(code: str) -> int:
    """Return the minimum number of digits of a format of zeros such as `00000`; 0 for any other format."""
    shown = _AROUND.sub("", code.partition(";")[0])
    return len(shown) if _ONLY_ZEROS.fullmatch(shown) else 0
