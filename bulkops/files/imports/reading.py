"""The first half of an import: read the whole file, without a lock."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import msgspec
from django.utils.translation import gettext as _

from bulkops.files.columns import Column, Columns, Segments, read_headings
from bulkops.files.formats.reading import Source
from bulkops.files.formats.rows import REASON, ElementRow, Row, RowFailure, UnreadableFile
from bulkops.files.imports.options import Options
from bulkops.files.totals import Totals
from bulkops.files.understanding import Doubt, Understanding
from bulkops.writers.disk_lists import DiskList
from bulkops.writers.errors import BEFORE_ALL, Errors
from dimensions_site.api.errors import Failure
from dimensions_site.elements.dimension import Dimension
from dimensions_site.repositories.models import Repository
from dimensions_site.text.shortening import shortened

# Rows between two progress reports.
_STEP = 1_000
# How many understood and unknown texts a report lists.
_LISTED = 50
_UNKNOWN = 200

_encode = msgspec.json.Encoder(decimal_format="number").encode


def element_text(element: Mapping[str, Any]) -> str:
    """Return the JSON text of an element as it was in the file, valid or not."""
    try:
        return _encode(element).decode()
    except OverflowError:
        # An integer of more than 64 bits is invalid, but it was in the file.
        return json.dumps(element, ensure_ascii=False, default=str)


class Record(NamedTuple):
    """A row that waits to be saved, on its `line` of the file.

    `changes` is the wire JSON that it sets, `cleared` the places of its empty cells. `is_readable` is false if they are
    unknown, `is_repeated` is true if its id is on an earlier line. `cells` are those of a table by heading, or in their
    order if the row could not be read. `doubts` are about cells that depend on what is stored.
    """

    line: int
    changes: Mapping[str, Any]
    cleared: Sequence[Segments] = ()
    is_readable: bool = True
    is_repeated: bool = False
    cells: Mapping[str, str] | Sequence[str] = ()
    doubts: Sequence[Doubt] = ()

    @property
    def id(self) -> str | None:
        """The row's id, valid or not."""
        id = self.changes.get("id") if self.is_readable else None
        return id if isinstance(id, str) else None


class FileReader:
    """Reads one file of elements of a dimension into `records`, and its errors into `errors`.

    Of the import's `options`, it reads cells as they say.
    """

    def __init__(
        self,
        dimension: Dimension,
        repository: Repository,
        records: DiskList[Record],
        errors: Errors[RowFailure],
        options: Options | None = None,
    ) -> None:
        self._unique = list(dimension.model.unique_in_repository.values())
        self._wire = dimension.wire
        self._language = repository.default_language
        self._records = records
        self._errors = errors
        self.understanding = Understanding(options.values) if options is not None and options.understands else None
        self._corrections = {} if options is None else options.corrections
        self._keeps_empty_cells = options is not None and options.keeps_empty_cells
        self._without_totals = options is not None and options.without_totals
        self.totals = Totals()
        # Unique value -> the line of its first occurrence.
        self._seen: dict[str, dict[str, int]] = {name: {} for name in self._unique}
        # None for JSON elements.
        self.columns: Columns | None = None
        # Whether the file could be read to its end.
        self.is_complete = False
        # How many values were computed by the program that saved the file.
        self.formulas = 0
        # The first line that does not name an element.
        self.unnamed_line: int | None = None

    def read(self, source: Source, mapping: Mapping[str, str], progress: Callable[[float, int], None]) -> bool:
        """Read all rows of `source`; return False if the headings have errors, which makes every row meaningless.

        `mapping` is that of the import's options; `progress` receives the completed share and the number of rows.
        """
        if not self._read_headings(source, mapping):
            return False
        try:
            for row in source.rows():
                self._read_row(row)
                if len(self._records) % _STEP == 0:
                    progress(source.progress(), len(self._records))
        except UnreadableFile as error:
            # The rows before it are validated all the same.
            self._errors.add(len(self._records), [error.failure])
        else:
            self.is_complete = True
        return True

    @property
    def for_people(self) -> Mapping[str, Any]:
        """What a report says about the cells and rows of a file that a person checks."""
        if self.understanding is None:
            return {}
        return {
            "understood": self.understanding.most_frequent(_LISTED),
            "understood_count": self.understanding.count,
            "unknown": self.understanding.unknown_values(_UNKNOWN),
            "totals": self.totals.first,
            "total_count": self.totals.count,
        }

    def place_of(self, path: str) -> str:
        """Return the file's name for the field at the wire path."""
        return path if self.columns is None else self.columns.heading_of(path)

    def _read_headings(self, source: Source, mapping: Mapping[str, str]) -> bool:
        headings = source.headings
        failures: list[Failure] = []
        if headings is not None:
            made = Column.itself if self.understanding is None else self.understanding.column
            self.columns, failures = read_headings(
                self._wire, headings, self._language, mapping, made=made, written=source.found.written
            )
        elif mapping:
            message = _("The elements of this file have no headings that could be mapped. Leave the mapping out.")
            failures.append(Failure("", "UNKNOWN_HEADING", message))
        for failure in failures:
            self._errors.add(BEFORE_ALL, [RowFailure(source.found.heading_row, failure)])
        return not failures

    def _read_row(self, row: Row | ElementRow | RowFailure) -> None:
        if isinstance(row, RowFailure):
            self._keep(Record(row.line, row.element, is_readable=False, cells=row.cells), [row.failure])
        elif isinstance(row, Row):
            columns = cast(Columns, self.columns)  # a table has headings
            if row.line in self._corrections:
                row = _corrected(row, self._corrections[row.line])
            row, failures = columns.settled(row)
            cells = row.cells
            is_total = self.understanding is not None and self.totals.note(row.line, cells, columns.heading_of("id"))
            if is_total and self._without_totals:
                return
            self.formulas += columns.computed(row)
            if failures:
                self._keep(Record(row.line, {}, is_readable=False, cells=cells), failures)
                return
            changes, cleared = columns.read(cells, row.numbers)
            if self._keeps_empty_cells:
                cleared = []
            doubts = [] if self.understanding is None else self.understanding.take_doubts()
            self._keep_readable(
                Record(row.line, changes, cleared, cells=cells, doubts=doubts), columns.conflicts(cells)
            )
        else:
            changes = {name: value for name, value in row.element.items() if name != REASON}
            self._keep_readable(Record(row.line, changes), [])

    def _keep_readable(self, record: Record, failures: list[Failure]) -> None:
        repeated = {name: first for name in self._unique if (first := self._first_line(name, record)) is not None}
        repetitions = [
            Failure(
                self.place_of(name),
                "REPEATED",
                _("The {name} '{value}' is on line {line} already; it must appear only once.").format(
                    name=name, value=shortened(record.changes[name]), line=first
                ),
            )
            for name, first in repeated.items()
        ]
        self._keep(record._replace(is_repeated="id" in repeated), [*repetitions, *failures])

    def _first_line(self, name: str, record: Record) -> int | None:
        """Return the earlier line with the same value of the unique field `name`, if any."""
        value = record.changes.get(name)
        if not isinstance(value, str) or not value:
            return None
        first = self._seen[name].setdefault(value, record.line)
        return None if first == record.line else first

    def _keep(self, record: Record, failures: Sequence[Failure]) -> None:
        for failure in failures:
            self._errors.add(len(self._records), [RowFailure(record.line, failure)])
        if record.id is None and self.unnamed_line is None:
            self.unnamed_line = record.line
        self._records.append(record)


def _corrected(row: Row, corrections: Mapping[str, str]) -> Row:
    """Return the row with the corrected texts of its cells, which have no errors any more."""
    cells = {**row.cells, **{name: text for name, text in corrections.items() if name in row.cells}}
    errors, numbers = (
        {name: text for name, text in texts.items() if name not in corrections} for texts in (row.errors, row.numbers)
    )
    return Row(row.line, cells, errors, numbers, tuple(name for name in row.formulas if name not in corrections))
