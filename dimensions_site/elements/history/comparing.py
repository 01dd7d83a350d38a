"""The differences between two states, of one repository or of two (contract J2)."""

from collections.abc import Generator, Iterator, Mapping, Sequence
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
    """An element that differs, as wire JSON without what names it; None on the side where there is no element.

    `number` is that of its version before, `names` what names it after besides its id: a currency's oid. It `is_within`
    a filter if it matches that on every side where it exists.
    """

    id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    number: int | None
    names: Mapping[str, Any]
    is_within: bool

    @property
    def action(self) -> str:
        """What led from `before` to `after`."""
        return "created" if self.before is None else "deleted" if self.after is None else "changed"


@dataclass(frozen=True)
class Rows:
    """One side of a comparison: at most one version of each element; `matching` as in `Side`."""

    versions: QuerySet[Any]
    matching: QuerySet[Any] | None = None


def differences(
    dimension: Dimension, before: Side, after: Side, *, using: str = DEFAULT_DB_ALIAS
) -> Generator[Difference]:
    """Yield the elements that differ and that match the filter on either side, in the order of their ids.

    One query and constant memory.
    """
    rows = [Rows(versions.using(using), side.matching) for side, versions in _versions(dimension, before, after)]
    return differing(dimension, *rows, are_many_equal=before.repository != after.repository)


def differing(
    dimension: Dimension, before: Rows, after: Rows, *, are_many_equal: bool = False
) -> Generator[Difference]:
    """Yield the elements that differ between the two sides, otherwise as `differences` does.

    If `are_many_equal`, the database leaves out equal ones.
    """
    connection = connections[before.versions.db]
    renderer, sides, parameters = _renderer(dimension), [], []
    for number, rows in enumerate((before, after)):
        columns = _columns(dimension, number) if rows.matching is None else _filtered(dimension, number, rows.matching)
        query = rows.versions.order_by().values_list(columns.selected).query
        # Django knows of some sides that they have no rows.
        sql, values = query.get_compiler(connection=connection, elide_empty=False).as_sql()
        sides.append(sql)
        parameters += values
    sql = _differing(sides, len(renderer.expressions)) if are_many_equal else _of_both(sides)
    with closing(streamed_rows(connection, sql, parameters)) as found:
        converted = (columns.convert(row, connection) for row in found)
        for id, rows_of_id in groupby(converted, itemgetter(0)):
            texts: dict[int, str] = {}
            numbers: dict[int, int] = {}
            matches = []
            for _, side, is_matching, number, *row in rows_of_id:
                texts[side], numbers[side] = renderer.written(row), number
                matches.append(bool(is_matching))
            if any(matches) and texts.get(0) != texts.get(1):
                found_one = _difference(dimension, id, texts, numbers.get(0), all(matches))
                if found_one.before != found_one.after:  # equal values may be stored as different texts
                    yield found_one


def _difference(
    dimension: Dimension, id: str, texts: Mapping[int, str], number: int | None, is_within: bool
) -> Difference:
    old, new = (None if text is None else orjson.loads(text) for text in (texts.get(0), texts.get(1)))
    names = {}
    for name in _other_names(dimension):
        if old is not None:
            del old[name]
        if new is not None:
            names[name] = new.pop(name)
    return Difference(id, old, new, number, names, is_within)


def _of_both(sides: Sequence[str]) -> str:
    """Return the query for the rows of both `sides`, by id and side."""
    return " UNION ALL ".join(f"SELECT * FROM ({sql}) AS one" for sql in sides) + " ORDER BY 1, 2"


def _differing(sides: Sequence[str], count: int) -> str:
    """Return the query for those rows of both `sides` that have no equal on the other, by id and side.

    A row has an id, the number of its side, whether it matches the filter, the number of its version, and `count`
    values. Comparing them costs the database as much as reading them, which pays where most elements are equal: those
    of two repositories.
    """
    values = [f"value{number}" for number in range(count)]
    names = ["id", "side", "matches", "number", *values]
    texts = [f"CAST({name} AS text)" for name in values]
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
    """Return the renderer of what names an element besides its id, and of the values that count as differences; none of
    them depends on a language.
    """
    wire = dimension.wire
    counting = {path.partition(".")[0] for path, place in wire.places.items() if counts(dimension, place)}
    counting.update(_other_names(dimension))
    paths = [path for path in everything(wire) if path.partition(".")[0] in counting]
    return Renderer(selected_plan(wire, paths, "en", as_stored=True))


def _other_names(dimension: Dimension) -> list[str]:
    return [name for column, name in dimension.model.unique_in_repository.items() if column != "element_id"]


@cache
def _columns(dimension: Dimension, side: int) -> CompiledColumns:
    """Return the columns of a row: the id, its side, whether it matches the filter, its version, and the values."""
    return _compiled(dimension, side, Value(1, IntegerField()))


def _filtered(dimension: Dimension, side: int, matching: QuerySet[Any]) -> CompiledColumns:
    return _compiled(dimension, side, Exists(matching.order_by().filter(pk=OuterRef("pk"))))


def _compiled(dimension: Dimension, side: int, matches: Any) -> CompiledColumns:
    values = [F("element_id"), Value(side, IntegerField()), matches, F("number"), *_renderer(dimension).expressions]
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
