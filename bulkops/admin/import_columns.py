"""The columns of an uploaded table, and the field that each of them sets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from bulkops.files.columns import read_headings
from bulkops.files.formats.rows import REASON
from bulkops.models import FileImport
from dimensions_site.elements.declaration.wire import Place
from dimensions_site.elements.dimension import dimension_named

CHOOSE, LEAVE_OUT = "", "-"
# Stands for the key of a map entry, which is typed beside it.
_ANY_KEY = ".*"


@dataclass
class ColumnField:
    """A heading of the file with its first cells, the chosen field, and its error.

    `choice` is a wire path, `LEAVE_OUT`, or the path of a map with any key, which is in `key`. The `hint` is shown for
    an unrecognised heading while nothing is chosen.
    """

    number: int
    heading: str
    cells: Sequence[str]
    choice: str = CHOOSE
    key: str = ""
    hint: str = ""
    errors: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the control; that of the key is `key-` with the same number."""
        return f"column-{self.number}"

    @property
    def path(self) -> str:
        """The chosen wire path; "" for a column to leave out, and when nothing is chosen."""
        if self.choice in (CHOOSE, LEAVE_OUT):
            return ""
        return f"{self.choice.removesuffix(_ANY_KEY)}.{self.key}" if self.choice.endswith(_ANY_KEY) else self.choice


class ColumnFields:
    """The columns of an import's file; none for JSON elements.

    They show the earlier choice (`mapping`) or the submitted one (`data`), else the field that the heading names.
    """

    def __init__(self, file_import: FileImport, mapping: Mapping[str, str], data: Any = None) -> None:
        self._wire = dimension_named(file_import.dimension).wire
        self._language = file_import.repository.default_language
        self.general_errors: list[str] = []
        preview = file_import.preview
        self.fields = [
            ColumnField(number, heading, [row[number] for row in preview["rows"]])
            for number, heading in enumerate(preview["headings"])
        ]
        for column in self.fields:
            if data is not None:
                column.choice = data.get(column.name, CHOOSE)
                column.key = data.get(f"key-{column.number}", "").strip()
            elif column.heading in mapping:
                column.choice, column.key = self._shown(mapping[column.heading])
            else:
                self._recognise(column)

    @property
    def mapping(self) -> dict[str, str]:
        """The wire path of each heading, "" for those to leave out."""
        return {column.heading: column.path for column in self.fields}

    @property
    def has_errors(self) -> bool:
        """Return whether a column has no field, or an invalid one."""
        return any(column.errors for column in self.fields)

    def check(self) -> None:
        """Find the errors, with the messages of the import itself."""
        by_heading = {column.heading: column for column in self.fields}
        for column in self.fields:
            if column.choice == CHOOSE:
                column.errors.append(_("Choose a field, or leave the column out."))
        if self.fields and not self.has_errors:
            headings = list(by_heading)
            for failure in read_headings(self._wire, headings, self._language, self.mapping)[1]:
                found = by_heading.get(failure.path)
                (self.general_errors if found is None else found.errors).append(failure.message)

    def _recognise(self, column: ColumnField) -> None:
        """Choose the field that the heading names; give an unrecognised heading a hint."""
        if column.heading == REASON:
            column.choice = LEAVE_OUT
            return
        columns, failures = read_headings(self._wire, [column.heading], self._language, {})
        column.hint = next((failure.message for failure in failures if failure.code == "UNKNOWN_FIELD"), "")
        if column.hint:
            return
        # An empty cell clears the field of its column; an unrecognised column is skipped.
        _data, cleared = columns.read({column.heading: ""})
        column.choice, column.key = self._shown(".".join(cleared[0]) if cleared else "")

    def _shown(self, path: str) -> tuple[str, str]:
        """Return the option for the wire path, and the key that is typed beside it."""
        if not path:
            return LEAVE_OUT, ""
        entry = self._wire.find_entry(path)
        if entry is None or path == self._default_description:
            return path, ""
        return f"{entry[0].path}{_ANY_KEY}", entry[1]

    @property
    def _default_description(self) -> str:
        return f"descriptions.{self._language}"

    @cached_property
    def groups(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """The options of every column, by group: pairs of the value to send and the text to show."""
        places = [place for place in self._wire.places.values() if not place.leaf.read_only]
        return [
            (group or _("Element"), [option for place in members for option in self._options(place)])
            for group, members in groupby(sorted(places, key=lambda place: bool(_group(place))), key=_group)
        ]

    def _options(self, place: Place) -> list[tuple[str, str]]:
        if place.is_default_description:
            return []
        if not place.is_map:
            return [(place.path, place.path)]
        of_any_key = (f"{place.path}{_ANY_KEY}", _("%(field)s, another entry") % {"field": place.path})
        first = self._default_description
        return [(first, first), of_any_key] if place.path == "descriptions" else [of_any_key]


def _group(place: Place) -> str:
    """Return the first member of a path inside a group, "" for one outside."""
    first, _dot, rest = place.path.partition(".")
    return first if rest else ""
