"""What number formats show: a code may be a number with the fixed text of its format (design/workbooks.md)."""

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format

GENERAL = "General"
# The formats that a workbook uses by number alone: those of every language, then what the same numbers mean in Chinese,
# Japanese, Korean and Thai. Those of dates and times, and 14 everywhere, are shown as is usual in the language.
BUILT_IN = {
    **BUILTIN_FORMATS,
    **dict.fromkeys([14, *range(27, 37), *range(50, 59), *range(71, 79), 80, 81], "yyyy/mm/dd"),
    59: "0",
    60: "0.00",
    61: "#,##0",
    62: "#,##0.00",
    67: "0%",
    68: "0.00%",
    69: "# ?/?",
    70: "# ??/??",
    79: "[h]:mm:ss",
}
# Unclosed parts extend to the end, so that the end is searched for only once.
_PART = re.compile(r'"[^"]*+"?|\\.|\[[^\]]*+\]?|[_*].|General|y+|m+|d+|.', re.DOTALL | re.IGNORECASE)
_COLOUR = re.compile(r"(?!DBNum|NatNum)[a-z]{2,} ?\d*", re.IGNORECASE)
# What stands in a section for the variable parts; XML carries none of these characters.
_ZERO, _DIGIT, _NUMBER, _TEXT, _POINT, _GROUP, _PERCENT, _UNKNOWN = map(chr, range(8))
_SIGNS = {"0": _ZERO, "#": _DIGIT, "?": _DIGIT, "@": _TEXT, ".": _POINT, ",": _GROUP, "%": _PERCENT}
_PLACES = (_ZERO, _DIGIT)
_VARIABLE = re.compile("[\0-\7]")
# The parts of a day in digits; XML carries none of these characters, either.
_DAYS = dict(zip(("yyyy", "yy", "mm", "m", "dd", "d"), map(chr, range(14, 20)), strict=True))
# Without a place behind it, the sign between thousands divides by a thousand.
_DIVIDES = re.compile(f"{_GROUP}(?![{_ZERO}{_DIGIT}])")
_MOST_SECTIONS = 4


class NumberFormat:
    def __init__(self, code: str) -> None:
        has_times = is_date_format(code)
        self.is_date = has_times and not is_timedelta_format(code)
        # In brackets, times have a calendar, or hours beyond a day.
        sections = [_UNKNOWN] if has_times and "[" in code else _sections(code)
        self._text = sections.pop() if _TEXT in sections[-1] or len(sections) == _MOST_SECTIONS else _TEXT
        positive, *others = sections or [_NUMBER]
        negative = others[0] if others else f"-{positive}"
        # Of positive and negative numbers, and of zero.
        self._numbers = (positive, negative, others[1] if others[1:] else positive)
        # A number with it is not the one that people see.
        self.is_percentage = any(_PERCENT in section for section in self._numbers)
        # Most texts are shown as they are.
        self.shows_texts = not self._text.replace(_TEXT, "", 1).strip() and _TEXT in self._text

    def of_number(self, text: str) -> str | None:
        """Return what is shown of the number with the digits `text`; None if that is not known.

        Signs between digits depend on the language of the program, so a number that needs them is not known, unless a
        program writes it in the same way; those between thousands are left out.
        """
        number = Decimal(text)
        section = self._numbers[0 if number > 0 else 1 if number else 2]
        return _shown(section, abs(number), text.removeprefix("-")).strip() or None

    def of_date(self, date: str) -> str | None:
        """Return what is shown of a date or time in ISO 8601; None if that is not known.

        Names of months and days, `/` and `:` depend on the language of the program.
        """
        year, month, day = date[:4], date[5:7], date[8:10]
        texts = (year, year[2:], month, month.lstrip("0"), day, day.lstrip("0"), ".", ",")
        shown = self._numbers[0].translate(dict(zip(map(ord, (*_DAYS.values(), _POINT, _GROUP)), texts, strict=True)))
        return shown.strip() if day and not _VARIABLE.search(shown) else None

    def of_text(self, text: str) -> str | None:
        """Return what is shown of a text; None if that is not known."""
        return self._text.replace(_TEXT, text).strip() if _TEXT in self._text and _UNKNOWN not in self._text else None


number_format = lru_cache(maxsize=1024)(NumberFormat)


def _sections(code: str) -> list[str]:
    sections = [""]
    for part in _PART.findall(code):
        if part == ";":
            sections.append("")
        else:
            sections[-1] += _meaning(part)
    return sections


def _meaning(part: str) -> str:
    """Return the fixed text or the variable place that a part of a format shows."""
    start, rest = part[0], part[1:]
    if start == '"':
        return rest.removesuffix('"')
    if start == "[":
        inner = rest.removesuffix("]")
        is_colour = _COLOUR.fullmatch(inner) is not None
        return inner[1:].partition("-")[0] if inner.startswith("$") else "" if is_colour else _UNKNOWN
    if start in "ymdYMD":
        return _DAYS.get(part.lower(), _UNKNOWN)
    if not rest:
        return _SIGNS.get(part, _UNKNOWN if part.isalnum() or part in "/!" else part)
    if start == "\\":
        return rest
    if start in "_*":
        return " " if start == "_" or rest == " " else _UNKNOWN
    return _NUMBER


def _shown(section: str, number: Decimal, text: str) -> str:
    """Return what the section shows of a positive number; nothing if that is not known."""
    if _UNKNOWN in section or _TEXT in section or _DIVIDES.search(section):
        return ""
    if _NUMBER in section:
        shown = section.replace(_NUMBER, text)
        return "" if _VARIABLE.search(shown) else shown
    fraction = section.partition(_POINT)[2]
    places = sum(map(fraction.count, _PLACES))
    try:
        rounded = number.scaleb(2 * section.count(_PERCENT)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    except InvalidOperation:
        return ""
    if _POINT in section or _GROUP in section:
        digits = f"{rounded:f}"
        for _optional in range(fraction.count(_DIGIT)):
            digits = digits.removesuffix("0")
        is_plain = not section.strip("".join((*_SIGNS.values(), " ")))
        has_zeros = len(str(int(rounded))) < section.partition(_POINT)[0].count(_ZERO)
        return text if is_plain and not has_zeros and digits.removesuffix(".") == text else ""
    return _filled(section, f"{rounded:f}" if rounded else "").replace(_PERCENT, "%")


def _filled(section: str, digits: str) -> str:
    """Return the section with the digits in its places, from the right; the first place takes all that are left."""
    shown = ""
    places = sum(map(section.count, _PLACES))
    for character in reversed(section):
        if character in _PLACES:
            places -= 1
            taken = digits[-1:] if places else digits
            digits = digits[: len(digits) - len(taken)]
            shown = (taken or ("0" if character == _ZERO else "")) + shown
        else:
            shown = character + shown
    return shown
