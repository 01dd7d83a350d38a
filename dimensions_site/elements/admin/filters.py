"""The filters beside the list of elements."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.db.models import F, Q, QuerySet
from django.forms import DateField
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RangeDateFilter, RelatedDropdownFilter, TextFilter

from dimensions_site.rsql.conditions import Contains, Needle
from dimensions_site.rsql.expressions import Fold


class GrantedRepositoryFilter(RelatedDropdownFilter):
    """The repositories to which the user has grants (contract G2)."""

    def has_output(self) -> bool:
        """Return True even with one repository to choose, because only a filter that is shown is applied."""
        return True

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(str(repository.pk), str(repository)) for repository in model_admin.repositories(request)]


class WireChoicesFilter(ChoicesDropdownFilter):
    """The values of an enumeration, with the heading that it has in the list."""

    def __init__(
        self, field: Any, request: HttpRequest, params: Any, model: type[Any], model_admin: Any, field_path: str
    ) -> None:
        super().__init__(field, request, params, model, model_admin, field_path)
        places = model_admin.dimension.wire.places
        words = (words for path, words in model_admin.listed.items() if places[path].column == field_path)
        self.title = next(words)

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Yield the values as they are in the JSON and in the list, without Django's labels."""
        for shown in super().choices(changelist):
            field = shown["form"].fields[self.lookup_kwarg]
            field.choices = [(value, value or words) for value, words in field.choices]
            yield shown


class PersonFilter(TextFilter):
    """Part of the name of the user in a `column`."""

    column: ClassVar[str]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = self.value()
        if not name:
            return queryset
        return queryset.filter(Q(Contains(Fold(F(self.column)), Fold(Needle(name)))))


class ChangedByFilter(PersonFilter):
    """Part of the name of the user who changed the element last."""

    title = _("person of the last change")
    parameter_name = "changed_by"
    column = "update_user"


class DayFilter(RangeDateFilter):
    """The first and the last day of a moment, in UTC like all stored times."""

    words: ClassVar[Any] = _("day (UTC)")

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.title = self.words

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen: dict[str, Any] = self.used_parameters
        first, last = (_day(chosen.get(f"{self.parameter_name}_{bound}")) for bound in ("from", "to"))
        if first is not None:
            queryset = queryset.filter(**{f"{self.parameter_name}__gte": datetime.combine(first, time.min, UTC)})
        if last is not None:
            queryset = queryset.filter(**{f"{self.parameter_name}__lte": datetime.combine(last, time.max, UTC)})
        return queryset


class ChangedWhenFilter(DayFilter):
    """The first and the last day on which the elements were changed."""

    words = _("day of the last change (UTC)")


def _day(text: str | None) -> date | None:
    """Return the day that was typed, in the format of the page's language or ISO 8601; None if it is invalid."""
    try:
        day: date | None = DateField(required=False).clean(text)
    except ValidationError:
        return None
    return day
