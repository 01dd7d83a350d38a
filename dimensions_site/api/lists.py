"""The query parameters of lists: `filter` and `sort` as filters of django-filter (contract D1 to D5; design/filter.md),
paging by `skip` and `take` (D6), and links from page to page of growing lists (M7; design/http.md).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self
from uuid import UUID

from django import forms
from django.db import connection
from django.db.models import Q, QuerySet
from django_filters import rest_framework as filters
from rest_framework.request import Request

from dimensions_site.api.errors import Failure, bad_request, quoted
from dimensions_site.rsql.compiler import compile_filter, parse_sort
from dimensions_site.rsql.errors import RsqlError
from dimensions_site.rsql.fields import FieldTable
from dimensions_site.rsql.parser import parse


class TableField(forms.Field):
    """A parameter whose text names fields, which `read` parses; `TableFilterSet` sets `table` for each request."""

    table: FieldTable

    def __init__(self, *, read: Callable[[str, FieldTable], Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._read = read

    def clean(self, value: str | None) -> Any:
        """Return the parsed value; None for an absent parameter. Raises `forms.ValidationError`."""
        if value is None:
            return None
        try:
            return self._read(value, self.table)
        except RsqlError as error:
            errors = [forms.ValidationError(each.message, code=each.code) for each in error.errors]
            raise forms.ValidationError(errors) from None


def _condition(text: str, table: FieldTable) -> Q | None:
    """Return the condition; None for an empty filter (contract D4)."""
    return compile_filter(parse(text), table) if text else None


class RsqlFilter(filters.Filter):
    """`filter`: the conditions on the rows, in RSQL."""

    field_class = TableField

    def filter(self, qs: QuerySet[Any], value: Q | None) -> QuerySet[Any]:
        return qs if value is None else qs.filter(value)


class SortFilter(filters.Filter):
    """`sort`: the order of the rows. The column `last` is always the last key, which makes the order total."""

    field_class = TableField

    def __init__(self, *, last: str) -> None:
        super().__init__(read=parse_sort)
        self.last = last

    def filter(self, qs: QuerySet[Any], value: list[Any] | None) -> QuerySet[Any]:
        return qs.order_by(*(value or []), self.last)


class TableFilterSet(filters.FilterSet):
    """A filter set whose `filter`, and `sort` if it has one, may name the fields of `table`."""

    filter = RsqlFilter(read=_condition)

    def __init__(self, *args: Any, table: FieldTable, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.form.fields.values():
            if isinstance(field, TableField):
                field.table = table

    @property
    def failures(self) -> list[Failure]:
        """The errors of all parameters (contract B1).

        django-filter's own conversion of errors treats a `%` in a message as a placeholder.
        """
        return [
            Failure(name, error.code or "INVALID_VALUE", str(error.message))
            for name, errors in self.form.errors.as_data().items()
            for error in errors
        ]


# The largest number that both databases accept for LIMIT and OFFSET.
MAX_COUNT = 2**63 - 1
_DIGITS = re.compile(r"[0-9]{1,19}")
AFTER = "after"


def _number(text: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", text):
        raise ValueError(text)
    return int(text)


def _instant(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    if found.utcoffset() != timedelta(0) or not 2000 <= found.year < 9999:
        raise ValueError(text)
    return found


# The columns by which lists are sorted, the newest first, and how each is read from the parameter `after`.
Keys = Mapping[str, Callable[[str], Any]]
BY_NUMBER: Keys = {"number": _number}
BY_KEY: Keys = {"id": _number}
BY_COMMIT: Keys = {"committed_at": _instant, "id": UUID}
BY_CREATION: Keys = {"created_at": _instant, "id": UUID}


@dataclass(frozen=True)
class SkipTake:
    """The number of rows to skip, and the largest number of rows to return (None: all)."""

    skip: int = 0
    take: int | None = None
    # The keys of the row before the page, if it follows another one.
    after: Sequence[Any] | None = None

    @classmethod
    def parse(cls, skip_text: str | None, take_text: str | None, after: str | None = None, keys: Keys = BY_KEY) -> Self:
        """Return the paging of the two query parameters; None stands for an absent parameter.

        `after` is the place in a list that is sorted by `keys`. Raises Problem 400 with a failure for each parameter
        that is not an integer from 0 to 2**63 - 1, or no place; no value is clamped. Contract D6, M7.
        """
        counts: dict[str, int] = {}
        failures: list[Failure] = []
        for name, text in (("skip", skip_text), ("take", take_text)):
            if text is None:
                continue
            if _DIGITS.fullmatch(text) and int(text) <= MAX_COUNT:
                counts[name] = int(text)
            else:
                bound = f"at most {MAX_COUNT:,}" if text.isascii() and text.isdecimal() else "a whole number, 0 or more"
                message = f"{name} must be {bound}; got {quoted(text)}."
                failures.append(Failure(name, "INVALID_VALUE", message))
        values = None
        if after is not None:
            try:
                values = [read(part) for read, part in zip(keys.values(), after.split("~"), strict=True)]
            except ValueError:
                message = f"{AFTER} is set by the links in the header Link; got {quoted(after)}."
                failures.append(Failure(AFTER, "INVALID_VALUE", message))
        if failures:
            raise bad_request(failures)
        return cls(**counts, after=values)

    @property
    def window(self) -> slice:
        return slice(self.skip, None if self.take is None else self.skip + self.take)


def linked_page(
    rows: QuerySet[Any], keys: Keys, paging: SkipTake, request: Request
) -> tuple[QuerySet[Any], dict[str, str]]:
    """Return the page of the `rows`, the newest first, and the header with the link to the next page, if there is one.

    The next page begins after the last row of this one, whatever is added or deleted meanwhile: no row that was there
    at first is repeated or missing. Contract M7.
    """
    ordered = rows.order_by(*(f"-{key}" for key in keys))
    if paging.after is not None:
        ordered = ordered.filter(_beyond(keys, paging.after))
    if not paging.take:
        return ordered[paging.window], {}
    places = ordered.values_list(*keys)
    first = list(places[paging.skip : paging.skip + 1])
    end = paging.skip + paging.take
    # The databases count no row beyond the largest number.
    last = list(places[end - 1 : end + 1]) if end <= MAX_COUNT else []
    if len(last) <= 1:
        return ordered[paging.window], {}
    page = ordered.exclude(_beyond(keys, last[0])).filter(_beyond(keys, first[0]) | _at(keys, first[0]))
    return page, next_link(request, last[0])


def next_link(request: Request, values: Sequence[Any]) -> dict[str, str]:
    """Return the header with the link to the page that begins after the row with these `values` of the keys."""
    query = request.query_params.copy()
    query.pop("skip", None)
    query[AFTER] = "~".join(one.isoformat() if isinstance(one, datetime) else str(one) for one in values)
    return {"Link": f'<{request.path}?{query.urlencode()}>; rel="next"'}


def _beyond(keys: Keys, values: Sequence[Any]) -> Q:
    """Return what rows meet that come after the one with these `values` of the `keys`."""
    found, equal = Q(), Q()
    for key, value in zip(keys, values, strict=True):
        low, high = _bounds(value)
        found |= equal & Q(**{f"{key}__lt": low})
        equal &= Q(**{f"{key}__gte": low, f"{key}__lte": high})
    # This one lets an index find the place.
    key, (_, high) = next(iter(keys)), _bounds(values[0])
    return Q(**{f"{key}__lte": high}) & found


def _at(keys: Keys, values: Sequence[Any]) -> Q:
    bounds = ((key, _bounds(value)) for key, value in zip(keys, values, strict=True))
    return Q(
        **{f"{key}__{end}": bound for key, both in bounds for end, bound in zip(("gte", "lte"), both, strict=True)}
    )


def _bounds(value: Any) -> tuple[Any, Any]:
    """Return between what a stored value equals `value`: SQLite compares instants, in milliseconds, as texts."""
    if isinstance(value, datetime) and connection.vendor == "sqlite":
        return value - timedelta(microseconds=500), value + timedelta(microseconds=500)
    return value, value
