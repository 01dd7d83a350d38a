"""The editor of a map: rows with a key and a text, which distinguish null (no text) from an empty text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.http import QueryDict
from django.utils.translation import gettext as _

from dimensions_site.administration.inputs.controls import Control, as_meant, as_submitted
from dimensions_site.elements.declaration.wire import NamedField, Place

# How many of the keys that other elements have are offered in rows of their own.
_READY_ROWS = 8


@dataclass
class MapRow:
    """One entry: `number` is its place in the form; an `offered` row counts only once it has a text."""

    number: str
    key: str = ""
    text: str = ""
    # What people call the key.
    name: str = ""
    has_no_text: bool = False
    is_offered: bool = False
    # Whether it is one of the entries that the form began with, or offered.
    is_kept: bool = False
    # What to do with the entry of many elements, in the form that changes them.
    choice: Any = None
    errors: list[str] = field(default_factory=list)

    @property
    def is_named(self) -> bool:
        """Whether the key stands as the label of the text; else it can be typed."""
        return self.is_kept and not self.errors

    @property
    def key_is_long(self) -> bool:
        return re.search(r"[\r\n]", self.key) is not None


class MapControl(Control):
    """The entries of a map; `known` are the keys that come first because other elements of the repository have them."""

    template = "admin/elements/map.html"
    fixed_template = "admin/elements/fixed_map.html"
    is_group = True

    def __init__(self, place: Place, stored: Any, known: Iterable[str]) -> None:
        super().__init__(place, stored)
        self.known = list(known)
        self.entries = self._in_order(stored)
        self._as_sent = {as_submitted(key): (key, text) for key, text in self.entries}
        self.show(stored)

    @property
    def is_filled(self) -> bool:
        return any(row.text or row.has_no_text for row in self.rows)

    @property
    def is_folded(self) -> bool:
        """Whether it has no entry, and rows that are only offered."""
        return bool(self.rows) and not (self.is_filled or self.is_required or self.error_count)

    @property
    def offers(self) -> list[tuple[str, str]]:
        """The keys that are suggested for a new row, each with its name."""
        languages = [code for code, _name in settings.LANGUAGES] if self.leaf.has_languages else []
        return [(key, self.name_of(key)) for key in dict.fromkeys([*self.known, *languages])]

    def name_of(self, key: str) -> str:
        """Return what people call the `key`, as in `German (de)`."""
        return NamedField(key, self.place, key).key_in_words

    @property
    def blank(self) -> MapRow:
        """The row that the browser copies to add new ones."""
        return MapRow("new")

    @property
    def error_count(self) -> int:
        return len(self.errors) + sum(len(row.errors) for row in self.rows)

    def anchor(self, key: str | None = None) -> str:
        row = next((row for row in self.rows if key is not None and row.key == key), None)
        return super().anchor() if row is None else self._row_anchor(row, "text")

    def _row_anchor(self, row: MapRow, part: str) -> str:
        return f"id_{self.name}:{row.number}:{part}"

    @property
    def linked_errors(self) -> list[tuple[str, str, str]]:
        return [
            *super().linked_errors,
            *(
                (self._row_anchor(row, "text" if row.is_named else "key"), self.place.heading_of(row.key), error)
                for row in self.rows
                for error in row.errors
            ),
        ]

    def text_of(self, value: Any) -> str:
        return ""

    def show(self, value: Any) -> None:
        self.rows = list(self._rows(self._in_order(value)))

    def _in_order(self, value: dict[str, str | None] | None) -> list[tuple[str, str | None]]:
        order = {key: position for position, key in enumerate(self.known)}
        return sorted((value or {}).items(), key=lambda entry: (order.get(entry[0], len(order)), entry[0]))

    def _rows(self, entries: list[tuple[str, str | None]]) -> Iterator[MapRow]:
        for number, (key, text) in enumerate(entries):
            yield MapRow(str(number), key, text or "", self.name_of(key), has_no_text=text is None, is_kept=True)
        offered = [key for key in self.known if key not in dict(entries)][:_READY_ROWS]
        for number, key in enumerate(offered, start=len(entries)):
            yield MapRow(str(number), key, name=self.name_of(key), is_offered=True, is_kept=True)

    def read(self, data: QueryDict) -> Any:
        if self.name not in data:
            return self.stored
        self.rows = [self._row(number, data) for number in self._numbers(data)]
        result: dict[str, str | None] = {}
        for row in self.rows:
            if row.text == "" and not row.has_no_text and (row.is_offered or row.key == ""):
                continue
            if row.key in result:
                row.errors.append(_("%(key)s is there twice; keep one of the two.") % {"key": row.key})
            result[row.key] = None if row.has_no_text else row.text
        # An empty map differs from null, and stays empty.
        return result or (None if self.leaf.allow_null and self.stored != {} else {})

    def _numbers(self, data: QueryDict) -> list[int]:
        named = (re.fullmatch(rf"{re.escape(self.name)}:([0-9]{{1,6}}):key", name) for name in data)
        return sorted(int(match[1]) for match in named if match)

    def _row(self, number: int, data: QueryDict) -> MapRow:
        prefix = f"{self.name}:{number}"
        sent = data.get(f"{prefix}:key", "")
        key, text = self.entries[number] if number < len(self.entries) else ("", None)
        if as_submitted(key) != sent:
            key, text = self._as_sent.get(sent, (as_meant(sent), text))
        return MapRow(
            str(number),
            key,
            _kept(text, data.get(f"{prefix}:text", "")),
            self.name_of(key),
            has_no_text=f"{prefix}:null" in data,
            # With another key it is no longer the offered one.
            is_offered=data.get(f"{prefix}:offered") == sent,
            is_kept=sent in self._as_sent or data.get(f"{prefix}:offered") == sent,
        )

    def point_out(self, key: str, message: str) -> None:
        """Show an error at the row of the entry with that key."""
        row = next((row for row in self.rows if row.key == key), None)
        (self if row is None else row).errors.append(message)


def _kept(stored: str | None, sent: str) -> str:
    return stored if stored is not None and as_submitted(stored) == sent else as_meant(sent)
