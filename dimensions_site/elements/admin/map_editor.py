"""The editor of a map: rows of a name and a text, of which null (no text) is told apart from an empty text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from dimensions_site.elements.admin.controls import Control, as_meant, as_sent
from dimensions_site.elements.maps import LanguageMapField
from dimensions_site.elements.wire import Place

# Of the names that other elements have, so many stand ready in rows of their own.
_READY_ROWS = 8


@dataclass
class Row:
    """One entry: `number` is its place in the form; a row that is only `offered` counts once it has a text."""

    number: str
    key: str = ""
    text: str = ""
    has_no_text: bool = False
    is_offered: bool = False
    faults: list[str] = field(default_factory=list)

    @property
    def key_is_long(self) -> bool:
        return re.search(r"[\r\n]", self.key) is not None


class MapControl(Control):
    """Entries of a map; `known` are the names that come first because other elements of the repository have them."""

    template = "admin/elements/map.html"
    fixed_template = "admin/elements/fixed_map.html"
    is_group = True

    def __init__(self, place: Place, stored: Any, known: Iterable[str]) -> None:
        super().__init__(place, stored)
        self.known = list(known)
        order = {key: position for position, key in enumerate(self.known)}
        entries: dict[str, str | None] = stored or {}
        self.entries = sorted(entries.items(), key=lambda entry: (order.get(entry[0], len(order)), entry[0]))
        self._as_sent = {as_sent(key): (key, text) for key, text in self.entries}
        self.rows = list(self._stored_rows())

    @property
    def help(self) -> str:
        return f"{capfirst(self.leaf.key_expected)}."

    @property
    def key_word(self) -> str:
        """What people call the key of an entry."""
        return _("Language") if isinstance(self.leaf, LanguageMapField) else _("Name")

    @property
    def blank(self) -> Row:
        """The row from which new ones are made in the browser."""
        return Row("new")

    @property
    def fault_count(self) -> int:
        return len(self.faults) + sum(len(row.faults) for row in self.rows)

    def text_of(self, value: Any) -> str:
        return ""

    def _stored_rows(self) -> Iterator[Row]:
        for number, (key, text) in enumerate(self.entries):
            yield Row(str(number), key, text or "", has_no_text=text is None)
        offered = [key for key in self.known if key not in dict(self.entries)][:_READY_ROWS]
        for number, key in enumerate(offered, start=len(self.entries)):
            yield Row(str(number), key, is_offered=True)

    def read(self, data: QueryDict) -> Any:
        if self.name not in data:
            return self.stored
        self.rows = [self._row(number, data) for number in self._numbers(data)]
        result: dict[str, str | None] = {}
        for row in self.rows:
            if row.text == "" and not row.has_no_text and (row.is_offered or row.key == ""):
                continue
            if row.key in result:
                row.faults.append(_("%(key)s is there twice; keep one of the two.") % {"key": row.key})
            result[row.key] = None if row.has_no_text else row.text
        # An empty map is not null, and stays what it is.
        return result or (None if self.leaf.allow_null and self.stored != {} else {})

    def _numbers(self, data: QueryDict) -> list[int]:
        named = (re.fullmatch(rf"{re.escape(self.name)}:([0-9]{{1,6}}):key", name) for name in data)
        return sorted(int(match[1]) for match in named if match)

    def _row(self, number: int, data: QueryDict) -> Row:
        prefix = f"{self.name}:{number}"
        sent = data.get(f"{prefix}:key", "")
        key, text = self.entries[number] if number < len(self.entries) else ("", None)
        if as_sent(key) != sent:
            key, text = self._as_sent.get(sent, (as_meant(sent), text))
        return Row(
            str(number),
            key,
            _kept(text, data.get(f"{prefix}:text", "")),
            has_no_text=f"{prefix}:null" in data,
            # Under another name it is no longer what was offered.
            is_offered=f"{prefix}:offered" in data and key in self.known,
        )

    def point_out(self, key: str, message: str) -> None:
        """Show what is wrong with the entry of that key at its row."""
        row = next((row for row in self.rows if row.key == key), None)
        (self if row is None else row).faults.append(message)


def _kept(stored: str | None, sent: str) -> str:
    return stored if stored is not None and as_sent(stored) == sent else as_meant(sent)
