"""Single elements as the statements that lock and write them return them, without a further query."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import connection

from dimensions_site.db.compiled import CompiledColumns, CompiledQuery, Param
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Element
from dimensions_site.elements.reading.rendering import Renderer, whole
from dimensions_site.repositories.models import Repository


@dataclass(frozen=True)
class Stored:
    """A locked element with its JSON text; only its keys and its unique columns are loaded."""

    element: Element
    text: str


class Answer(Renderer):
    """Writes whole elements of one dimension as JSON texts, from the values that statements return."""

    def __init__(self, dimension: Dimension, language: str) -> None:
        super().__init__(whole(dimension.wire.root, language))
        model = self._model = dimension.model
        self._read = ["id", "repository_id", *model.unique_in_repository]
        addressed = model.of(Param("repository")).filter(element_id=Param("id")).select_for_update()
        self._lock = CompiledQuery(addressed.values_list(*self._read, *self._expressions))
        self._returned = CompiledColumns(model, self._expressions)
        # The expressions after RETURNING.
        self.sql = self._returned.sql
        self.parameters = self._returned.parameters

    def lock(self, repository: Repository, id: str) -> Stored | None:
        """Lock and return the element `id`, without NUL, or None; one query. It stays locked until the transaction
        ends.
        """
        row = self._lock.first(repository=repository.pk, id=id)
        if row is None:
            return None
        element = self._model.from_db(connection.alias, self._read, row[: len(self._read)])
        return Stored(element, self._render(row[len(self._read) :]))

    def text(self, values: Sequence[Any]) -> str:
        """Return the JSON text of an element for which a statement has returned these values."""
        return self._render(self._returned.convert(values, connection))


@lru_cache
def answer_of(dimension: Dimension, language: str) -> Answer:
    """Return the answer with elements of the dimension, made once for each default language."""
    return Answer(dimension, language)
