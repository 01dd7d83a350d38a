"""The columns of an uploaded table: which field of the wire each of them means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.utils.functional import cached_property
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from bulkops.columns import read_headings
from bulkops.dimensions import wire_of
from bulkops.formats.rows import REASON
from bulkops.models import FileImport
from dimensions_site.elements.wire import Place

CHOOSE, LEAVE_OUT = "", "-"
# Stands for the key of an entry of a map, which is typed beside it.
_ANY_KEY = ".*"


@dataclass
class ColumnField:
    """A heading of the file with its first cells, the field that was chosen for it, and what is wrong with that.

    `choice` is a wire path, `LEAVE_OUT`, or that of a map with any key, for which `key` then tells the key. The `hint`
    is for a heading that means no field, as long as none is chosen.
    """

    number: int
    heading: str
    cells: Sequence[str]
    choice: str = CHOOSE
    key: str = ""
    hint: str = ""
    faults: list[str] = field(default_factory=list)
    groups: "Sequence[_Group]" = ()

    @property
    def name(self) -> str:
        """The name of the control; that of the key is `key-` with the same number."""
        return f"column-{self.number}"

    @property
    def path(self) -> str:
        """The wire path that is meant; "" for a column to leave out or when nothing is chosen."""
        if self.choice in (CHOOSE, LEAVE_OUT):
            return ""
        return f"{self.choice.removesuffix(_ANY_KEY)}.{self.key}" if self.choice.endswith(_ANY_KEY) else self.choice

    @property
    def options(self) -> SafeString:
        """The options of its control, in the groups of the wire."""
        fixed = [(CHOOSE, _("Choose a field")), (LEAVE_OUT, _("Leave this column out"))]
        return format_html(
            "{}{}",
            self._rendered(fixed),
            format_html_join(
                "",
                '<optgroup label="{}">{}</optgroup>',
                ((group.label, self._rendered(group.options)) for group in self.groups),
            ),
        )

    def _rendered(self, options: Sequence[tuple[str, str]]) -> SafeString:
        return format_html_join(
            "",
            '<option value="{}"{}{}>{}</option>',
            (
                (
                    value,
                    SafeString(" selected") if value == self.choice else "",
                    SafeString(" data-asks-key") if value.endswith(_ANY_KEY) else "",
                    text,
                )
                for value, text in options
            ),
        )


@dataclass(frozen=True)
class _Group:
    label: str
    options: Sequence[tuple[str, str]]


class ColumnFields:
    """The columns of the file of an import; none for elements of JSON.

    What was chosen before (`mapping`) or is sent now (`data`) stands in them, else the field that the heading means.
    """

    def __init__(self, file_import: FileImport, mapping: Mapping[str, str], data: Any = None) -> None:
        self._wire = wire_of(file_import.dimension)
        self._language = file_import.repository.default_language
        self.general_faults: list[str] = []
        preview = file_import.preview
        self.fields = [
            ColumnField(number, heading, [row[number] for row in preview["rows"]], groups=self._groups)
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
    def has_faults(self) -> bool:
        """Whether a column has no field, or one that is none."""
        return any(column.faults for column in self.fields)

    def check(self) -> None:
        """Find what is wrong, by the words of the import itself."""
        by_heading = {column.heading: column for column in self.fields}
        for column in self.fields:
            if column.choice == CHOOSE:
                column.faults.append(_("Choose a field, or leave the column out."))
        if self.fields and not self.has_faults:
            headings = list(by_heading)
            for failure in read_headings(self._wire, headings, self._language, self.mapping)[1]:
                found = by_heading.get(failure.path)
                (self.general_faults if found is None else found.faults).append(failure.message)

    def _recognise(self, column: ColumnField) -> None:
        """Choose the field that the heading means; one that means none gets a hint."""
        if column.heading == REASON:
            column.choice = LEAVE_OUT
            return
        columns, failures = read_headings(self._wire, [column.heading], self._language, {})
        column.hint = next((failure.message for failure in failures if failure.code == "UNKNOWN_FIELD"), "")
        if column.hint:
            return
        # An empty cell clears the place that its column means; a column that means none is passed over.
        _data, cleared = columns.read({column.heading: ""})
        column.choice, column.key = self._shown(".".join(cleared[0]) if cleared else "")

    def _shown(self, path: str) -> tuple[str, str]:
        """The option for the wire path, and the key that is typed beside it."""
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
    def _groups(self) -> list[_Group]:
        places = [place for place in self._wire.places.values() if not place.leaf.read_only]
        return [
            _Group(group or _("Element"), [option for place in members for option in self._options(place)])
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
    """The first member of the path of a place inside a group, "" for one outside."""
    first, _dot, rest = place.path.partition(".")
    return first if rest else ""
