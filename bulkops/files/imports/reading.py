"""Read the whole file of an import or a plan, without a lock."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import reduce
from itertools import islice
from types import MappingProxyType
from typing import Any, cast

from django.utils.translation import gettext as _

from bulkops.files.columns import FileColumns, read_columns
from bulkops.files.formats.rows import REASON, ElementRow, FileRow, RowFailure, Source, UnreadableFile
from bulkops.files.imports.options import Mode, Options
from bulkops.files.imports.reports import Phase, Record, Report, details_of
from bulkops.files.understanding import Totals, Understanding
from bulkops.session.disk_lists import DiskList
from bulkops.session.errors import BEFORE_ALL, Errors
from bulkops.session.items import Doubt, Envelope, SaveMode, all_operations, value_in
from dimensions_site.api.errors import MAX_FAILURES, Failure
from dimensions_site.api.failures import pointer_segments, wire_path
from dimensions_site.api.json.texts import exact_json
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.writing.merging import Spot, put_field
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import shortened

# Rows between two progress reports.
_STEP = 1_000
# How many understood and unknown texts a report lists.
_LISTED = 50
_UNKNOWN = 200

# Receives the phase, its completed share from 0 to 1, and the number of its rows.
PhaseProgress = Callable[[Phase, float, int], None]


class FileReader:
    """Reads one file of elements of a dimension as the `options` of an import say; used once.

    What it reads is kept in temporary files, which are closed with the `stack`, so that a large file needs little
    memory. With `leaves_out`, rows with errors are left out of what is saved.
    """

    def __init__(
        self,
        dimension: Dimension,
        repository: Repository,
        options: Options,
        stack: ExitStack,
        *,
        progress: PhaseProgress = lambda *_: None,
        leaves_out: bool = False,
    ) -> None:
        self._unique = dimension.model.unique_in_repository
        self._wire = dimension.wire
        self._language = repository.default_language
        self._options = options
        self._progress = progress
        self.records = DiskList(stack, Record)
        self.errors = Errors(stack, leaves_out=leaves_out, place=self._place_of_pointer)
        self.understanding = Understanding(options.values) if options.understands else None
        self.totals = Totals()
        # None for JSON elements.
        self.columns: FileColumns | None = None
        # The row of the headings.
        self._first_line = 1
        # Why the file could not be read to its end.
        self.unreadable: RowFailure | None = None
        # How many values were computed by the program that saved the file.
        self.formulas = 0
        # The first line that does not name an element.
        self.unnamed_line: int | None = None

    def read(self, source: Source) -> None:
        """Read all rows of `source`. Raises `Refused` if the headings have errors, which makes every row meaningless,
        and for more errors than are counted.
        """
        self._read_headings(source)
        try:
            for row in source.rows():
                self._read_row(row)
                if len(self.records) % _STEP == 0:
                    self._progress(Phase.READING, source.progress(), len(self.records))
        except UnreadableFile as error:
            # The rows before it are validated all the same.
            self.unreadable = error.failure
            self.errors.add(len(self.records), [error.failure.failure])

    def envelope(self, operation: str = "") -> Envelope:
        """Return the rows that were read as those of the `operation`, by default the one that the mode means."""
        mode = self._options.mode
        rows = all_operations({operation or ("post" if mode is Mode.CREATE else "merge"): self.records})
        found = [replace(each, is_partial=True, must_exist=mode is Mode.UPDATE) for each in rows]
        save_mode: SaveMode = "STRICT" if self._options.strict else "LOOSE"
        return Envelope(
            save_mode,
            found,
            errors=self.errors,
            progress=lambda count: self._progress(Phase.CHECKING, count / len(self.records), count),
        )

    @property
    def unnamed_refusal(self) -> str:
        """The sentence that refuses to delete what the file does not have, if one of its lines names no element."""
        return _(
            "Line {line} has no id, so it is unknown which of those stored must stay. Correct the "
            "line, or import in another mode than sync."
        ).format(line=self.unnamed_line)

    def placed(self, position: int, failure: Failure) -> RowFailure:
        if position == BEFORE_ALL:
            return RowFailure(self._first_line, failure)
        if position < len(self.records):
            return RowFailure(self.records[position].line, failure)
        return cast(RowFailure, self.unreadable)

    def first_failures(self) -> list[RowFailure]:
        """Return the first errors, each with its line and column, up to the number that a response lists."""
        return [self.placed(*found) for found in islice(self.errors.in_order(), MAX_FAILURES)]

    def report(self, **effects: Any) -> Report:
        """Return the report of what was read and its errors, with the `effects` on elements."""
        errors, records, understanding = self.errors, self.records, self.understanding
        report = Report(
            failures=self.first_failures(),
            failure_count=errors.count,
            is_count_exact=errors.is_count_exact,
            formulas=self.formulas,
            rejected=sum(0 <= position < len(records) for position in errors.positions),
            **effects,
        )
        if understanding is not None:
            failures = ((position, self.placed(position, failure)) for position, failure in errors.in_order())
            report.kinds, report.rows = details_of(
                failures, lambda each: records[each] if 0 <= each < len(records) else None, self._options.mapping
            )
            report.understood, report.understood_count = understanding.most_frequent(_LISTED), understanding.count
            report.unknown = understanding.unknown_values(_UNKNOWN)
            report.totals, report.total_count = self.totals.first, self.totals.count
        return report

    def _place_of(self, path: str) -> str:
        return path if self.columns is None else self.columns.heading_of(path)

    def _place_of_pointer(self, pointer: str) -> str:
        """Return the file's name for the field at the JSON Pointer, after the operation and the position."""
        return self._place_of(reduce(wire_path, pointer_segments(pointer)[2:], ""))

    def _read_headings(self, source: Source) -> None:
        headings, mapping = source.headings, self._options.mapping
        failures: list[Failure] = []
        self._first_line = source.found.heading_row
        if headings is not None:
            made = None if self.understanding is None else self.understanding.column
            self.columns, failures = read_columns(
                self._wire, headings, self._language, mapping, made=made, written=source.found.written
            )
        elif mapping:
            message = _("This file has no headings that could be mapped. Leave the mapping out.")
            failures.append(Failure("", "UNKNOWN_HEADING", message))
        self.errors.add(BEFORE_ALL, failures)
        self.errors.refuse()

    def _read_row(self, row: FileRow | ElementRow | RowFailure) -> None:
        if isinstance(row, RowFailure):
            self._keep_unreadable(row.line, [row.failure], row.cells, row.element)
        elif isinstance(row, FileRow):
            self._read_cells(row, cast(FileColumns, self.columns))  # a table has headings
        else:
            element, text = row.element, row.text
            if REASON in element:
                element = {name: value for name, value in element.items() if name != REASON}
                text = exact_json(element)
            self._keep(Record(text=text, line=row.line), element, [])

    def _read_cells(self, row: FileRow, columns: FileColumns) -> None:
        if row.line in self._options.corrections:
            row = _corrected(row, self._options.corrections[row.line])
        row, failures = columns.settled(row)
        cells, of_id = row.cells, columns.heading_of("id")
        # A cell with an error has lost the id.
        may_be_total = self.understanding is not None and of_id not in row.errors
        if may_be_total and self.totals.note(row.line, cells, of_id) and self._options.without_totals:
            return
        self.formulas += columns.computed(row)
        if failures:
            self._keep_unreadable(row.line, failures, cells)
            return
        changes, cleared = columns.read(cells, row.numbers)
        filled = list(self._fill(changes))
        if self.understanding is not None:
            self.understanding.doubt_id(changes.get("id"), cells[of_id])
        record = Record(
            text=exact_json(changes),
            cleared=[] if self._options.keeps_empty_cells else cleared,
            doubts=filled if self.understanding is None else [*filled, *self.understanding.take_doubts()],
            line=row.line,
            cells=cells,
        )
        self._keep(record, changes, columns.conflicts(cells))

    def _fill(self, changes: dict[str, Any]) -> Iterator[Doubt]:
        """Set what the file has no column for in the wire JSON of a row; whatever is stored there stays."""
        for path, (leader, values) in self._options.filled.items():
            found = value_in(changes, tuple(leader.split("."))) if leader else ""
            value = values.get(found)
            if leader and found not in self._wire.places[leader].leaf.words:
                # The row has that error, and no second one.
                value = next(iter(values.values()), None)
            if value is not None:
                put_field(changes, Spot(path), value)
                yield Doubt(tuple(path.split(".")), (), gives_way=True)

    def _keep_unreadable(
        self,
        line: int,
        failures: Sequence[Failure],
        cells: Mapping[str, str] | Sequence[str],
        element: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        if self.unnamed_line is None:
            self.unnamed_line = line
        self._add(Record(text=exact_json(dict(element)), is_checkable=False, line=line, cells=cells), failures)

    def _keep(self, record: Record, changes: Mapping[str, Any], failures: Sequence[Failure]) -> None:
        id, position = changes.get("id"), len(self.records)
        if not isinstance(id, str) and self.unnamed_line is None:
            self.unnamed_line = record.line
        repetitions: list[Failure] = []
        for column, name in self._unique.items():
            value = changes.get(name)
            if not isinstance(value, str) or not value:
                continue
            first = self.errors.first_position(column, value, position)
            if first is None or first == position:
                continue
            message = _("The {name} '{value}' is on line {line} already; it must appear only once.").format(
                name=name, value=shortened(value), line=self.records[first].line
            )
            repetitions.append(Failure(self._place_of(name), "REPEATED", message))
            if name == "id" and not self._options.checks_repeated:
                record.is_checkable = False
        self._add(record, [*repetitions, *failures])

    def _add(self, record: Record, failures: Sequence[Failure]) -> None:
        position = len(self.records)
        self.records.append(record)
        for failure in failures:
            self.errors.add(position, [failure])


def _corrected(row: FileRow, corrections: Mapping[str, str]) -> FileRow:
    """Return the row with the corrected texts of its cells, which have no errors any more."""
    cells = {**row.cells, **{name: text for name, text in corrections.items() if name in row.cells}}
    errors, numbers = (
        {name: text for name, text in texts.items() if name not in corrections} for texts in (row.errors, row.numbers)
    )
    return FileRow(row.line, cells, errors, numbers, tuple(name for name in row.formulas if name not in corrections))
