"""The same changes to many elements, as the entries of `patch` of a bulk save (contract C15, K4)."""

from collections.abc import Iterator, Sequence
from typing import Any, overload

import msgspec
import orjson

from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.writing.field_changes import FieldChange, patch_of
from dimensions_site.repositories.models import Repository

# How many elements are read at a time: this many of the largest take 50 MB.
_TOGETHER = 200


class SelectedPatches(Sequence[msgspec.Raw]):
    """The entries that make the `changes` to the elements with the `ids`, each made when it is needed.

    Changes that depend on what is stored read and lock the elements, so they can be used only while these are written.
    """

    def __init__(
        self, dimension: Dimension, repository: Repository, ids: Sequence[str], changes: Sequence[FieldChange]
    ) -> None:
        self._dimension = dimension
        self._repository = repository
        self._ids = ids
        self._changes = changes
        self._columns = sorted({change.place.column for change in changes if change.depends_on_stored})

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, position: int) -> msgspec.Raw: ...
    @overload
    def __getitem__(self, position: slice) -> list[msgspec.Raw]: ...
    def __getitem__(self, position: int | slice) -> msgspec.Raw | list[msgspec.Raw]:
        if isinstance(position, slice):
            return self._entries(self._ids[position])
        return self._entries([self._ids[position]])[0]

    def __iter__(self) -> Iterator[msgspec.Raw]:
        for start in range(0, len(self), _TOGETHER):
            yield from self[start : start + _TOGETHER]

    def _entries(self, ids: Sequence[str]) -> list[msgspec.Raw]:
        stored = self._stored(ids)
        return [_entry(id, patch_of(self._changes, stored.get(id, {}))) for id in ids]

    def _stored(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the columns that the changes depend on, by the id of the element."""
        if not self._columns:
            return {}
        # In the order in which all bulk writers lock elements.
        rows = with_ids(self._dimension.model, self._repository, ids).order_by("element_id").select_for_update()
        found = rows.values_list("element_id", *self._columns)
        return {id: dict(zip(self._columns, values, strict=True)) for id, *values in found}


def _entry(id: str, patch: dict[str, Any]) -> msgspec.Raw:
    return msgspec.Raw(orjson.dumps({"key": {"id": id}, "data": patch}))
