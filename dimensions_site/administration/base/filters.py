"""The filters beside the list of elements."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, ClassVar

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.forms import DateField, Form
from django.http import HttpRequest
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import (
    AutocompleteSelectFilter,
    ChoicesDropdownFilter,
    RangeDateFilter,
    RelatedDropdownFilter,
    TextFilter,
)
from unfold.contrib.filters.forms import DropdownForm
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from dimensions_site.administration.base.naming import contains_text


class PlainChoiceForm(DropdownForm):
    """The browser's own list of choices, which needs no scripts."""

    widget = UnfoldAdminSelectWidget()

    class Media:
        """Nothing of the theme's."""


class DaysForm(Form):
    """The browser's own fields for the first and the last day, which need no scripts."""

    def __init__(self, name: str, data: dict[str, str | None]) -> None:
        super().__init__({field: _iso(text) for field, text in data.items()})
        for bound, words in (("from", _("From")), ("to", _("To"))):
            attributes = {"type": "date", "max": "9999-12-31", "aria-label": words}
            self.fields[f"{name}_{bound}"] = DateField(
                label="", required=False, widget=UnfoldAdminTextInputWidget(attributes)
            )


class GrantedRepositoryFilter(RelatedDropdownFilter):
    """The repositories to which the user has grants (contract G2)."""

    form_class = PlainChoiceForm

    def has_output(self) -> bool:
        """Return True even with one repository to choose, because only a filter that is shown is applied."""
        return True

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(str(repository.pk), str(repository)) for repository in model_admin.repositories(request)]


class PickedFilter(AutocompleteSelectFilter):
    """Filters by one of hundreds of rows, which a search finds. A key out of range would fail in the database."""

    def __init__(self, field: Any, *arguments: Any, **named: Any) -> None:
        super().__init__(field, *arguments, **named)
        keys: Sequence[str] = self.lookup_val or ()
        try:
            for key in keys:
                field.remote_field.model._meta.pk.clean(key, None)
        except ValidationError as error:
            raise IncorrectLookupParameters from error


class WireChoicesFilter(ChoicesDropdownFilter):
    """The values of an enumeration, in words."""

    form_class = PlainChoiceForm

    def __init__(
        self, field: Any, request: HttpRequest, params: Any, model: type[Any], model_admin: Any, field_path: str
    ) -> None:
        super().__init__(field, request, params, model, model_admin, field_path)
        places = model_admin.dimension.wire.places
        self._place = next(places[path] for path in model_admin.listed if places[path].column == field_path)
        self.title = self._place.heading

    def in_words(self, value: str) -> str:
        return str(self._place.leaf.in_words(value))

    def choices(self, changelist: Any) -> Iterator[Any]:
        for shown in super().choices(changelist):
            field = shown["form"].fields[self.lookup_kwarg]
            field.choices = [(value, self.in_words(value) if value else words) for value, words in field.choices]
            yield shown


class PersonFilter(TextFilter):
    """Part of the name of the user in a `column`."""

    column: ClassVar[str]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = self.value()
        if not name:
            return queryset
        return queryset.filter(contains_text(self.column, name))


class ChangedByFilter(PersonFilter):
    """Part of the name of the user who changed the element last."""

    title = _("person of the last change")
    parameter_name = "changed_by"
    column = "update_user"


class DayFilter(RangeDateFilter):
    """The first and the last day of a moment, in the time zone of the page."""

    form_class: Any = DaysForm
    words: ClassVar[Any] = _("day")

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.title = self.words

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen: dict[str, Any] = self.used_parameters
        first, last = (_day(chosen.get(f"{self.parameter_name}_{bound}")) for bound in ("from", "to"))
        if first is not None and last is not None and last < first:
            messages.warning(request, _("The period ends before it begins, so nothing is found."))
        if first is not None:
            queryset = queryset.filter(**{f"{self.parameter_name}__gte": _instant(first, time.min)})
        if last is not None:
            queryset = queryset.filter(**{f"{self.parameter_name}__lte": _instant(last, time.max)})
        return queryset


class ChangedWhenFilter(DayFilter):
    """The first and the last day on which the elements were changed."""

    words = _("day of the last change")


def _instant(day: date, clock: time) -> datetime:
    """Return the instant in the time zone of the page, or in UTC if the zone has it before year 1 or after 9999."""
    try:
        return datetime.combine(day, clock, get_current_timezone()).astimezone(UTC)
    except OverflowError:
        return datetime.combine(day, clock, UTC)


def _day(text: str | None) -> date | None:
    """Return the day that was typed, in the format of the page's language or ISO 8601; None if it is invalid."""
    try:
        day: date | None = DateField(required=False).clean(text)
    except ValidationError:
        return None
    return day


def _iso(text: str | None) -> str | None:
    """Return the day as a browser's field shows it; an invalid one as it is."""
    day = _day(text)
    return text if day is None else day.isoformat()
