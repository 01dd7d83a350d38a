"""Checking a table: what would be saved, as a plan, or the errors and conflicts at their cells (contract C16, K4)."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import msgspec
import orjson
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from bulkops.models import Plan
from bulkops.plans.planning import plan_of_patches
from bulkops.plans.stored import changes_of
from dimensions_site.administration.elements.references import Descriptions
from dimensions_site.administration.proposals import problem_words
from dimensions_site.administration.table.columns import SentRow, cell_text, spot_of, typed_value
from dimensions_site.administration.table.table import CellConflict, Checked, EditedTable, TableCell
from dimensions_site.api.errors import Failure, Problem
from dimensions_site.api.failures import pointer_segments
from dimensions_site.elements.declaration.labels import AmbiguousText
from dimensions_site.elements.declaration.wire import NamedField
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.reading.statements import read_texts
from dimensions_site.elements.writing.merging import Spot, put_field, three_way_merge
from dimensions_site.text.formats import shortened


@dataclass(frozen=True)
class TableCheck:
    """Checks what was typed in the `table`, on behalf of `user`.

    The description of a reference follows an id that was typed, unless it was typed, too: it is one of `descriptions`.
    A new element has the values that `begun` adds, as in its form.
    """

    table: EditedTable
    user: User
    descriptions: Descriptions
    begun: Callable[[Mapping[str, Any]], Mapping[str, Any]]

    def run(self) -> Checked:
        """Return the result: with a plan only without conflicts, which is kept only if it changes something."""
        checked = Checked(descriptions=self.descriptions)
        edited, numbers = self.table.typed, self.table.numbers
        checked.errors = [*self._unnamed(edited, numbers), *self._ambiguous(edited)]
        checked.error_count = len(checked.errors)
        if checked.errors:
            return checked
        self._compare([row for row in edited if not row.is_new and row.base != numbers[row.id]], numbers, checked)
        if checked.conflicts or not edited:
            return checked
        try:
            plan = self._plan(edited)
        except Problem as problem:
            if problem.status_code == HTTPStatus.BAD_REQUEST:
                self._place(problem.failures, {row.id for row in edited if row.is_new}, checked)
                checked.error_count = problem.failure_count
            else:
                checked.problems = problem_words(problem)
            return checked
        bases = dict(changes_of(plan).values_list("element_id", "base"))
        if any(id in numbers and number != numbers[id] for id, number in bases.items()):
            plan.delete()
            checked.problems = [_("Others are saving the same right now. Check again.")]
        elif plan.changed or plan.created:
            checked.plan = plan
        else:
            plan.delete()
        return checked

    def _compare(self, rows: Sequence[SentRow], numbers: Mapping[str, int], checked: Checked) -> None:
        """Add to `checked` what others have changed in the `rows` since the page read them. Two queries, if any."""
        if not rows:
            return
        repository, model = self.table.repository, self.table.dimension.model
        stored = self._elements(with_ids(model, repository, [row.id for row in rows]))
        bases = self._elements(model.versions_of(repository).filter(number__in=[row.base for row in rows]))
        shown = {spot_of(column): column for column in self.table.columns.values()}
        for row in rows:
            theirs, base = stored.get(row.id), bases.get(row.id)
            if theirs is None:
                continue
            mine = deepcopy(theirs if base is None else base)
            for column, value in self._typed(row):
                put_field(mine, spot_of(column), value)
            merge = three_way_merge(self.table.dimension.wire, base, mine, theirs)
            checked.taken += (TableCell(row.id, shown[spot]) for spot in merge.taken if spot in shown)
            for conflict in merge.conflicts:
                column = shown[conflict.spot]
                if row.kept.get(column.path) == numbers[row.id]:
                    continue
                begun_text, their_text = (cell_text(column, value) for value in (conflict.base, conflict.theirs))
                cell, mine_text = TableCell(row.id, column), row.typed[column.path]
                checked.conflicts.append(CellConflict(cell, numbers[row.id], begun_text, their_text, mine_text))

    def _elements(self, rows: QuerySet[Any]) -> Mapping[str, dict[str, Any]]:
        """Return the wire JSON of the elements or versions `rows` by id; one query."""
        renderer = full_renderer(self.table.dimension, self.table.repository.default_language)
        return {element["id"]: element for element in map(orjson.loads, read_texts(renderer, rows))}

    def _plan(self, rows: Sequence[SentRow]) -> Plan:
        """Return the plan of the changes. Raises `Problem` as `make_plan` does."""
        patches = {row.id: _json({"key": {"id": row.id}, "data": self._patch(row)}) for row in rows if not row.is_new}
        posts = {row.id: _json({**self._patch(row), "id": row.id}) for row in rows if row.is_new}
        dimension, repository, digest = self.table.dimension, self.table.repository, self.table.sent.digest
        return plan_of_patches(
            dimension, repository, self.user, [*patches.values()], [*patches], posts=posts, table_digest=digest
        )

    def _patch(self, row: SentRow) -> dict[str, Any]:
        patch: dict[str, Any] = {}
        if row.is_new:
            begun = self.begun({column.path: value for column, value in self._typed(row)})
            for path in begun.keys() - row.typed.keys():
                put_field(patch, Spot(path), begun[path])
        for column, value in self._typed(row):
            put_field(patch, spot_of(column), value)
            words = self.table.dimension.wire.described.get(column.place.path)
            if words is not None and words.path not in row.typed:
                named = (column.place.leaf.refers_to, value or "")
                put_field(patch, Spot(words.path), self.descriptions.get(named) or None)
        return patch

    def _typed(self, row: SentRow) -> Iterator[tuple[NamedField, Any]]:
        for name, text in row.typed.items():
            column = self.table.columns[name]
            yield column, typed_value(column, text)

    def _unnamed(self, rows: Iterable[SentRow], stored: Iterable[str]) -> Iterator[TableCell]:
        """Yield an error for each new row without an id, or with one that another row has."""
        met = set(stored)
        for row in rows:
            if row.is_new and (not row.id or row.id in met):
                twice = _("%(key)s is there twice; keep one of the two.") % {"key": shortened(row.id)}
                yield TableCell(row.id, None, twice if row.id else _("Enter an id."))
            met.add(row.id)

    def _ambiguous(self, rows: Iterable[SentRow]) -> Iterator[TableCell]:
        for row in rows:
            for name, text in row.typed.items():
                try:
                    typed_value(self.table.columns[name], text)
                except AmbiguousText as error:
                    yield TableCell(row.id, self.table.columns[name], str(error))

    def _place(self, failures: Sequence[Failure], new: Collection[str], checked: Checked) -> None:
        """Add the errors of rows, such as `/EUR/data/oid`, at their cells, or at the row if they concern no cell."""
        for failure in failures:
            if not failure.path:
                checked.problems.append(failure.message)
                continue
            id, *segments = pointer_segments(failure.path)
            path = ".".join(segments if id in new else segments[1:])
            within = (column for name, column in self.table.columns.items() if path and name.startswith(f"{path}."))
            column = self.table.columns.get(path) or next(within, None)
            checked.errors.append(TableCell(id, column, failure.message))


def _json(value: Any) -> msgspec.Raw:
    return msgspec.Raw(orjson.dumps(value))
