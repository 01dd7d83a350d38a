"""The differences between two states, of one repository or of two (contract J2)."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Exists, F, IntegerField, OuterRef, QuerySet, Value

from dimensions_site.api.json.texts import json_text
from dimensions_site.changes.states import State, committed_between, versions_at, written_in
from dimensions_site.db.among import Among
from dimensions_site.db.compiled import CompiledColumns
from dimensions_site.db.postgresql.streaming import streamed_rows
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.history.changed_values import changes_json, counts
from dimensions_site.elements.reading.rendering import Renderer
from dimensions_site.elements.reading.selection import everything, selected_plan
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
) -> Generator[Difference]:
    """Yield the elements that differ and that match the filter on either side, in the order of their ids.

    One query and constant memory.
    """
    connection = connections[using]
    renderer, sides, parameters = _renderer(dimension), [], []
    for number, (side, rows) in enumerate(_versions(dimension, before, after)):
        columns = _columns(dimension, number) if side.matching is None else _filtered(dimension, number, side.matching)
        query = rows.using(using).order_by().values_list(columns.selected).query
        # Django knows of some sides that they have no rows.
        sql, values = query.get_compiler(connection=connection, elide_empty=False).as_sql()
        sides.append(sql)
        parameters += values
    sql = _differing(sides, len(renderer.expressions))
    with closing(streamed_rows(connection, sql, parameters)) as found:
        converted = (columns.convert(row, connection) for row in found)
        for id, rows_of_id in groupby(converted, itemgetter(0)):
            texts: dict[int, str] = {}
            is_wanted = False
            for _, number, is_matching, *row in rows_of_id:
                texts[number] = renderer.written(row)
                is_wanted = is_wanted or bool(is_matching)
            if is_wanted:
                old, new = (None if text is None else orjson.loads(text) for text in (texts.get(0), texts.get(1)))
                if old != new:  # equal values may be stored as different texts
                    yield Difference(id, old, new)


def _differing(sides: Sequence[str], count: int) -> str:
    """Return the query for the rows of both `sides` that have no equal on the other, by id and side.

    A row has an id, the number of its side, whether it matches the filter, and `count` values.
    """
    names = ["id", "side", "matches", *(f"value{number}" for number in range(count))]
    texts = [f"CAST({name} AS text)" for name in names[3:]]
    differ = " OR ".join(f"count({text}) = 1 OR min({text}) <> max({text})" for text in texts)
    rows = " UNION ALL ".join(f"SELECT * FROM ({sql}) AS one" for sql in sides)
    return (
        f"WITH both_sides ({', '.join(names)}) AS ({rows}) "
        "SELECT * FROM both_sides WHERE id IN "
        f"(SELECT id FROM both_sides GROUP BY id HAVING count(*) = 1 OR {differ}) ORDER BY 1, 2"
    )


def difference_json(dimension: Dimension, difference: Difference) -> str:
    """Return the JSON of the `difference`."""
    changes = changes_json(dimension, difference.before, difference.after)
    return f'{{"id":{json_text(difference.id)},"action":"{difference.action}","changes":{changes}}}'


@cache
def _renderer(dimension: Dimension) -> Renderer:
    """Return the renderer of the values that count as differences; none of them depends on a language."""
    wire = dimension.wire
    counting = {path.partition(".")[0] for path, place in wire.places.items() if counts(dimension, place)}
    paths = [path for path in everything(wire) if path.partition(".")[0] in counting]
    return Renderer(selected_plan(wire, paths, "en", as_stored=True))


@cache
def _columns(dimension: Dimension, side: int) -> CompiledColumns:
    """Return the columns of a row: the id, the number of its side, whether it matches the filter, and the values."""
    return _compiled(dimension, side, Value(1, IntegerField()))


def _filtered(dimension: Dimension, side: int, matching: QuerySet[Any]) -> CompiledColumns:
    return _compiled(dimension, side, Exists(matching.order_by().filter(pk=OuterRef("pk"))))


def _compiled(dimension: Dimension, side: int, matches: Any) -> CompiledColumns:
    values = [F("element_id"), Value(side, IntegerField()), matches, *_renderer(dimension).expressions]
    return CompiledColumns(dimension.model.version_model, values)


def _versions(dimension: Dimension, before: Side, after: Side) -> Iterator[tuple[Side, QuerySet[Any]]]:
    """Yield each side with the versions that its state had, at least of the elements that may differ."""
    ids = None
    if before.repository == after.repository:
        versions = dimension.model.versions_of(before.repository)
        written = written_in(versions, committed_between(before.state, after.state))
        ids = Among("element_id", written.order_by().values("element_id").distinct())
    for side in (before, after):
        versions = dimension.model.versions_of(side.repository)
        yield side, versions_at(versions if ids is None else versions.filter(ids), side.state)
