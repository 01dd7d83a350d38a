"""The differences between two states, of one repository or of two (contract J2)."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Exists, F, IntegerField, OuterRef, QuerySet, Value

from dimensions_site.api.json.texts import json_text
from dimensions_site.changes.states import State, committed_between, versions_at
from dimensions_site.db.compiled import CompiledColumns
from dimensions_site.db.postgresql.streaming import streamed_rows
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.history.changed_values import as_json, changed_values, places
from dimensions_site.elements.reading.rendering import Renderer
from dimensions_site.elements.reading.selection import selected_plan
from dimensions_site.repositories.models import Repository


@dataclass(frozen=True)
class Side:
    """One of two states that are compared.

    `matching` are the versions of the repository that the client's filter selects; None selects all.
    """

    repository: Repository
    state: State
    matching: QuerySet[Any] | None = None


@dataclass(frozen=True)
class Difference:
    """An element that differs, as wire JSON without what names it; None on the side where there is no element."""

    id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None

    @property
    def action(self) -> str:
        """What led from `before` to `after`."""
        return "created" if self.before is None else "deleted" if self.after is None else "changed"


def differences(
    dimension: Dimension, before: Side, after: Side, *, using: str = DEFAULT_DB_ALIAS
) -> Iterator[Difference]:
    """Yield the elements that differ and that match the filter on either side, in the order of their ids.

    One query and constant memory.
    """
    paths = [f"{place.path}.*" if place.is_map else place.path for place in places(dimension)]
    language = after.repository.default_language
    renderer = Renderer(selected_plan(dimension.wire, paths, language, as_stored=True))
    connection = connections[using]
    parts, parameters = [], []
    columns: list[CompiledColumns] = []
    for number, (side, rows) in enumerate(_versions(dimension, before, after)):
        matches: Any = Value(1, IntegerField())
        if side.matching is not None:
            matches = Exists(side.matching.order_by().filter(pk=OuterRef("pk")))
        flags = [Value(number, IntegerField()), matches]
        columns.append(CompiledColumns(rows.model, [F("element_id"), *flags, *renderer.expressions]))
        query = rows.using(using).order_by().values_list(columns[-1].selected).query
        sql, values = query.get_compiler(connection=connection).as_sql()
        parts.append(f"SELECT * FROM ({sql}) AS side{number}")
        parameters += values
    with closing(streamed_rows(connection, f"{' UNION ALL '.join(parts)} ORDER BY 1, 2", parameters)) as found:
        converted = (columns[0].convert(row, connection) for row in found)
        for id, rows_of_id in groupby(converted, itemgetter(0)):
            texts: dict[int, str] = {}
            is_told = False
            for _, number, is_matching, *row in rows_of_id:
                texts[number] = renderer.written(row)
                is_told = is_told or bool(is_matching)
            if is_told and texts.get(0) != texts.get(1):
                old, new = (None if text is None else orjson.loads(text) for text in (texts.get(0), texts.get(1)))
                if old != new:  # equal values may be stored as different texts
                    yield Difference(id, old, new)


def difference_json(dimension: Dimension, difference: Difference) -> str:
    """Return the JSON of the `difference`."""
    changes = as_json(changed_values(dimension, difference.before, difference.after))
    return f'{{"id":{json_text(difference.id)},"action":"{difference.action}","changes":{changes}}}'


def _versions(dimension: Dimension, before: Side, after: Side) -> Iterator[tuple[Side, QuerySet[Any]]]:
    """Yield each side with the versions that its state had, at least of the elements that may differ."""
    for side in (before, after):
        versions = dimension.model.versions_of(side.repository)
        if before.repository == after.repository:
            sets = committed_between(before.state, after.state).values("pk")
            written = versions.filter(change_set__in=sets).order_by().values("element_id")
            versions = versions.filter(element_id__in=written)
        yield side, versions_at(versions, side.state)
