"""Plans from files: rows become the elements of a snapshot or of merges (contract K4).

A row changes only the fields of the file's columns or members; an empty cell means "not set", as in an import.
"""

import re
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import IO, overload

import msgspec

from bulkops.files.columns import clear
from bulkops.files.formats.reading import Source
from bulkops.files.formats.rows import RowFailure
from bulkops.files.imports.options import Options
from bulkops.files.imports.reading import FileReader, Record, element_text
from bulkops.files.imports.reports import ImportRefused, Phase, Report
from bulkops.save.envelope import Envelope, Operation, SaveMode, operations
from bulkops.writers.disk_lists import DiskList
from bulkops.writers.errors import Errors, TooManyErrors
from dimensions_site.api.errors import MAX_FAILURES, Failure, Problem
from dimensions_site.api.failures import MAX_COUNTED, pointer_segments
from dimensions_site.elements.dimension import Dimension
from dimensions_site.repositories.models import Repository

# Rows between two progress reports.
_STEP = 200
# Forbids to make a plan of a file with errors, whose other rows are checked all the same.
_HAS_ERRORS = Failure("", "INVALID", "The file has errors.")
_ROW = re.compile(r"/([0-9]+)(/.*)?", re.DOTALL)

Progress = Callable[[Phase, float, int], None]


class PlannedFile:
    """A file of elements of a dimension, of which a plan is to be made; used once.

    `records` and `errors` are empty temporary files, so that a large file needs little memory. `progress` receives the
    phase, its completed share from 0 to 1, and the number of rows. Of the `options` those count that say how cells
    are read.
    """

    def __init__(
        self,
        dimension: Dimension,
        repository: Repository,
        records: IO[bytes],
        errors: IO[bytes],
        progress: Progress,
        options: Options | None = None,
    ) -> None:
        self._records = DiskList[Record](records)
        self._errors = Errors[RowFailure](errors)
        self._file = FileReader(dimension, repository, self._records, self._errors, options)
        self._progress = progress

    def read(
        self, source: Source, mapping: Mapping[str, str], save_mode: SaveMode, operation: str = "merge"
    ) -> Envelope:
        """Return the elements of `source`, to be merged or put; `mapping` is that of an import's options.

        Raises `ImportRefused` if no row can be checked. Errors in rows are in `refused`, together with those that the
        making of the plan finds.
        """
        try:
            has_meaning = self._file.read(source, mapping, partial(self._progress, Phase.READING))
        except TooManyErrors:
            raise self._refused([], self._errors.count, is_exact=False) from None
        if not has_meaning:
            raise self._refused([], self._errors.count)
        # A repeated row is an error already.
        rows = array("Q", (n for n, one in enumerate(self._records) if one.is_readable and not one.is_repeated))
        own = _Rows(operation, _Texts(self._records, rows, self._progress), 0, rows=rows, records=self._records)
        found = [own if one.name == operation else one for one in operations({operation: own.elements})]
        return Envelope(save_mode, found, [_HAS_ERRORS] if self._errors else [])

    def refused(self, problem: Problem) -> ImportRefused | None:
        """Return the errors of the file, each with its line and column; None if the `problem` is not about the file."""
        if problem.status_code != HTTPStatus.BAD_REQUEST:
            return None
        found: list[RowFailure] = []
        for failure in problem.failures:
            if failure == _HAS_ERRORS:
                continue
            row = _ROW.fullmatch(failure.path)
            if row is None:
                return None
            path = self._file.place_of(".".join(pointer_segments(row[2] or "")))
            line = self._records[int(row[1])].line
            found.append(RowFailure(line, Failure(path, failure.code, failure.message, failure.id)))
        count = problem.failure_count + self._errors.count - bool(self._errors)
        return self._refused(found, count, is_exact=problem.failure_count <= MAX_COUNTED)

    def _refused(self, found: Sequence[RowFailure], count: int, *, is_exact: bool = True) -> ImportRefused:
        failures = sorted([*self._errors.first(), *found], key=lambda one: one.line)[:MAX_FAILURES]
        return ImportRefused(Report(failures=failures, failure_count=count, is_count_exact=is_exact))


class _Texts(Sequence[msgspec.Raw]):
    """The JSON of the records at the positions `rows`."""

    def __init__(self, records: Sequence[Record], rows: "array[int]", progress: Progress) -> None:
        self._records = records
        self._rows = rows
        self._progress = progress

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, position: int) -> msgspec.Raw: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[msgspec.Raw]: ...
    def __getitem__(self, position: int | slice) -> msgspec.Raw | Sequence[msgspec.Raw]:
        if isinstance(position, slice):
            return [self[each] for each in range(*position.indices(len(self)))]
        if position % _STEP == 0:
            self._progress(Phase.CHECKING, position / max(len(self), 1), position)
        return msgspec.Raw(element_text(self._records[self._rows[position]].changes).encode())


@dataclass(frozen=True)
class _Rows(Operation):
    """Elements of the `records` at the positions `rows`, which are the places of their errors."""

    rows: "array[int]" = field(default_factory=lambda: array("Q"))
    records: Sequence[Record] = ()

    def pointer(self, position: int) -> str:
        return f"/{self.rows[position - self.first]}"

    def beneath(self, position: int, stored: str) -> str:
        cleared = self.records[self.rows[position - self.first]].cleared
        if not cleared:
            return stored
        element = msgspec.json.decode(stored)
        for segments in cleared:
            clear(element, segments)
        return msgspec.json.encode(element).decode()
