"""The query parameters `filter` and `sort` as filters of django-filter (contract D1 to D5; design/filter.md)."""

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
    """A parameter whose text names fields; `TableFilterSet` sets `table` for each request."""

    table: FieldTable

    def clean(self, value: str | None) -> Any:
        """Return the parsed value; None for an absent parameter. Raises `forms.ValidationError`."""
        if value is None:
            return None
        try:
            return self.read(value)
        except RsqlError as error:
            errors = [forms.ValidationError(each.message, code=each.code) for each in error.errors]
            raise forms.ValidationError(errors) from None

    def read(self, text: str) -> Any:
        """Return the parsed text. Raises `RsqlError`."""
        raise NotImplementedError


class FilterField(TableField):
    def read(self, text: str) -> Q | None:
        """Return the condition; None for an empty filter (contract D4)."""
        return compile_filter(parse(text), self.table) if text else None


class SortField(TableField):
    def read(self, text: str) -> list[Any]:
        return parse_sort(text, self.table)


class RsqlFilter(filters.Filter):
    """`filter`: the conditions on the elements, in RSQL."""

    field_class = FilterField

    def filter(self, qs: QuerySet[Any], value: Q | None) -> QuerySet[Any]:
        return qs if value is None else qs.filter(value)


class SortFilter(filters.Filter):
    """`sort`: the order of the elements. The column `last` is always the last key, which makes the order total."""

    field_class = SortField

    def __init__(self, *, last: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.last = last

    def filter(self, qs: QuerySet[Any], value: list[Any] | None) -> QuerySet[Any]:
        return qs.order_by(*(value or []), self.last)


class TableFilterSet(filters.FilterSet):
    """A filter set whose `filter` and `sort` may name the fields of `table`."""

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
