"""What the texts of people mean as values: labels, yes and no, local dates and decimals.

`from_words` is the inverse of `Leaf.in_words`, and reads more: every language, without regard to case and accents.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Mapping
from functools import cache, singledispatch
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from dimensions_site.elements.declaration.fields import BooleanField, EnumField, IdField, Leaf, TextField
from dimensions_site.elements.declaration.names import folded
from dimensions_site.elements.declaration.numbers import CoefficientField, DecimalTextField
from dimensions_site.elements.declaration.timestamps import TimestampField
from dimensions_site.text.decimals import is_decimal

# In the languages of the administration, as spreadsheet programs and people write them.
_YES = ("yes", "y", "true", "ja", "j", "wahr", "oui", "o", "vrai", "sì", "s", "vero", "verdadero", "1")
_NO = ("no", "n", "false", "nein", "falsch", "non", "faux", "falso", "0")
_BOOLEANS = {folded(word): value for words, value in ((_YES, True), (_NO, False)) for word in words}
# 31.01.2026, 31/01/2026 or 31-1-2026, perhaps with a time.
_DATE = re.compile(r"(\d{1,2})([./-])\s?(\d{1,2})\2\s?(\d{4})(?:[ T](\d{1,2}:\d{2}(?::\d{2})?))?")
# The decimal point and what separates thousands.
_BLANKS = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
_SEPARATORS = {"en": (".", ","), "fr": (",", _BLANKS)}
_OTHER_SEPARATORS = (",", f".{_BLANKS}")
_MONTHS = 12
# The digits between two separators of thousands.
_GROUP = 3


class AmbiguousText(ValueError):
    """The text has two meanings; the message for people says which, and how to write either."""


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
    found = known[_language()].get(folded(text)) or {one for all in known.values() for one in all.get(folded(text), ())}
    return next(iter(found)) if len(found) == 1 else text.strip()


@from_words.register
def _of_boolean(leaf: BooleanField, text: str) -> Any:
    return _BOOLEANS.get(folded(text), leaf.from_cell(text.strip()))


@from_words.register
def _of_decimal(leaf: DecimalTextField, text: str) -> Any:
    stripped = text.strip()
    digits = None if is_decimal(stripped) else _plain_digits(stripped, *_SEPARATORS.get(_language(), _OTHER_SEPARATORS))
    return leaf.from_cell(stripped) if digits is None else digits


@from_words.register
def _of_coefficient(leaf: CoefficientField, text: str) -> Any:
    word = folded(text)
    return _of_decimal(leaf, text) if word.isdecimal() or word not in _BOOLEANS else _BOOLEANS[word]


@from_words.register
def _of_timestamp(leaf: TimestampField, text: str) -> Any:
    stripped = text.strip()
    found = _DATE.fullmatch(stripped)
    if found is None:
        return leaf.from_cell(stripped)
    first, separator, second, year, time = found.groups()
    day_first = _moment(year, second, first, time)
    month_first = _moment(year, first, second, time)
    # A point stands between day and month alone, and only English has both orders.
    if separator == "." or _language() != "en":
        return day_first or stripped
    if day_first and month_first and day_first != month_first:
        message = _("{text} may be {one} or {other}. Write one of these.")
        raise AmbiguousText(message.format(text=stripped, one=day_first, other=month_first))
    return day_first or month_first or stripped


def _moment(year: str, month: str, day: str, time: str | None) -> str | None:
    """Return the moment in ISO 8601; None if there is no such day."""
    if int(year) < 1 or not 1 <= int(month) <= _MONTHS or not 1 <= int(day) <= monthrange(int(year), int(month))[1]:
        return None
    date = f"{year}-{int(month):02}-{int(day):02}"
    return date if time is None else f"{date}T{time.zfill(len('00:00:00') if time.count(':') > 1 else len('00:00'))}"


def _plain_digits(text: str, point: str, thousands: str) -> str | None:
    """Return the number as a program writes it; None if `text` has no `point`, or irregular groups of `thousands`."""
    unsigned = text[1:] if text.startswith(("-", "\N{MINUS SIGN}")) else text
    whole, _point, fraction = unsigned.partition(point)
    first, *groups = whole.translate({ord(separator): "," for separator in thousands}).split(",")
    is_regular = not groups or (len(first) <= _GROUP and all(len(group) == _GROUP for group in groups))
    if not is_regular or not all(map(_is_digits, (first, *groups, fraction))):
        return None
    return f"{'' if unsigned == text else '-'}{first}{''.join(groups)}.{fraction}"


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdecimal()


@cache
def _labels(choices: type[models.TextChoices]) -> Mapping[str, Mapping[str, set[str]]]:
    """Return the values of the `choices` by folded label, for each language; values are labels in each, too."""
    labels: dict[str, dict[str, set[str]]] = {}
    for code, _name in settings.LANGUAGES:
        with override(code):
            labels[code] = _by_folded((str(label), value) for value, label in choices.choices)
    values = _by_folded((value, value) for value in choices.values)
    return {code: {**found, **values} for code, found in labels.items()}


def _by_folded(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for text, value in pairs:
        found.setdefault(folded(text), set()).add(value)
    return found


def _language() -> str:
    language = (get_language() or settings.LANGUAGE_CODE).partition("-")[0]
    return language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
