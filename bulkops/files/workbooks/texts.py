"""The text of a workbook cell: what an accountant sees, if it is a code or a number."""

import math
import re
from collections.abc import Mapping
from datetime import datetime, time
from decimal import Decimal

from django.utils.translation import gettext as _
from openpyxl.utils.datetime import WINDOWS_EPOCH, from_excel

from bulkops.files.workbooks.number_formats import BUILT_IN, GENERAL, NumberFormat, number_format
from dimensions_site.text.formats import shortened

_NUMBER = re.compile(r"[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,3})?")
# Excel computes with this many digits, and shows zeros for the others.
_MOST_DIGITS = 15
_SHORT_INTEGER = re.compile(rf"-?[1-9]\d{{0,{_MOST_DIGITS - 1}}}|0")
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MIDNIGHT = "T00:00:00"
_TRUTH_VALUES = {"1": "true", "true": "true", "0": "false", "false": "false"}
# Excel shows it as 29 February 1900, which never was.
_MISSING_DAY = 60


class CellError(Exception):
    """The value of a cell cannot be used; the message says why, and what to do.

    A `number`, a date or a truth value can be used all the same where one is expected, so that its format does not
    matter. `text` is that of the cell, if it is not the stored value.
    """

    def __init__(self, message: str, number: str | None = None, text: str | None = None) -> None:
        super().__init__(message)
        self.number = number
        self.text = text


class CellTexts:
    """Converts the stored values of one workbook to texts.

    `number_formats` are the workbook's own by number, of at most 255 characters each, `styles` the format numbers of
    its styles; `epoch` is the first day of its dates.
    """

    def __init__(self, number_formats: Mapping[int, str], styles: list[int], epoch: datetime) -> None:
        # Thousands of styles share a few formats.
        self._codes = [number_formats.get(style) or BUILT_IN.get(style, GENERAL) for style in styles]
        self._epoch = epoch

    def text(self, kind: str, style: int, stored: str) -> tuple[str, str | None]:
        """Return what a cell of that kind (its `t`) and style shows of the stored value; and the number, or the date in
        ISO 8601, that can be used in its place.

        Raises CellError.
        """
        match kind:
            case "n":
                return self._number(style, stored)
            case "b" if value := _TRUTH_VALUES.get(stored.strip().lower()):
                message = _("holds {value}, which programs show in their own language. Write it as text")
                raise CellError(message.format(value=value.upper()), value, value)
            case "d":
                return self._of_date(style, stored.removesuffix("Z").removesuffix(".000").removesuffix(_MIDNIGHT))
            case "e":
                raise CellError(
                    _("holds the error {error}. Correct it, or replace it by its value").format(error=stored)
                )
            case "str" | "inlineStr":
                return self.shown(style, unescape(stored)), None
        raise CellError(_("holds a value of the unknown kind '{kind}'. Write it again").format(kind=shortened(kind)))

    def shown(self, style: int, text: str) -> str:
        """Return what a cell of that style shows of a text. Raises CellError."""
        format = self._format(style)
        found = text if format.shows_texts else format.of_text(text)
        if found is None:
            raise CellError(self._advice(style, text), text=text)
        return found

    def _format(self, style: int) -> NumberFormat:
        return number_format(self._codes[style] if style < len(self._codes) else GENERAL)

    def _advice(self, style: int, text: str, *, is_percentage: bool = False) -> str:
        message = _("holds {value}, but its number format '{format}' shows something else. Paste what you see as text")
        if is_percentage:
            message = _(
                "holds {value}, and '{format}' shows it as a percentage. Write the number that you mean, without %"
            )
        return message.format(value=shortened(text), format=shortened(self._codes[style]))

    def _number(self, style: int, stored: str) -> tuple[str, str | None]:
        stored = stored.strip()
        if not _NUMBER.fullmatch(stored):
            raise CellError(_("holds a number that cannot be read. Write it again"))
        format = self._format(style)
        if format.is_date:
            return self._of_date(style, self._date(float(stored)))
        number = stored if _SHORT_INTEGER.fullmatch(stored) else _plain(stored)
        shown = format.of_number(number)
        used = None if format.is_percentage and number != "0" else number
        if shown is None:
            raise CellError(self._advice(style, number, is_percentage=format.is_percentage), used)
        return shown, used

    def _of_date(self, style: int, date: str) -> tuple[str, str]:
        format = self._format(style)
        shown = format.of_date(date) if format.is_date else date
        if shown is None:
            raise CellError(self._advice(style, date), date, date)
        return shown, date

    def _date(self, serial: float) -> str:
        try:
            found = from_excel(serial, self._epoch)
        except (OverflowError, ValueError):
            found = None
        is_missing = _MISSING_DAY <= serial < _MISSING_DAY + 1 and self._epoch == WINDOWS_EPOCH
        if not isinstance(found, datetime | time) or serial < 0 or is_missing:
            raise CellError(_("is formatted as a date, but its number is not a date. Write the date again"))
        return found.isoformat().removesuffix(_MIDNIGHT)


def unescape(text: str) -> str:
    """Return the text with characters that XML cannot carry, stored as `_x0001_`."""
    return _ESCAPE.sub(_character, text) if "_x" in text else text


def _character(escape: re.Match[str]) -> str:
    code = int(escape[1], 16)
    # A lone surrogate is not a character.
    return escape[0] if 0xD800 <= code <= 0xDFFF else chr(code)


def _plain(stored: str) -> str:
    """Return the number without exponent, with the digits that Excel shows; it stores 1.1 as 1.1000000000000001."""
    if math.isinf(float(stored)):
        raise CellError(_("holds a number that is too large. Write it again"))
    exact = Decimal(stored)
    number = Decimal(f"{float(stored):.{_MOST_DIGITS}g}")
    if number != exact and exact == exact.to_integral_value() and abs(exact) >= 10**_MOST_DIGITS:
        message = _("holds a number with more than {maximum} digits, of which Excel shows {shown}. Write it as text")
        raise CellError(message.format(maximum=_MOST_DIGITS, shown=f"{number:f}"))
    return f"{number:f}" if number else "0"
