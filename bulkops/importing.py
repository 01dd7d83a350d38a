"""Importing elements from a table: one engine for every command and page that imports.

A row is an element; a heading is a wire path in any spelling, or an entry of a map such as `descriptions.de`.
A row changes only what the table has headings for; an empty cell means "not set". Either all rows are saved
or none.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from rest_framework.exceptions import ValidationError

from bulkops.tabular import Row, RowFailure, UnreadableFile
from dimensions_site.api.errors import Failure, flatten
from dimensions_site.elements.models import Element
from dimensions_site.elements.saving import Actor, already_there, assign, save
from dimensions_site.elements.selection import unknown_field
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.models import Repository

T = TypeVar("T")

# Rows that are looked up, checked and written together.
BATCH_ROWS = 500


class ImportRefused(Exception):
    """Nothing was saved; `failures` has every reason, in the order of the lines."""

    def __init__(self, failures: list[RowFailure]) -> None:
        super().__init__(f"{len(failures):,} faults")
        self.failures = failures


@dataclass
class Report:
    """What an import did, in elements."""

    created: int = 0
    changed: int = 0
    unchanged: int = 0


class Importer:
    """Imports tables into one dimension (`model`, `wire`) of a repository, in the name of `actor`."""

    def __init__(self, model: type[Element], wire: Wire, repository: Repository, actor: Actor) -> None:
        self._model = model
        self._wire = wire
        self._repository = repository
        self._actor = actor
        self._context: dict[str, Any] = {"repository": repository}
        self._declaration = wire.serializer(context=self._context)
        # The line on which each unique value was seen, by column and value.
        self._seen: dict[tuple[str, Any], int] = {}
        self._failures: list[RowFailure] = []
        self._report = Report()

    def run(self, rows: Iterable[Row | RowFailure]) -> Report:
        """Create and change the elements of all `rows` in one transaction; an unchanged element is not written.

        Raises `ImportRefused` with every fault, and saves nothing then.
        """
        try:
            with transaction.atomic():
                for batch in _batches(self._readable(rows), BATCH_ROWS):
                    self._import(batch)
                if self._failures:
                    raise ImportRefused(self._failures)
        except UnreadableFile as error:
            raise ImportRefused([*self._failures, error.failure]) from None
        return self._report

    def _readable(self, rows: Iterable[Row | RowFailure]) -> Iterator[Row]:
        headings: Mapping[str, str] | None = None
        for row in rows:
            if isinstance(row, RowFailure):
                self._failures.append(row)
                continue
            if headings is None:
                headings = self._headings(row.cells)
            yield Row(row.line, {headings[heading]: text for heading, text in row.cells.items()})

    def _headings(self, cells: Iterable[str]) -> dict[str, str]:
        """The wire path of each heading."""
        headings: dict[str, str] = {}
        for heading in cells:
            path = self._wire.canonical_path(heading.strip())
            entry = self._wire.find_entry(path)
            known = path in self._wire.places or (entry is not None and entry[0].leaf.has_key(entry[1]))
            if not known:
                self._fail(1, Failure(heading, "UNKNOWN_FIELD", unknown_field(self._wire, heading)))
            elif path in headings.values():
                message = f"The heading '{heading}' is another spelling of '{path}', which is there too."
                self._fail(1, Failure(heading, "CONFLICTING_SPELLINGS", message))
            headings[heading] = path
        if "id" not in headings.values():
            self._fail(1, Failure("id", "REQUIRED", "A heading 'id' is needed: without it no element is named."))
        if self._failures:
            raise ImportRefused(self._failures)
        return headings

    def _import(self, rows: list[Row]) -> None:
        ids = [row.cells["id"] for row in rows]
        elements = self._model._base_manager.filter(repository=self._repository, element_id__in=ids)
        existing = {element.element_id: element for element in elements.select_for_update()}
        created: dict[int, Element] = {}
        changed: list[Element] = []
        for row in rows:
            element = existing.get(row.cells["id"])
            values = self._validated(row, element)
            if values is None or self._is_repeated(row.line, values):
                continue
            if element is None:
                created[row.line] = self._model(repository=self._repository, **values)
            elif assign(element, values):
                changed.append(element)
            else:
                self._report.unchanged += 1
        if not self._failures:
            self._save(created, changed)
        self._report.created += len(created)
        self._report.changed += len(changed)

    def _validated(self, row: Row, existing: Element | None) -> dict[str, Any] | None:
        """The columns to store for the row, or None when it is faulty."""
        self._context["existing"] = existing
        current = {} if existing is None else self._declaration.to_representation(existing)
        data: dict[str, Any] = {}
        for path, text in row.cells.items():
            place, key = self._wire.find_entry(path) or (self._wire.places[path], None)
            segments = path.split(".") if key is None else [place.path, key]
            if text == "":
                _remove(current, segments)
            else:
                _insert(data, segments, place.leaf.from_cell(text) if key is None else text)
        try:
            return self._declaration.validate_patch(current, data)
        except ValidationError as error:
            for failure in flatten(error.detail):
                self._fail(row.line, failure)
            return None

    def _is_repeated(self, line: int, values: Mapping[str, Any]) -> bool:
        repeated = False
        for column, name in self._model.unique_in_repository.items():
            first = self._seen.setdefault((column, values[column]), line)
            if first != line:
                message = f"The {name} '{values[column]}' stands on line {first} already."
                self._fail(line, Failure(name, "REPEATED", message))
                repeated = True
        return repeated

    def _save(self, created: Mapping[int, Element], changed: list[Element]) -> None:
        try:
            save(list(created.values()), changed, self._actor)
        except IntegrityError:
            for line, element in created.items():
                for failure in already_there(element):
                    self._fail(line, failure)
            if not self._failures:
                raise

    def _fail(self, line: int, failure: Failure) -> None:
        self._failures.append(RowFailure(line, failure))


def _insert(data: dict[str, Any], segments: list[str], value: Any) -> None:
    *groups, name = segments
    for group in groups:
        data = data.setdefault(group, {})
    data[name] = value


def _remove(data: Any, segments: list[str]) -> None:
    *groups, name = segments
    for group in groups:
        data = data.get(group) if isinstance(data, dict) else None
    if isinstance(data, dict):
        data.pop(name, None)


def _batches(rows: Iterator[T], size: int) -> Iterator[list[T]]:
    while batch := list(islice(rows, size)):
        yield batch
