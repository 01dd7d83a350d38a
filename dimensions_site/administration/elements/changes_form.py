"""The form that changes many elements alike: beside each field stands what to do with it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from dimensions_site.administration.elements.forms import ElementForm, refuse_nul
from dimensions_site.administration.inputs.controls import Control
from dimensions_site.administration.inputs.map_editor import MapControl, MapRow
from dimensions_site.api.errors import flatten
from dimensions_site.elements.declaration.wire import Place
from dimensions_site.elements.writing.merging import FieldChange, How
from dimensions_site.rsql.fields import ValueKind


@dataclass
class FieldChoice:
    """What to do with a field, or with an entry of a map; `how` is None while the field stays as it is."""

    place: Place
    how: How | None = None

    @property
    def options(self) -> list[tuple[str, str]]:
        leaf = self.place.leaf
        words = {How.SET: _("Set to")}
        if leaf.allow_null or self.place.is_map:
            words[How.CLEAR] = _("Clear")
        if self.place.is_map or (leaf.kind is ValueKind.TEXT and leaf.refers_to is None):
            words |= {How.APPEND: _("Add at the end"), How.PREPEND: _("Add at the beginning")}
        return [("", _("Leave as it is")), *words.items()]

    @property
    def takes_value(self) -> bool:
        return self.how not in (None, How.CLEAR)

    def read(self, name: str, data: QueryDict) -> None:
        """Take over what was chosen for the control `name`. Raises `BadRequest` for what the form does not offer."""
        sent = data.get(f"{name}:how", "")
        if sent not in dict(self.options):
            raise BadRequest(f"'{name}' does not offer this choice.")
        self.how = How(sent) if sent else None

    def change(self, key: str | None, value: Any, errors: list[str]) -> FieldChange | None:
        """Return the change with the `value` that was typed; None and an error if that is missing or invalid."""
        if self.how is None:
            return None
        if not self.takes_value:
            return FieldChange(self.place, key, self.how)
        if value in (None, ""):
            errors.append(_("Enter a value, or choose something else to do with the field."))
            return None
        try:
            self.place.leaf.run_validation(value if key is None else {key: value})
        except ValidationError as error:
            errors += (failure.message for failure in flatten(error.detail))
            return None
        return FieldChange(self.place, key, self.how, value)


class ChangedMapControl(MapControl):
    """The entries of a map that are known, each with what to do with it, and rows for others.

    The key of an offered one is fixed.
    """

    field_template = "admin/changes/field.html"
    template = "admin/changes/map.html"

    @property
    def blank(self) -> MapRow:
        return replace(super().blank, choice=FieldChoice(self.place))

    def _rows(self, entries: list[tuple[str, str | None]]) -> Iterator[MapRow]:
        return (replace(row, choice=FieldChoice(self.place)) for row in super()._rows(entries))

    def changes(self, data: QueryDict) -> Iterator[FieldChange]:
        offered = {row.key for row in self.rows}
        rows = [self._row(number, data) for number in self._numbers(data)]
        met: set[str] = set()
        for row in rows:
            row.is_offered = row.key in offered
            offered.discard(row.key)
            if row.choice.how is None:
                continue
            if row.key in met:
                row.errors.append(_("%(key)s is there twice; keep one of the two.") % {"key": row.key})
            elif not self.leaf.has_key(row.key):
                row.errors.append(self.leaf.key_refusal(row.key))
            elif change := row.choice.change(row.key, row.text, row.errors):
                yield change
            met.add(row.key)
        self.rows = rows

    def _row(self, number: int, data: QueryDict) -> MapRow:
        row = replace(super()._row(number, data), choice=FieldChoice(self.place))
        row.choice.read(f"{self.name}:{number}", data)
        return row


class ChangesForm(ElementForm):
    """Offers what to do with each field that can be changed; reads it as changes."""

    def _has_control(self, place: Place) -> bool:
        return super()._has_control(place) and place.path not in self._fixed

    def _control(self, place: Place, value: Any) -> Control:
        if place.is_map:
            return ChangedMapControl(place, value, self._known_keys[place.path])
        control = super()._control(place, value)
        control.choice = FieldChoice(place)
        control.field_template = "admin/changes/field.html"
        return control

    def changes(self, data: QueryDict) -> Sequence[FieldChange]:
        """Return what was chosen, field by field; errors are shown at the fields, and one above if nothing was."""
        refuse_nul(data)
        found = [change for control in self.controls.values() for change in self._changes(control, data)]
        if not found and not self.error_count:
            self.errors.append(_("Choose for at least one field what to do with it."))
        return [*found, *self._following(found)]

    def _following(self, changes: Iterable[FieldChange]) -> Iterator[FieldChange]:
        """Yield the changes of descriptions that follow changed ids, unless they are changed themselves."""
        places = {change.place.path for change in changes}
        described = self._wire.described
        named = {
            change: (change.place.leaf.refers_to, change.value or "")
            for change in changes
            if change.place.path in described and described[change.place.path].path not in places
        }
        found = self._finder.descriptions(named.values())
        for change, name in named.items():
            yield FieldChange(described[change.place.path], None, How.SET, found.get(name) or None, follows=change)

    def _changes(self, control: Control, data: QueryDict) -> Iterator[FieldChange]:
        if isinstance(control, ChangedMapControl):
            yield from control.changes(data)
            return
        control.choice.read(control.name, data)
        value = control.read(data) if control.choice.takes_value else None
        if change := control.choice.change(None, value, control.errors):
            yield change
