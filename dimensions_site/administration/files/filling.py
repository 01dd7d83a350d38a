"""The fields that new elements need and an uploaded table has no column for, and what its rows get there."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import admin
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from bulkops.files.imports.options import Fillings
from bulkops.models import FileImport
from dimensions_site.administration.files.columns import ColumnFields
from dimensions_site.administration.inputs.controls import Control, control_of
from dimensions_site.api.errors import flatten
from dimensions_site.elements.declaration.labels import labels_in_messages
from dimensions_site.elements.declaration.wire import Place, Wire
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.reading.lookup import with_ids


@dataclass(frozen=True)
class _Box:
    """What new rows get at `place`, of those that have the `value` at the path `leader`, or of all without one."""

    place: Place
    leader: str
    value: str
    control: Control


class FillingFields:
    """A box for each field that a new element needs and none of the `columns` has.

    Where the form of an element suggests a field by another one, it has a box for each value of that. They show what
    was submitted (`data`), chosen earlier (`kept`), or is suggested by the form.
    """

    def __init__(self, file_import: FileImport, columns: ColumnFields, kept: Fillings, data: Any = None) -> None:
        dimension = dimension_named(file_import.dimension)
        form: Any = admin.site.get_model_admin(dimension.model)
        known = _known(dimension.wire, kept)
        suggested = {**{path: ("", {"": text}) for path, text in form.presets.items()}, **form.suggestions, **known}
        paths = set(columns.mapping.values())
        lacking = [place for place in dimension.wire.places.values() if paths and place.path not in paths]
        self._boxes = [box for place in lacking for box in _boxes(dimension.wire, place, suggested)]
        self.filled: dict[str, tuple[str, dict[str, Any]]] = {}
        self._unseen: list[str] = []
        for box in self._boxes if data is not None else ():
            self._read(box, data)
        ids = [text for column in columns.fields if column.path == "id" for text in column.content.texts]
        has_new = with_ids(dimension.model, file_import.repository, ids).count() < len(ids)
        self.is_open = has_new or bool(self.errors)

    def _read(self, box: _Box, data: Any) -> None:
        control = box.control
        if control.name not in data:
            self._unseen.append(control.label)
            return
        value = control.read(data)
        if value is None:
            return
        self.filled.setdefault(box.place.path, (box.leader, {}))[1][box.value] = value
        try:
            with labels_in_messages():
                box.place.leaf.to_internal_value(value)
        except ValidationError as error:
            control.errors += (failure.message for failure in flatten(error.detail))

    @property
    def controls(self) -> list[Control]:
        return [box.control for box in self._boxes]

    @property
    def errors(self) -> list[str]:
        """What keeps the file from being checked: nothing is filled in that nobody has seen."""
        message = _("The file has no column for this any more, so see what new rows get: {fields}.")
        unseen = [message.format(fields=", ".join(self._unseen))] if self._unseen else []
        return [*unseen, *(error for control in self.controls for error in control.errors)]


def _boxes(wire: Wire, place: Place, suggested: Fillings) -> Iterator[_Box]:
    leaf = place.leaf
    if not leaf.required or leaf.read_only or place.is_map or place.path == "id":
        return
    # The file may have nothing that is new.
    optional = replace(place, leaf=deepcopy(leaf))
    optional.leaf.required = False
    leader, values = suggested.get(place.path, ("", {}))
    for value, words in wire.places[leader].leaf.labelled if leader else [("", "")]:
        control = control_of(optional, values.get(value))
        control.name = "-".join(filter(None, ("fill", place.path, value)))
        control.label = _label(place, words)
        if leader:
            control.help = ""  # it would be the same at each
        yield _Box(place, leader, value, control)


def _known(wire: Wire, filled: Fillings) -> Fillings:
    """Return what is `filled` in without fields of another release."""
    known = {"", *wire.places}
    return {path: filling for path, filling in filled.items() if {path, filling[0]} <= known}


def _label(place: Place, words: str) -> str:
    return " · ".join(filter(None, (place.label, words)))


def filled_in_words(wire: Wire, filled: Fillings) -> Iterator[tuple[str, str]]:
    """Yield what is filled in: the label of each box, and its value."""
    for path, (leader, values) in _known(wire, filled).items():
        place = wire.places[path]
        called = dict(wire.places[leader].leaf.labelled) if leader else {}
        yield from (
            (_label(place, called.get(value, "")), place.leaf.in_words(filling)) for value, filling in values.items()
        )
