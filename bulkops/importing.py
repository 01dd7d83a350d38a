"""Importing elements from a table: one engine for every command and page that imports.

A row is an element. It changes only what the table has columns for; an empty cell means "not set". Either all
rows are saved or none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from django.db import IntegrityError, connection, transaction
from rest_framework.exceptions import ValidationError

from bulkops.columns import Column, conflicts, read_headings, texts_of, wire_json
from bulkops.tabular import Row, RowFailure, UnreadableFile
from dimensions_site.api.errors import Failure, flatten
from dimensions_site.elements.models import Element
from dimensions_site.elements.saving import Actor, already_there, assign, save
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.models import Repository

T = TypeVar("T")

# Rows that are looked up, checked and written together.
BATCH_ROWS = 500


class ImportRefused(Exception):
    """Nothing was saved; `failures` has every reason, in the order of the lines."""

    def __init__(self, failures: Iterable[RowFailure]) -> None:
        self.failures = sorted(failures, key=lambda failure: failure.line)
        super().__init__(f"{len(self.failures):,} faults")


@dataclass
class Report:
    """What an import did, in elements."""

    created: int = 0
    changed: int = 0
    unchanged: int = 0


class Importer:
    """Imports a table into one dimension (`model`, `wire`) of a repository, in the name of `actor`; used once."""

    def __init__(self, model: type[Element], wire: Wire, repository: Repository, actor: Actor) -> None:
        self._model = model
        self._wire = wire
        self._repository = repository
        self._actor = actor
        self._elements = model._base_manager.filter(repository=repository)
        self._context: dict[str, Any] = {"repository": repository}
        self._declaration = wire.serializer(context=self._context)
        self._columns: Sequence[Column] = ()
        # The line on which each unique value was seen, by field and value.
        self._seen: dict[tuple[str, str], int] = {}
        self._failures: list[RowFailure] = []
        self._report = Report()

    def run(self, rows: Iterable[Row | RowFailure]) -> Report:
        """Create and change the elements of all `rows` in one transaction; an unchanged element is not written.

        Raises `ImportRefused` with every fault, and saves nothing then.
        """
        with transaction.atomic():
            _wait_for_locks()
            # One import at a time in a repository: two that lock the same elements in different orders would wait
            # for each other for good.
            Repository.objects.select_for_update(no_key=True).get(pk=self._repository.pk)
            for batch in _batches(self._readable(rows), BATCH_ROWS):
                self._import(batch)
            if self._failures:
                raise ImportRefused(self._failures)
        return self._report

    def _readable(self, rows: Iterable[Row | RowFailure]) -> Iterator[Row]:
        try:
            for row in rows:
                if isinstance(row, RowFailure):
                    self._failures.append(row)
                    continue
                if not self._columns:
                    self._read_headings(row.cells)
                yield row
        except UnreadableFile as error:
            # The rows before it are checked all the same.
            self._failures.append(error.failure)

    def _read_headings(self, headings: Iterable[str]) -> None:
        self._columns, failures = read_headings(self._wire, headings, self._repository.default_language)
        if all(column.path != "id" for column in self._columns):
            failures.append(Failure("id", "REQUIRED", "A heading 'id' is needed: without it no element is named."))
        if failures:
            raise ImportRefused([*self._failures, *(RowFailure(1, failure) for failure in failures)])

    def _import(self, rows: list[Row]) -> None:
        texts = [texts_of(self._columns, row) for row in rows]
        found = self._elements.filter(element_id__in=[cells["id"] for cells in texts]).select_for_update()
        existing = {element.element_id: element for element in found}
        created: dict[int, Element] = {}
        changed: list[Element] = []
        unchanged = 0
        for row, cells in zip(rows, texts, strict=True):
            element = existing.get(cells["id"])
            is_repeated = self._is_repeated(row.line, cells)
            values = self._validated(row, element)
            if values is None or is_repeated:
                continue
            if element is None:
                created[row.line] = self._model(repository=self._repository, **values)
            elif assign(element, values):
                changed.append(element)
            else:
                unchanged += 1
        self._refuse_taken(created)
        if not self._failures:
            self._save(created, changed)
        self._report.created += len(created)
        self._report.changed += len(changed)
        self._report.unchanged += unchanged

    def _is_repeated(self, line: int, cells: Mapping[str, str]) -> bool:
        repeated = False
        for name in self._model.unique_in_repository.values():
            value = cells.get(name)
            if not value:
                continue
            first = self._seen.setdefault((name, value), line)
            if first != line:
                message = f"The {name} '{value}' stands on line {first} already."
                self._fail(line, Failure(name, "REPEATED", message))
                repeated = True
        return repeated

    def _validated(self, row: Row, existing: Element | None) -> dict[str, Any] | None:
        """The columns to store for the row, or None when it is faulty."""
        self._context["existing"] = existing
        current = {} if existing is None else self._declaration.to_representation(existing)
        data = wire_json(self._columns, row, current)
        failures = conflicts(self._columns, row)
        values = None
        try:
            values = self._declaration.validate_patch(current, data)
        except ValidationError as error:
            failures += flatten(error.detail)
        for failure in failures:
            self._fail(row.line, failure)
        return None if failures else values

    def _save(self, created: Mapping[int, Element], changed: list[Element]) -> None:
        try:
            with transaction.atomic():
                save(list(created.values()), changed, self._actor)
        except IntegrityError:
            # Somebody else has created one of them in between.
            self._refuse_taken(created)
            if not self._failures:
                raise

    def _refuse_taken(self, created: Mapping[int, Element]) -> None:
        """Report the new elements with a unique value that a stored element has."""
        taken: dict[str, set[Any]] = {}
        for column in self._model.unique_in_repository:
            values = [getattr(element, column) for element in created.values()]
            taken[column] = set(self._elements.filter(**{f"{column}__in": values}).values_list(column, flat=True))
        for line, element in created.items():
            if any(getattr(element, column) in values for column, values in taken.items()):
                for failure in already_there(element):
                    self._fail(line, failure)

    def _fail(self, line: int, failure: Failure) -> None:
        self._failures.append(RowFailure(line, failure))


def _wait_for_locks() -> None:
    """Let this transaction wait for others as long as it takes: an import has time, and would lose all its work."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")


def _batches(rows: Iterator[T], size: int) -> Iterator[list[T]]:
    while batch := list(islice(rows, size)):
        yield batch
