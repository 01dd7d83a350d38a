"""The query parameters `filter` and `sort` as filters of django-filter (contract D1 to D5; design/filter.md)."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django_filters import rest_framework as filters

from dimensions_site.api.errors import Failure
from dimensions_site.rsql.compiler import compile_filter
from dimensions_site.rsql.errors import RsqlError
from dimensions_site.rsql.fields import FieldTable
from dimensions_site.rsql.parser import parse
from dimensions_site.rsql.sorting import parse_sort


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
