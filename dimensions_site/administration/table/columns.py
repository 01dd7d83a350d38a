"""The columns of a table that people edit: one for each field, or entry of a map, that can be changed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from dimensions_site.administration.elements.element_page import known_keys
from dimensions_site.elements.declaration.wire import NamedField, ObjectNode, Place
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.selection import DESCRIPTIONS
from dimensions_site.elements.writing.merging import Spot
from dimensions_site.repositories.models import Repository

# Each costs every row time and room in the browser.
MAX_COLUMNS = 60
# How many languages have a column at first, and how many entries of a map are offered.
_LANGUAGES, _OFFERED_ENTRIES = 4, 50


def spot_of(column: NamedField) -> Spot:
    """Return the field that the column shows."""
    return Spot(column.place.path, column.key)


@dataclass
class ColumnGroup:
    """A group of fields in the choice of columns: those without another entry, and the maps that may have one."""

    label: str
    columns: list[tuple[NamedField, str]] = field(default_factory=list)
    maps: list[Place] = field(default_factory=list)


class TableColumns:
    """The columns that a table with elements of the `repository` may have. One query."""

    def __init__(self, dimension: Dimension, repository: Repository) -> None:
        self._wire = dimension.wire
        self._fixed = set(dimension.model.unique_in_repository.values())
        self._keys: Mapping[str, Sequence[str]] = known_keys(dimension, repository)

    def named(self, name: str) -> NamedField | None:
        """Return the column of the field or entry with this wire path; None if there is none that can be changed."""
        found = self._wire.named(name)
        is_column = (
            found is not None
            and found.path == name
            and self._is_writable(found.place)
            and found.is_entry is found.place.is_map
        )
        return found if is_column else None

    def at_first(self, listed: Iterable[str]) -> list[NamedField]:
        """Return the columns of a new table: those of the list, with a description for each language in use."""
        languages = [f"{DESCRIPTIONS}.{language}" for language in self._keys[DESCRIPTIONS][:_LANGUAGES]]
        names = [name for path in listed for name in (languages if path == DESCRIPTIONS else [path])]
        return [column for name in dict.fromkeys(names) if (column := self.named(name)) is not None]

    def groups(self) -> list[ColumnGroup]:
        """Return everything that can be chosen, group by group."""
        general = ColumnGroup(_("General"))
        found = {"": general}
        for place in filter(self._is_writable, self._wire.places.values()):
            outermost = self._wire.root.members[place.path.partition(".")[0]]
            group = general
            if isinstance(outermost, ObjectNode):
                group = found.setdefault(outermost.path, ColumnGroup(str(outermost.label)))
            group.columns += ((column, column.heading) for column in self._offered(place))
            if place.is_map:
                group.maps.append(place)
        return [group for group in found.values() if group.columns or group.maps]

    def _offered(self, place: Place) -> Iterator[NamedField]:
        if not place.is_map:
            yield NamedField(place.path, place)
            return
        for key in self._keys[place.path][:_OFFERED_ENTRIES]:
            yield NamedField(f"{place.path}.{key}", place, key)

    def _is_writable(self, place: Place) -> bool:
        return not (place.leaf.read_only or place.is_default_description or place.path in self._fixed)
