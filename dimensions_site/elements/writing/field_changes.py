"""Changes that many elements get alike: each sets or clears one field, or adds to its text, or replaces a part."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dimensions_site.elements.declaration.wire import Place
from dimensions_site.elements.writing.merging import Spot, put_field


class How(StrEnum):
    SET = "set"
    CLEAR = "clear"
    APPEND = "append"
    PREPEND = "prepend"
    REPLACE = "replace"


@dataclass(frozen=True)
class FieldChange:
    """The change of the field at `place`, or of the entry `key` of the map there.

    `value` is the JSON value to set, or the text to add; to replace, the pattern to find and the text instead.
    """

    place: Place
    key: str | None
    how: How
    value: Any = None
    # The change of the id that this description belongs to; elements that have the id already keep theirs.
    follows: "FieldChange | None" = None

    @property
    def depends_on_stored(self) -> bool:
        """Whether the same change gives different elements different values."""
        return self.follows is not None or not self._is_alike

    @property
    def _is_alike(self) -> bool:
        return self.how == How.SET or (self.how == How.CLEAR and self.key is None)

    def add_to(self, patch: dict[str, Any], columns: Mapping[str, Any]) -> None:
        """Add the change to the `patch` of an element, of which `columns` has the stored values.

        An element without a text gets none added. A missing entry of a map is not cleared, which would create it.
        """
        if self.follows is not None and self.follows._stored(columns) == self.follows.value:
            return
        if self._is_alike:
            put_field(patch, Spot(self.place.path, self.key), self.value)
            return
        stored = self._stored(columns)
        if self.how == How.CLEAR and stored is not None:
            put_field(patch, Spot(self.place.path, self.key), None)
        elif self.how != How.CLEAR and stored and (text := self._text(stored)) != stored:
            put_field(patch, Spot(self.place.path, self.key), text or None)

    def _text(self, stored: str) -> str:
        if self.how == How.REPLACE:
            pattern, text = self.value
            replaced: str = pattern.sub(lambda _found: text, stored)
            return replaced
        added: str = stored + self.value if self.how == How.APPEND else self.value + stored
        return added

    def _stored(self, columns: Mapping[str, Any]) -> str | None:
        """Return the stored text; None if there is none."""
        found: Any = columns.get(self.place.column)
        for name in (*self.place.inside, *(() if self.key is None else (self.key,))):
            found = (found or {}).get(name)
        text: str | None = found
        return text


def patch_of(changes: Iterable[FieldChange], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the patch (contract C15) with the `changes` of an element with these stored `columns`."""
    patch: dict[str, Any] = {}
    for change in changes:
        change.add_to(patch, columns)
    return patch
