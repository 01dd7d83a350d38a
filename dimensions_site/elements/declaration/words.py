"""What the texts of people mean as values: labels, yes and no, local dates and decimals.

`from_words` is the inverse of `Leaf.in_words`, and reads more: every language, without regard to case and accents.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, singledispatch
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.formats import get_format
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from dimensions_site.elements.declaration.fields import BooleanField, EnumField, IdField, Leaf, TextField
from dimensions_site.elements.declaration.labels import path_of
from dimensions_site.elements.declaration.names import fold_name
from dimensions_site.elements.declaration.numbers import CoefficientField, DecimalTextField
from dimensions_site.elements.declaration.timestamps import TimestampField

# In the languages of the administration and of neighbours, as spreadsheet programs and people write them.
_YES = ("yes", "y", "true", "ja", "j", "wahr", "oui", "o", "vrai", "sì", "s", "vero", "verdadero", "waar", "sim", "1")
_NO = ("no", "n", "false", "nein", "falsch", "non", "faux", "falso", "nee", "onwaar", "não", "nej", "nei", "0")
_BOOLEANS = {fold_name(word): value for words, value in ((_YES, True), (_NO, False)) for word in words}
# 31.01.2026, 31/01/26 or 2026-1-31, perhaps with a time.
_DATE = re.compile(
    r"(?:(?P<year>\d{4})(?P<first>[./-])\s?(?P<month>\d{1,2})(?P=first)\s?(?P<day>\d{1,2})\.?"
    r"|(?P<one>\d{1,2})(?P<separator>[./-])\s?(?P<other>\d{1,2})(?P=separator)\s?(?P<end>\d{4}|\d{2}))"
    r"(?:[ T](?P<time>\d{1,2}:\d{2}(?::\d{2})?)(?:\s?(?P<half>[ap])\.?m\.?)?)?",
    re.IGNORECASE,
)
_CENTURY = 2000
_BEFORE_NOON = 12
# 1936, 1.936 or 1,936.
_DECIMAL = re.compile(r"(?P<whole>\d+)(?:(?P<point>[.,])(?P<fraction>\d+))?", re.ASCII)
# 1.936, 1 936,27 or 1'936'000.5: no language has one sign for thousands and decimals.
_GROUPED = re.compile(
    r"(?P<whole>[1-9]\d{0,2}(?P<mark>[.,' \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{RIGHT SINGLE QUOTATION MARK}])"
    r"\d{3}(?:(?P=mark)\d{3})*)(?:(?!(?P=mark))[.,](?P<fraction>\d+))?",
    re.ASCII,
)
_MONTHS = 12
# The digits between two separators of thousands.
_GROUP = 3


class AmbiguousText(ValueError):
    """The text has two meanings; the message for people says which, and how to write either.

    `readings` are the values that it may mean.
    """

    def __init__(self, text: str, one: str, other: str, readings: Sequence[str] = ()) -> None:
        message = _("{text} may be {one} or {other}. Write one of these.")
        super().__init__(message.format(text=text, one=one, other=other))
        self.readings = readings


def takes_any_text(leaf: Leaf) -> bool:
    """Return whether the leaf stores any text as it is (contract C19), so that there is nothing to understand."""
    if isinstance(leaf, EnumField):
        return leaf.open_length is not None
    # No id has blanks around it.
    return isinstance(leaf, TextField) and leaf.refers_to is None and not isinstance(leaf, IdField)


@singledispatch
def from_words(leaf: Leaf, text: str) -> Any:
    """Return the JSON value that the `text` of a cell means, in the language of the thread.

    A text that is not understood is returned as `leaf.from_cell` does. Raises AmbiguousText.
    """
    return leaf.from_cell(text.strip())


@from_words.register
def _of_text(leaf: TextField, text: str) -> Any:
    return text if takes_any_text(leaf) else text.strip()


@from_words.register
def _of_enum(leaf: EnumField, text: str) -> Any:
    if takes_any_text(leaf) or text in leaf.choices.values or text in leaf.spellings:
        return text
    known = _labels(leaf.choices)
    word = fold_name(text)
    found = known[_language()].get(word) or {one for all in known.values() for one in all.get(word, ())}
    found = found or _usual_words(leaf).get(word, set())
    return next(iter(found)) if len(found) == 1 else text.strip()


def has_label(leaf: EnumField, text: str) -> bool:
    """Return whether the `text` is a value of the leaf, or its label in any language."""
    return any(fold_name(text) in labels for labels in _labels(leaf.choices).values())


@from_words.register
def _of_boolean(leaf: BooleanField, text: str) -> Any:
    return _BOOLEANS.get(fold_name(text), leaf.from_cell(text.strip()))


@from_words.register
def _of_decimal(leaf: DecimalTextField, text: str) -> Any:
    stripped = text.strip()
    sign = "-" if stripped.startswith(("-", "\N{MINUS SIGN}")) else ""
    unsigned = stripped[1:] if sign else stripped
    decimal, grouped = _DECIMAL.fullmatch(unsigned), _GROUPED.fullmatch(unsigned)
    if grouped is None:
        # English has no decimal comma.
        is_read = decimal is not None and not (decimal["point"] == "," and _language() == "en")
        return sign + unsigned.replace(",", ".") if is_read else leaf.from_cell(stripped)
    whole = "".join(filter(str.isdigit, grouped["whole"]))
    if decimal is None:
        return f"{sign}{whole}" + (f".{grouped['fraction']}" if grouped["fraction"] else "")
    point = get_format("DECIMAL_SEPARATOR")
    if point == decimal["point"] == ".":
        return leaf.from_cell(stripped)
    digits = decimal["fraction"].rstrip("0")
    if len(digits) == _GROUP and point == ",":
        digits += "0"  # three digits could be thousands again
    readings = [f"{sign}{decimal['whole']}.{decimal['fraction']}", f"{sign}{whole}"]
    raise AmbiguousText(stripped, f"{sign}{decimal['whole']}{digits and point + digits}", readings[1], readings)


@from_words.register
def _of_coefficient(leaf: CoefficientField, text: str) -> Any:
    word = fold_name(text)
    return _of_decimal(leaf, text) if word.isdecimal() or word not in _BOOLEANS else _BOOLEANS[word]


@from_words.register
def _of_timestamp(leaf: TimestampField, text: str) -> Any:
    stripped = text.strip()
    found = _DATE.fullmatch(stripped)
    if found is None:
        return leaf.from_cell(stripped)
    if found["year"]:
        return _moment(found, found["year"], found["month"], found["day"]) or stripped
    year = found["end"] if len(found["end"]) > 2 else f"{_CENTURY + int(found['end'])}"
    day_first = _moment(found, year, found["other"], found["one"])
    # A point stands between day and month alone, and only English has both orders, and halves of the day.
    if found["separator"] == "." or (_language() != "en" and not found["half"]):
        return day_first or stripped
    month_first = _moment(found, year, found["one"], found["other"])
    if day_first and month_first and day_first != month_first:
        raise AmbiguousText(stripped, day_first, month_first)
    return day_first or month_first or stripped


def _moment(found: re.Match[str], year: str, month: str, day: str) -> str | None:
    """Return the moment in ISO 8601, with the time that was found; None if there is no such day."""
    if int(year) < 1 or not 1 <= int(month) <= _MONTHS or not 1 <= int(day) <= monthrange(int(year), int(month))[1]:
        return None
    date = f"{year}-{int(month):02}-{int(day):02}"
    if found["time"] is None:
        return date
    hour, _colon, rest = found["time"].partition(":")
    if found["half"]:
        hour = f"{int(hour) % _BEFORE_NOON + (_BEFORE_NOON if found['half'] in 'pP' else 0)}"
    return f"{date}T{hour.zfill(2)}:{rest}"


@cache
def _labels(choices: type[models.TextChoices]) -> Mapping[str, Mapping[str, set[str]]]:
    """Return the values of the `choices` by folded label, for each language; values are labels in each, too."""
    labels: dict[str, dict[str, set[str]]] = {}
    for code, _name in settings.LANGUAGES:
        with override(code):
            labels[code] = _by_folded((str(label), value) for value, label in choices.choices)
    values = _by_folded((value, value) for value in choices.values)
    return {code: {**found, **values} for code, found in labels.items()}


@cache
def _usual_words(leaf: EnumField) -> Mapping[str, set[str]]:
    """Return the values of the leaf by what files of other programs call them."""
    called = getattr(leaf.root, "also_called", {})
    path = path_of(leaf)
    return _by_folded((word, value) for value in leaf.choices.values for word in called.get(f"{path}={value}", ()))


def _by_folded(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for text, value in pairs:
        found.setdefault(fold_name(text), set()).add(value)
    return found


def _language() -> str:
    language = (get_language() or settings.LANGUAGE_CODE).partition("-")[0]
    return language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
