"""Single elements as the statements that lock and write them tell them: a writer does not ask once more."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import connection

from dimensions_site.compiled import CompiledColumns, CompiledQuery, Given
from dimensions_site.elements.models import Element
from dimensions_site.elements.rendering import Renderer, whole
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.models import Repository


@dataclass(frozen=True)
class Stored:
    """A stored element that is locked, of which what addresses it and its unique columns are read; its JSON text."""

    element: Element
    text: str


class Answer(Renderer):
    """Writes whole elements of one dimension (`model`) as JSON texts, out of what statements return."""

    def __init__(self, model: type[Element], wire: Wire, language: str) -> None:
        super().__init__(whole(wire.root, language))
        self._model = model
        self._read = ["id", "repository_id", *model.unique_in_repository]
        addressed = model.of(Given("repository")).filter(element_id=Given("id")).select_for_update()
        self._lock = CompiledQuery(addressed.values_list(*self._read, *self._expressions))
        self._returned = CompiledColumns(model, self._expressions)
        # What stands behind RETURNING.
        self.sql = self._returned.sql
        self.parameters = self._returned.parameters

    def lock(self, repository: Repository, id: str) -> Stored | None:
        """The element `id`, without NUL, or None; one query. Nobody else writes it until the transaction ends."""
        row = self._lock.first(repository=repository.pk, id=id)
        if row is None:
            return None
        element = self._model.from_db(connection.alias, self._read, row[: len(self._read)])
        return Stored(element, self._render(row[len(self._read) :]))

    def text(self, values: Sequence[Any]) -> str:
        """The JSON text of an element of which a statement has returned these values."""
        return self._render(self._returned.convert(values, connection))


@lru_cache
def answer_of(model: type[Element], wire: Wire, language: str) -> Answer:
    """The answer with elements of the dimension, made once for each default language."""
    return Answer(model, wire, language)
