"""The columns of a list, which the address may choose."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import lazy
from django.utils.translation import gettext as _

from dimensions_site.elements.declaration.wire import NamedField, Wire
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.text.formats import shortened

MAX_LIST_COLUMNS = 12
# A longer address names more than people read.
_LONGEST = 4096
REPOSITORY_COLUMN = "repository"
_SHOWN = 120


@dataclass(frozen=True)
class ListColumn:
    """A column: its `path` in the address, its heading, how a list shows it, what it reads, and its text in a file."""

    path: str
    heading: Any
    display: Any
    reads: tuple[str, ...] = ()
    text: Callable[[Any], str] | None = None  # unless `display` is a `FieldValues`


class ColumnTable:
    """The columns that a list may show: any field, and those that have a method or an order of their `own`, by path."""

    def __init__(self, wire: Wire, own: Mapping[str, ListColumn]) -> None:
        self._wire = wire
        self._own = own
        # The paths of those that are no field.
        self.further = [path for path in own if wire.named(path) is None]

    def find(self, path: str) -> ListColumn | None:
        """Return the column that `path` names; None if there is none."""
        if path in self._own:
            return self._own[path]
        named = self._wire.named(path)
        if named is None or (named.place.is_map and not named.is_entry):
            return None
        return ListColumn(named.path, named.short_heading, FieldValues(named), (named.place.column,))

    def chosen(self, text: str) -> tuple[list[ListColumn], list[str]]:
        """Return the columns that the parameter `text` names, each once, and the errors in it."""
        if len(text) > _LONGEST:
            return [], [_("The address names too many columns. The usual ones are shown.")]
        columns: dict[str, ListColumn] = {}
        unknown = []
        for name in filter(None, (part.strip() for part in text.split(","))):
            found = self.find(name)
            if found is None:
                unknown.append(shortened(name))
            else:
                columns[found.path] = found
        errors = []
        if unknown:
            message = _("There are no columns with these names, so they are left out: %(names)s.")
            errors.append(message % {"names": ", ".join(unknown[:MAX_LIST_COLUMNS])})
        if len(columns) > MAX_LIST_COLUMNS:
            message = _("A list has at most %(maximum)d columns; the others are left out.")
            errors.append(message % {"maximum": MAX_LIST_COLUMNS})
        return list(columns.values())[:MAX_LIST_COLUMNS], errors


class FieldValues:
    """What Django's list shows in a column: the values of a field, in words."""

    def __init__(self, named: NamedField, order: str | None = None) -> None:
        place = named.place
        self.named = named
        self.__name__ = "_".join((place.column, *place.inside))
        self.short_description = lazy(lambda: named.short_heading, str)()
        self.admin_order_field = order
        self.is_number = place.leaf.kind in (ValueKind.INTEGER, ValueKind.DECIMAL)

    def __call__(self, element: Any) -> str | None:
        text = self.text(element)
        return None if text is None else shortened(text, _SHOWN)

    def text(self, element: Any) -> str | None:
        """Return the value of the field of the `element` as people read it; None if it is not set."""
        named, place = self.named, self.named.place
        inside: Sequence[str] = (*place.inside, *([] if named.key is None else [named.key]))
        found = getattr(element, place.column)
        for name in inside:
            found = (found or {}).get(name)
        if found is None:
            return None
        value = found if inside else place.leaf.to_representation(found)
        return str(value) if named.is_entry else place.leaf.in_words(value)
