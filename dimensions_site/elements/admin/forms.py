"""The form of an element, made from the declaration of its wire: whatever the wire holds, the form shows."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from dimensions_site.api.errors import Failure, flatten
from dimensions_site.api.paths import json_pointer
from dimensions_site.elements.admin.controls import Control, PickerControl, control_of
from dimensions_site.elements.admin.map_editor import MapControl
from dimensions_site.elements.wire import Node, Place, Wire


@dataclass
class Section:
    """A group of the wire: its controls, and the groups in it."""

    title: str
    path: str
    controls: list[Control] = field(default_factory=list)
    sections: "list[Section]" = field(default_factory=list)

    @property
    def fault_count(self) -> int:
        return sum(control.fault_count for control in self.controls) + sum(inner.fault_count for inner in self.sections)


@dataclass(frozen=True)
class Surroundings:
    """What the form knows beside the element: paths that cannot change any more, and how the repository helps."""

    fixed: Container[str]
    # The names that other elements have in the map at a path.
    known_keys: Callable[[str], Iterable[str]]
    # Where the elements of a dimension are looked up, if the user may see them.
    picker_address: Callable[[str], str | None]


class ElementForm:
    """Shows the `element` (wire JSON), reads what was typed, and points out at the fields what is wrong with it."""

    def __init__(self, wire: Wire, element: Mapping[str, Any], surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self.controls: dict[str, Control] = {}
        self.faults: list[str] = []
        general = self._section(wire.root, element, _("General"))
        # The groups of the wire are the tabs, beside one for what stands in no group.
        self.tabs = [Section(general.title, "", general.controls), *general.sections]

    def _section(self, node: Node, value: Any, title: str) -> Section:
        section = Section(title, node.path)
        for name, member in node.members.items():
            inner = value.get(name) if isinstance(value, Mapping) else None
            if isinstance(member, Node):
                if not all(place.leaf.read_only for place in _leaves(member)):
                    section.sections.append(self._section(member, inner, name))
            elif not member.leaf.read_only:
                control = self._control(node, member, inner)
                control.is_fixed = member.path in self._surroundings.fixed
                self.controls[member.path] = control
                section.controls.append(control)
        # What is short stands before the maps.
        section.controls.sort(key=lambda control: control.is_group)
        return section

    def _control(self, node: Node, place: Place, value: Any) -> Control:
        if place.is_map:
            return MapControl(place, value, self._surroundings.known_keys(place.path))
        if place.leaf.refers_to is not None:
            described = node.members.get("description") if place.path.endswith(".id") else None
            fills = described.path if isinstance(described, Place) else None
            return PickerControl(place, value, fills, self._surroundings.picker_address(place.leaf.refers_to))
        return control_of(place, value)

    @property
    def fault_count(self) -> int:
        return len(self.faults) + sum(tab.fault_count for tab in self.tabs)

    def read(self, data: QueryDict) -> dict[str, Any]:
        """The wire JSON of what was typed; whether it is valid the serializer decides."""
        if any("\0" in value for values in data.lists() for value in values[1]):
            raise BadRequest("A text holds the character NUL, which no database takes.")
        element: dict[str, Any] = {}
        for path, control in self.controls.items():
            value = control.stored if control.is_fixed else control.read(data)
            # What cannot be null and is not filled in is left out: it is missing, or made by the service.
            if value is not None or control.leaf.allow_null:
                _put(element, path.split("."), value)
        return element

    def point_out(self, error: ValidationError) -> None:
        """Show each failure of the serializer at its field, at the row of a map, or above the form."""
        for failure in flatten(error.detail, join=json_pointer):
            segments = [part.replace("~1", "/").replace("~0", "~") for part in failure.path.split("/")[1:]]
            self._point_out(segments, failure.message)

    def point_out_failures(self, failures: Sequence[Failure]) -> None:
        """Show failures that name a field by its wire path."""
        for failure in failures:
            self._point_out(failure.path.split("."), failure.message)

    def _point_out(self, segments: Sequence[str], message: str) -> None:
        for length in range(len(segments), 0, -1):
            control = self.controls.get(".".join(segments[:length]))
            if isinstance(control, MapControl) and length < len(segments):
                return control.point_out(segments[length], message)
            if control is not None:
                return control.faults.append(message)
        self.faults.append(message)


def _leaves(node: Node) -> Iterator[Place]:
    for member in node.members.values():
        if isinstance(member, Place):
            yield member
        else:
            yield from _leaves(member)


def _put(element: dict[str, Any], path: Sequence[str], value: Any) -> None:
    *groups, name = path
    for group in groups:
        element = element.setdefault(group, {})
    element[name] = value
