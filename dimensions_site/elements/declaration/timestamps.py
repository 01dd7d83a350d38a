"""Timestamps, and how people write them."""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, datetime
from functools import lru_cache
from typing import Annotated, Any

from django.db.models import DateTimeField, F, TextField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast
from django.utils.formats import localize_input
from django.utils.translation import gettext as _
from django.utils.translation import override
from msgspec import Meta

from dimensions_site.elements.declaration.fields import ElementContext, Leaf
from dimensions_site.elements.declaration.labels import AmbiguousText, are_in_messages, spoken_language
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.text.formats import NoSuchMoment, parse_timestamp

# Many elements are valid from the same few days. Longer texts are not worth the memory.
_REMEMBERED_LENGTH = 40
# Examples.
_DAY, _TIME = "2026-01-31", "2026-01-31T10:00:00.000+0000"
_MIDNIGHT = "00:00:00.000+0000"
# 31.01.2026, 31/01/26 or 2026-1-31, perhaps with a time.
_DATE = re.compile(
    r"(?:(?P<year>[0-9]{4})(?P<first>[./-])\s?(?P<month>[0-9]{1,2})(?P=first)\s?(?P<day>[0-9]{1,2})\.?"
    r"|(?P<one>[0-9]{1,2})(?P<separator>[./-])\s?(?P<other>[0-9]{1,2})(?P=separator)\s?(?P<end>[0-9]{4}|[0-9]{2}))"
    r"(?:[ T](?P<time>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)(?:\s?(?P<half>[ap])\.?m\.?)?)?",
    re.IGNORECASE,
)
# Excel takes a year of two digits from this one on for one of the last century, others do not.
_EITHER_CENTURY = 30
_BEFORE_NOON = 12
_MONTHS = 12
_remembered_timestamp = lru_cache(1_000)(parse_timestamp)


def as_people_write(instant: str) -> str:
    """Return a timestamp without needless parts, with the day as in the language of the thread.

    In English that is `2026-01-31` for midnight and for a day alone, else `2026-01-31 10:00:00`.
    """
    day, _separator, time = instant.partition("T")
    try:
        day = localize_input(date.fromisoformat(day))
    except ValueError:
        return instant  # stored before timestamps were checked
    return day if time in ("", _MIDNIGHT) else f"{day} {time}".removesuffix("+0000").removesuffix(".000")


def _wire_text(instant: datetime) -> str:
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "+0000")


@lru_cache(1_000)
def _remembered_text(stored: str) -> str:
    """Return the wire's text for a timestamp that the database wrote as text, in any form that ISO 8601 allows."""
    return _wire_text(parse_timestamp(stored))


@lru_cache(1_000)
def _remembered_json(stored: str | None) -> str:
    return "null" if stored is None else f'"{_remembered_text(stored)}"'


class TimestampField(Leaf):
    """A timestamp, accepted as ISO 8601 and returned as `YYYY-MM-DDTHH:MM:SS.mmm+0000` (contract C11)."""

    kind = ValueKind.TIMESTAMP
    is_local = has_day = True
    column_type = DateTimeField
    fast_type_decides = False

    @property
    def expected(self) -> str:
        day, time = _DAY, _TIME
        if are_in_messages():
            day, time = map(as_people_write, (_DAY, _TIME))
        return _("a date or time such as {day} or {time}").format(day=day, time=time)

    def to_internal_value(self, data: Any) -> datetime:
        if isinstance(data, str):
            try:
                return parse_timestamp(data)
            except NoSuchMoment:
                self.reject(_("{name}: {value} does not exist."), value=data)
            except ValueError:
                pass
        self.refuse(data)

    def to_representation(self, value: datetime) -> str:
        return _wire_text(value)

    def in_words(self, value: Any) -> str:
        return as_people_write(value)

    def takes_number(self, number: str) -> bool:
        return True

    def from_words(self, text: str) -> Any:
        stripped = text.strip()
        found = _DATE.fullmatch(stripped)
        if found is None:
            return self.from_cell(stripped)
        if found["year"]:
            return _moment(found, found["year"], found["month"], found["day"]) or stripped
        end = found["end"]
        years = [end] if len(end) > 2 else [f"19{end}", f"20{end}"] if int(end) >= _EITHER_CENTURY else [f"20{end}"]
        # A point stands between day and month alone, and only English has both orders, and halves of the day.
        has_one_order = found["separator"] == "." or (spoken_language() != "en" and not found["half"])
        orders = [(found["other"], found["one"]), (found["one"], found["other"])][: 1 if has_one_order else 2]
        moments = (_moment(found, year, month, day) for year in years for month, day in orders)
        readings = list(dict.fromkeys(filter(None, moments)))
        if len(readings) > 1:
            raise AmbiguousText(stripped, *readings[:2])
        return readings[0] if readings else stripped

    def is_surprising(self, text: str, value: Any) -> bool:
        # Its author may have meant what it means in English.
        with override("en"):
            try:
                return bool(self.from_words(text) != value)
            except AmbiguousText:
                return True

    @property
    def encode(self) -> Callable[[Any], str]:
        return _remembered_json

    def selected(self, column: str) -> Combinable:
        # As text: parsing it into a datetime would take longer than everything else.
        return Cast(F(column), TextField())

    def from_selected(self, value: Any) -> Any:
        return _remembered_text(value)

    def fast_type(self) -> Any:
        return Annotated[str, Meta(max_length=_REMEMBERED_LENGTH)]

    def fast_value(self, value: str, context: ElementContext) -> datetime:
        try:
            return _remembered_timestamp(value)
        except ValueError:
            return self.to_internal_value(value)

    def schema(self) -> dict[str, Any]:
        digits = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}\+0000$"
        return {"type": "string", "pattern": digits, "example": "2026-01-31T10:00:00.000+0000"}

    def request_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "timestamp", "example": "2026-01-31T10:00:00.000+0000"}


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
