"""The form of an element, derived from the declaration of its JSON."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from dimensions_site.administration.base.naming import known_keys
from dimensions_site.administration.elements.references import Named, ReferenceFinder
from dimensions_site.administration.inputs.controls import Control, PickerControl, control_of
from dimensions_site.administration.inputs.map_editor import MapControl
from dimensions_site.api.errors import Failure, flatten
from dimensions_site.api.failures import json_pointer, pointer_segments
from dimensions_site.elements.declaration.wire import ObjectNode, Place
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.writing.merging import Spot, put_field, value_of

# A group without values is folded if it has more fields.
_FEW_FIELDS = 6


@dataclass
class Section:
    """A group: its controls, and the groups in it."""

    title: str
    path: str
    help: Any = ""
    controls: list[Control] = field(default_factory=list)
    sections: "list[Section]" = field(default_factory=list)

    @property
    def all_controls(self) -> list[Control]:
        return [*self.controls, *(control for inner in self.sections for control in inner.all_controls)]

    @property
    def error_count(self) -> int:
        return sum(control.error_count for control in self.all_controls)

    @property
    def filled_count(self) -> int:
        return sum(control.is_filled for control in self.all_controls)

    @property
    def is_folded(self) -> bool:
        """Whether it is out of the way: many fields that all are empty."""
        return not self.filled_count and not self.error_count and len(self.all_controls) > _FEW_FIELDS


class ElementForm:
    """Shows the `element` (wire JSON), reads what was typed, and shows errors at their fields.

    The values at the paths `fixed` cannot be changed. The `finder` finds what the element refers to. After `read`,
    `undescribed` are the references whose description was removed, because it described another id.
    """

    def __init__(
        self, dimension: Dimension, finder: ReferenceFinder, element: Mapping[str, Any], fixed: Container[str] = ()
    ) -> None:
        self._wire = dimension.wire
        self._finder = finder
        self._fixed = fixed
        self._known_keys = known_keys(dimension, finder.repository)
        self.undescribed: list[Control] = []
        self.controls: dict[str, Control] = {}
        self.errors: list[str] = []
        general = self._section(self._wire.root, element, _("General"))
        # The groups are the tabs, besides one for what is in no group.
        self.tabs = [Section(general.title, "", controls=general.controls), *general.sections]

    def _section(self, node: ObjectNode, value: Any, title: str) -> Section:
        section = Section(title, node.path, node.help)
        for name, member in node.members.items():
            inner = value.get(name) if isinstance(value, Mapping) else None
            if isinstance(member, ObjectNode):
                self._add(section, self._section(member, inner, str(member.label)))
            elif self._has_control(member):
                control = self._control(member, inner)
                control.is_fixed = member.path in self._fixed
                self.controls[member.path] = control
                section.controls.append(control)
        for path in self._wire.described.keys() & {control.name for control in section.controls}:
            picker, words = self.controls[path], self.controls[self._wire.described[path].path]
            if isinstance(picker, PickerControl) and picker.address and words in section.controls:
                picker.words = words
                section.controls.remove(words)
        # Short controls stand before the maps.
        section.controls.sort(key=lambda control: (control.is_group, control.leaf.is_technical))
        return section

    def _add(self, section: Section, part: Section) -> None:
        """Add a group, if it has fields; one needs no group, and what is required stands with the first fields."""
        if not part.sections and (len(part.controls) == 1 or any(control.leaf.required for control in part.controls)):
            section.controls += part.controls
        elif part.all_controls:
            section.sections.append(part)

    def _has_control(self, place: Place) -> bool:
        return not place.leaf.read_only

    def _control(self, place: Place, value: Any) -> Control:
        if place.is_map:
            return MapControl(place, value, self._known_keys[place.path])
        if place.leaf.refers_to is not None:
            return PickerControl(place, value, self._finder.picker_address(place.leaf.refers_to))
        return control_of(place, value)

    @property
    def error_count(self) -> int:
        return len(self.errors) + sum(tab.error_count for tab in self.tabs)

    @property
    def linked_errors(self) -> list[tuple[str, str, str]]:
        """Return for each error at a field the id on the page where it is corrected, the field's name, and the rest.

        Most errors begin with the name of their field, and those of a map's row with the name of the map.
        """
        return [
            (anchor, name, _behind_name(error, (name, control.label)))
            for control in self.controls.values()
            for anchor, name, error in control.linked_errors
        ]

    def read(self, data: QueryDict) -> dict[str, Any]:
        """Return the wire JSON of what was typed; the serializer decides whether it is valid."""
        refuse_nul(data)
        element: dict[str, Any] = {}
        # Pickers show these; the service finds them.
        described = [control.words for control in self.controls.values() if isinstance(control, PickerControl)]
        for path, control in self.controls.items():
            value = control.stored if control.is_fixed or control in described else control.read(data)
            # An empty field that cannot be null is left out: it is missing, or the service generates it.
            if value is not None or control.leaf.allow_null:
                put_field(element, Spot(path), value)
        self._describe(element)
        return element

    def _describe(self, element: dict[str, Any]) -> None:
        """Let the description of each reference follow the id that was typed, unless it was typed, too."""
        changed: list[tuple[Named, Control]] = []
        for path, place in self._wire.described.items():
            id, text = (value_of(element, Spot(each)) for each in (path, place.path))
            control, words = self.controls[path], self.controls[place.path]
            if id != control.stored and text in (None, words.stored):
                changed.append(((control.leaf.refers_to, id or ""), words))
        found = self._finder.descriptions(named for named, _words in changed)
        for named, words in changed:
            text = found.get(named) or None
            put_field(element, Spot(words.name), text)
            words.show(text)
            if words.stored and not text:
                self.undescribed.append(words)

    def show(self, element: Mapping[str, Any], spot: Spot) -> None:
        """Show the value that the `element` has there, as if it had been typed."""
        self.controls[spot.path].show(value_of(element, Spot(spot.path)))

    def rebase(self, element: Mapping[str, Any]) -> None:
        """Take the `element` for what is stored, and keep what was typed."""
        for path, control in self.controls.items():
            control.stored = value_of(element, Spot(path))

    def mark_unknown(self) -> list[PickerControl]:
        """Mark the fields with an id that no element has; return them.

        Such an id is saved nevertheless (contract E2, LOOSE). Dimensions that the user may not see are left out.
        """
        controls = {
            control: (control.leaf.refers_to, control.typed)
            for control in self.controls.values()
            if isinstance(control, PickerControl) and control.typed
        }
        found = self._finder.found(controls.values())
        for control, named in controls.items():
            control.found = found.get(named)
            control.is_unknown = not control.is_fixed and named in found and control.found is None
        return [control for control in controls if control.is_unknown]

    def point_out(self, error: ValidationError) -> None:
        """Show each failure of the serializer at its field, at the row of a map, or above the form."""
        for failure in flatten(error.detail, join=json_pointer):
            self._point_out(pointer_segments(failure.path), failure)

    def point_out_failures(self, failures: Sequence[Failure]) -> None:
        """Show failures that name a field by its wire path."""
        for failure in failures:
            self._point_out(failure.path.split("."), failure)

    def _point_out(self, segments: Sequence[str], failure: Failure) -> None:
        for length in range(len(segments), 0, -1):
            control = self.controls.get(".".join(segments[:length]))
            if isinstance(control, MapControl) and length < len(segments):
                return control.point_out(segments[length], failure.message)
            if control is not None:
                return control.errors.append(failure.message)
        self.errors.append(failure.message)


def refuse_nul(data: QueryDict) -> None:
    """Raise `BadRequest` for a text with the character NUL, which no database stores."""
    if any("\0" in value for values in data.lists() for value in values[1]):
        raise BadRequest("A text holds the character NUL, which cannot be stored.")


def _behind_name(error: str, names: Iterable[str]) -> str:
    """Return the rest of an error that begins with one of the `names` of its field."""
    found = next((name for name in names if error.startswith((f"{name} ", f"{name}:"))), None)
    return f": {error}" if found is None else error.removeprefix(found)
