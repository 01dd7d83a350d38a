"""From an element in a request or a file to what is written, compared with what is stored (contract C14, C15)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rest_framework.exceptions import ValidationError

from dimensions_site.api.errors import Failure
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Element
from dimensions_site.elements.reading.lookup import with_ids, with_primary_keys
from dimensions_site.elements.reading.rendering import Stored, full_renderer
from dimensions_site.elements.writing.decoding import RowDecoder
from dimensions_site.repositories.models import Repository

# An element that does not exist might have what is missing.
_MISSING = frozenset({"REQUIRED", "BLANK"})


@dataclass(frozen=True)
class Entry:
    """An element to be written; `values` are those of the writer's columns, or None if it has an error."""

    position: int
    must_be_new: bool
    element_id: str
    values: Sequence[Any] | None


@dataclass(frozen=True)
class Clash:
    """An element to be written whose unique `column` another element already has."""

    position: int
    element_id: str
    column: str
    value: str


class Change(ABC):
    """What a request or a file says about one element."""

    __slots__ = ()

    @abstractmethod
    def fast(self, decoder: RowDecoder) -> Sequence[Any] | None:
        """Return the values of the element, or None if the serializer has to decode it."""

    @abstractmethod
    def exact(self, decoder: RowDecoder) -> Sequence[Any]:
        """Return the values of the element. Raises `ValidationError` with all errors, and `JsonError` for malformed
        text.
        """

    @abstractmethod
    def failures(self, error: ValidationError) -> Sequence[Failure]:
        """Return the failures in the `error` of `exact`, each with its place in the request or the file."""


class EntryMaker:
    """Finds the stored elements for one request or file, and the values of its elements.

    The values are those of `decoder.columns`.
    """

    def __init__(self, dimension: Dimension, repository: Repository, decoder: RowDecoder) -> None:
        self._model = dimension.model
        self._repository = repository
        self._decoder = decoder
        self._renderer = full_renderer(dimension, repository.default_language)

    def stored(self, ids: Iterable[object], *, locked: bool) -> Mapping[str, Stored]:
        """Return the stored elements with one of `ids`, by their ids.

        If `locked`, they are locked until the transaction ends, in the order of their ids, as by all bulk writers.
        """
        found = with_ids(self._model, self._repository, ids).order_by("element_id")
        found = found.only(*self._model.unique_in_repository)
        elements: list[Element] = list(found.select_for_update(no_key=True) if locked else found)
        # None that another writer has created since.
        same = with_primary_keys(self._model, [element.pk for element in elements]).order_by("element_id")
        texts = self._renderer.each(same)
        return {element.element_id: Stored(element, text) for element, text in zip(elements, texts, strict=True)}

    def values(self, change: Change, failures: list[Failure]) -> Sequence[Any] | None:
        """Return the values of the element; None if it has errors itself, which are added to its `failures`.

        Raises `JsonError`.
        """
        values = change.fast(self._decoder)
        if values is None:
            try:
                values = change.exact(self._decoder)
            except ValidationError as error:
                is_missing = bool(failures)
                failures += (found for found in change.failures(error) if not (is_missing and found.code in _MISSING))
        return values
