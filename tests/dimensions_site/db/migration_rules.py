"""The rules of migrations: the release before keeps working on the tables of this one (contract P3).

They widen, and what they stop using goes one release later. design/deployment.md says so in words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.migrations import operations as known
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import NOT_PROVIDED

_DROPS = re.compile(r"^ALTER TABLE (?P<table>\w+) DROP COLUMN (?P<column>\w+)$|^DROP TABLE (?P<whole>\w+)$", re.I)
_NARROWS = re.compile(
    r"\b(DROP|RENAME|SET NOT NULL|TYPE|TRUNCATE|ADD CONSTRAINT|CREATE (UNIQUE )?INDEX(?! CONCURRENTLY))\b", re.I
)
_HARMLESS = (
    known.CreateModel,
    known.AlterModelOptions,
    known.AlterModelManagers,
    known.AlterModelTableComment,
    known.RemoveIndex,
    known.RemoveConstraint,
    known.RunPython,
    AddIndexConcurrently,
)


@dataclass
class Release:
    """The migrations of one release: its `number`, the tables that it makes, and what its code has stopped to use.

    `unused` has the release that stopped to use a column, or a table (with the column ""), for all releases so far.
    """

    number: int
    unused: dict[tuple[str, str], int] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)

    def complaints(self, app: str, operations: Sequence[Operation], state: ProjectState) -> Iterator[str]:
        """Yield a sentence for each operation that the release before would not survive; moves the `state` on."""
        for operation in operations:
            if isinstance(operation, known.SeparateDatabaseAndState):
                yield from self.complaints(app, operation.database_operations, state.clone())
                for one in operation.state_operations:
                    yield from self._of_state(app, one, state)
                    one.state_forwards(app, state)
                continue
            if isinstance(operation, known.CreateModel):
                self.made.add(operation.name_lower)
            elif isinstance(operation, known.RunSQL):
                yield from self._of_sql(str(operation.sql))
            elif getattr(operation, "model_name_lower", "") not in self.made:
                before = state.clone()
                operation.state_forwards(app, state)
                yield from _of_operation(app, operation, before, state)
                continue
            operation.state_forwards(app, state)

    def _of_state(self, app: str, operation: Operation, state: ProjectState) -> Iterator[str]:
        if isinstance(operation, known.RemoveField):
            model = state.apps.get_model(app, operation.model_name)
            removed: Any = model._meta.get_field(operation.name)
            self.unused[model._meta.db_table, removed.column] = self.number
            if not removed.null and removed.db_default is NOT_PROVIDED:
                yield f"{operation.describe()}: this release inserts rows without it, so it needs null or db_default"
        elif isinstance(operation, known.DeleteModel):
            self.unused[state.apps.get_model(app, operation.name)._meta.db_table, ""] = self.number

    def _of_sql(self, text: str) -> Iterator[str]:
        for statement in filter(None, map(str.strip, text.split(";"))):
            dropped = _DROPS.match(statement)
            if dropped is None:
                if _NARROWS.search(statement):
                    yield f"{statement}: it narrows, or locks a table for long"
                continue
            place = (dropped["whole"], "") if dropped["whole"] else (dropped["table"], dropped["column"])
            if self.unused.get(place, self.number) >= self.number:
                yield f"{statement}: the release before still uses it; stop to use it first, in the state alone"


def _of_operation(app: str, operation: Operation, before: ProjectState, after: ProjectState) -> Iterator[str]:
    """Yield what is wrong with an operation on a table that the release before has."""
    said = operation.describe()
    if isinstance(operation, known.AddField):
        added = operation.field
        if not (added.many_to_many or added.null or added.db_default is not NOT_PROVIDED):
            yield f"{said}: the release before inserts rows without it, so it needs null or db_default"
    elif isinstance(operation, known.AlterField):
        name = app, operation.model_name_lower
        fields = (state.models[name].fields[operation.name] for state in (before, after))
        if narrowed := _narrowed(*fields):
            yield f"{said}: {', '.join(narrowed)} narrows it; add another column instead"
    elif not isinstance(operation, _HARMLESS):
        yield f"{said}: the release before uses what it changes, or waits for it; see design/deployment.md"


def _narrowed(old: Any, new: Any) -> list[str]:
    """Return which attributes of the column take less than before, or are others."""
    (_, old_kind, _, had), (_, new_kind, _, has) = old.deconstruct(), new.deconstruct()
    if old_kind != new_kind:
        return ["its kind"]
    free = {*old.non_db_attrs, "default", "db_default"}
    changed = {name for name in {*had, *has} - free if had.get(name) != has.get(name)}
    if has.get("null"):
        changed.discard("null")
    if had.get("max_length", 0) < has.get("max_length", 0):
        changed.discard("max_length")
    if old.db_default is not NOT_PROVIDED and new.db_default is NOT_PROVIDED:
        changed.add("db_default")
    return sorted(changed)


def release_of(graph: MigrationGraph, node: tuple[str, str]) -> int:
    """Return the release that the migration belongs to: that of the newest number that it depends on, at least 1."""
    return max((int(name[:4]) for app, name in graph.forwards_plan(node) if app == "releases"), default=1)


def all_complaints(loader: MigrationLoader, apps: set[str]) -> list[str]:
    """Return what is wrong with the migrations of the `apps` that later releases than the first have added."""
    releases: dict[int, Release] = {}
    unused: dict[tuple[str, str], int] = {}
    later = [(release_of(loader.graph, node), node) for node in loader.disk_migrations if node[0] in apps]
    order = {node: place for place, node in enumerate(_all_in_order(loader.graph))}
    found: list[str] = []
    for number, node in sorted(later, key=lambda one: (one[0], order[one[1]])):
        if number == 1:
            continue
        release = releases.setdefault(number, Release(number, unused))
        migration = loader.disk_migrations[node]
        state = loader.project_state(node, at_end=False)
        found += [f"{node[0]}.{node[1]}: {said}" for said in release.complaints(node[0], migration.operations, state)]
    return found


def _all_in_order(graph: MigrationGraph) -> list[tuple[str, str]]:
    return list(dict.fromkeys(node for leaf in graph.leaf_nodes() for node in graph.forwards_plan(leaf)))
