"""The text of a cell of a workbook: what an accountant sees in it, as far as a code or a number is meant."""

import math
import re
from collections.abc import Mapping
from datetime import datetime, time
from decimal import Decimal

from django.utils.translation import gettext as _
from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format
from openpyxl.utils.datetime import from_excel

_NUMBER = re.compile(r"-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,3})?")
_INTEGER = re.compile(r"-?(?:0|[1-9]\d*)")
# What a format shows around a number: texts in quotes, escaped characters, colours and currencies, blanks and fillers.
_AROUND = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|[_*].')
_ONLY_ZEROS = re.compile("0{2,}")
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_GENERAL = "General"
_MIDNIGHT = "T00:00:00"


class CellFault(Exception):
    """The value of a cell cannot be taken over; the message says why, and what to do."""


class CellTexts:
    """Turns the stored values of one workbook into texts.

    `number_formats` are the workbook's own by their number, `styles` the numbers of the formats of its styles;
    `epoch` is the day from which it counts dates.
    """

    def __init__(self, number_formats: Mapping[int, str], styles: list[int], epoch: datetime) -> None:
        self._formats = [number_formats.get(style, BUILTIN_FORMATS.get(style, _GENERAL)) for style in styles]
        self._epoch = epoch
        self._widths = [_zeros(code) for code in self._formats]
        self._are_dates = [is_date_format(code) and not is_timedelta_format(code) for code in self._formats]

    def text(self, kind: str, style: int, stored: str) -> str:
        """The text of a stored value of that kind (the `t` of its cell) and style. Raises CellFault."""
        match kind:
            case "n":
                return self._number(style, stored)
            case "b":
                return "true" if stored.strip() in ("1", "true") else "false"
            case "d":
                return stored.removesuffix("Z").removesuffix(".000").removesuffix(_MIDNIGHT)
            case "e":
                raise CellFault(_("holds the error {error}. Mend it, or replace it by its value").format(error=stored))
        return unescaped(stored)

    def _number(self, style: int, stored: str) -> str:
        stored = stored.strip()
        if not _NUMBER.fullmatch(stored):
            raise CellFault(_("holds a number that cannot be read. Write it again"))
        if style < len(self._are_dates) and self._are_dates[style]:
            return self._date(float(stored))
        text = _plain(stored)
        width = self._widths[style] if style < len(self._widths) else 0
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
            raise CellFault(_("is formatted as a date, but its number is none. Write the date again"))
        return found.isoformat().removesuffix(_MIDNIGHT)


def unescaped(text: str) -> str:
    """The text with the characters that XML cannot carry, which stand in it as `_x0001_`."""
    return _ESCAPE.sub(_character, text) if "_x" in text else text


def _character(escape: re.Match[str]) -> str:
    code = int(escape[1], 16)
    # Half of a surrogate pair is no character.
    return escape[0] if 0xD800 <= code <= 0xDFFF else chr(code)


def _plain(stored: str) -> str:
    """The number without an exponent and with the digits that Excel shows; it stores 1.1 as 1.1000000000000001."""
    if _INTEGER.fullmatch(stored):
        return stored
    number = float(stored)
    if math.isinf(number):
        raise CellFault(_("holds a number that is too large. Write it again"))
    return f"{Decimal(repr(number)):f}".removesuffix(".0")


def _zeros(code: str) -> int:
    """How many digits a format of zeros alone shows at least, as `00000` does; 0 for any other format."""
    shown = _AROUND.sub("", code.partition(";")[0])
    return len(shown) if _ONLY_ZEROS.fullmatch(shown) else 0
