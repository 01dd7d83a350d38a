"""The elements that were written since a state, each once and in its newest state (contract I3)."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import F, Value
from django.db.models.expressions import Combinable
from rest_framework import serializers

from dimensions_site.api.json.texts import json_text
from dimensions_site.changes.states import State
from dimensions_site.changes.versions import change_sets_after, few_after, newest, versions_given, written_in_many
from dimensions_site.db.among import array_of
from dimensions_site.db.compiled import CompiledColumns, Param, bound
from dimensions_site.elements.declaration.serializers import ElementSerializer
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Change
from dimensions_site.elements.reading.answers import template_of
from dimensions_site.elements.reading.filters import KEPT_SHAPES, CompiledFilter, ElementFilter
from dimensions_site.elements.reading.lookup import rows_statement
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.reading.statements import read_rows


class ElementChange(serializers.Serializer[Any]):
    change = serializers.ChoiceField(
        ["saved", "deleted"], help_text="`saved` comes with `element`, `deleted` with `id`."
    )
    element = ElementSerializer(required=False)
    id = serializers.CharField(required=False, help_text="The id of an element that is no longer selected or stored.")


# What says that an element with this JSON was saved, or that the one with this id was deleted.
SAVED = template_of(ElementChange, "id") % ('"saved"', "%s")
_DELETED = template_of(ElementChange, "element") % ('"deleted"', "%s")


def changes(filter: ElementFilter, state: State, using: str) -> Iterator[str]:
    """Yield the JSON of the changes of the elements that were written after the `state`, in the order of their ids.

    An element whose newest version the `filter` does not select is reported as deleted.
    """
    few = few_after(state, using=using)
    compose = _statement if filter.is_short else _statement.__wrapped__
    sql, parameters = compose(filter.compiled, is_few=few is not None)
    given = {**state.given(), **filter.given, "change_set": array_of(few or ())}
    renderer = full_renderer(filter.dimension, filter.compiled.language)
    columns = _unfiltered(filter.dimension, filter.compiled.language)
    rows = read_rows(sql, bound(parameters, given), columns, connections[using])
    for id, change, is_matching, *values in rows:
        if change == Change.DELETED or not is_matching:
            yield _DELETED % json_text(id)
        else:
            yield SAVED % renderer.written(values)


@lru_cache(KEPT_SHAPES)
def _statement(filter: CompiledFilter, *, is_few: bool) -> tuple[str, Sequence[Any]]:
    """Return the SQL of what was written after a state, and its bind parameters.

    If what was written `is_few` change sets, they are given: by their ids PostgreSQL knows that they are not the few
    large ones of its statistics.
    """
    versions = filter.dimension.model.versions_of(Param("repository"))
    written = versions_given(versions, "change_set") if is_few else written_in_many(versions, change_sets_after())
    columns = _columns(filter.dimension, filter.language, filter.matches())
    return rows_statement(newest(written).order_by("element_id"), columns, connections[DEFAULT_DB_ALIAS])


@lru_cache
def _unfiltered(dimension: Dimension, language: str) -> CompiledColumns:
    """Return columns whose values are converted like those of every filter; kept once."""
    return _columns(dimension, language, Value(True))


def _columns(dimension: Dimension, language: str, matches: Combinable) -> CompiledColumns:
    values = [F("element_id"), F("change"), matches, *full_renderer(dimension, language).expressions]
    return CompiledColumns(dimension.model.version_model, values)
