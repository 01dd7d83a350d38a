"""The elements that were written since a state, each once and in its newest state (contract I3)."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from django.db.models import Exists, F, Model, OuterRef, QuerySet, Value
from django.db.models.expressions import Combinable

from dimensions_site.api.json.texts import json_text
from dimensions_site.changes.states import State, versions_since
from dimensions_site.db.compiled import CompiledColumns
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Change
from dimensions_site.elements.reading.rendering import Renderer, full_renderer, streamed_values
from dimensions_site.repositories.models import Repository


def saved_changes(texts: Iterator[str]) -> Iterator[str]:
    """Yield the changes that say that elements, whose JSON is in `texts`, were saved."""
    for text in texts:
        yield f'{{"change":"saved","element":{text}}}'


def changes(
    dimension: Dimension, repository: Repository, state: State, matching: QuerySet[Any] | None, using: str
) -> Iterator[str]:
    """Yield the JSON of the changes of the elements that were written after the `state`, in the order of their ids.

    `matching` are the versions that the client's filter selects; an element whose newest version it does not select is
    reported as deleted. None selects all.
    """
    versions = dimension.model.versions_of(repository).using(using)
    newest = versions_since(versions, state).order_by("element_id")
    renderer = full_renderer(dimension, repository.default_language)
    columns = _columns(dimension, repository.default_language)
    if matching is not None:
        columns = _compiled(renderer, newest.model, Exists(matching.order_by().filter(pk=OuterRef("pk"))))
    for id, change, is_matching, *values in streamed_values(newest, columns):
        if change == Change.DELETED or not is_matching:
            yield f'{{"change":"deleted","id":{json_text(id)}}}'
        else:
            yield f'{{"change":"saved","element":{renderer.written(values)}}}'


@lru_cache
def _columns(dimension: Dimension, language: str) -> CompiledColumns:
    """Return the columns of a row without a filter, compiled once for each default language."""
    return _compiled(full_renderer(dimension, language), dimension.model.version_model, Value(1))


def _compiled(renderer: Renderer, model: type[Model], matches: Combinable) -> CompiledColumns:
    return CompiledColumns(model, [F("element_id"), F("change"), matches, *renderer.expressions])
