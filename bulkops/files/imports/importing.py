"""Import elements from a file: one engine for every command and page.

A row is an element. It changes only the fields of the file's columns or members; an empty cell means "not set". Either
all rows are saved or none, unless rows with errors go to a separate file.
"""

import sys
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from tempfile import TemporaryFile
from typing import Any

import orjson
from django.db import transaction
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_stubs_ext import StrOrPromise

from bulkops.files.formats.reading import Source
from bulkops.files.formats.rows import RowFailure
from bulkops.files.imports.details import details_of
from bulkops.files.imports.entries import RecordReader
from bulkops.files.imports.options import Mode, Options
from bulkops.files.imports.reading import FileReader, Record
from bulkops.files.imports.rejects import Rejected, RejectsWriter
from bulkops.files.imports.reports import ImportRefused, Phase, Report, Sample
from bulkops.writers.attempts import OthersCreateTheSame, attempts, restage, writer_for
from bulkops.writers.disk_lists import DiskList
from bulkops.writers.entries import Clash, Entry
from bulkops.writers.errors import Errors, TooManyErrors
from bulkops.writers.references import References
from bulkops.writers.writer import Writer
from dimensions_site.api.errors import Failure
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.descriptions import preferred_texts
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.elements.writing.decoding import RowDecoder
from dimensions_site.elements.writing.differences import Difference, differences
from dimensions_site.elements.writing.locking import writing_many
from dimensions_site.elements.writing.saving import already_there_message
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import grouped
from dimensions_site.text.shortening import shortened

# Rows that are looked up, validated and staged together: this many of the largest elements take 50 MB.
BATCH_ROWS = 200
# How many elements a report lists with their changes.
SAMPLES = 50
# What a report says about the effect of an import.
_EFFECTS = ("created", "changed", "unchanged", "deleted", "samples", "deleted_ids", "deleted_texts")
_UNKNOWN_REFERENCE = gettext_lazy(
    "{path} refers to the {dimension} '{id}', which is neither in the repository nor in this file; name one that is, "
    "or import without the strict check."
)


def _nothing(*_: object) -> None:
    """Ignore the progress."""


class Importer:
    """Imports one file into one dimension of a repository, on behalf of `actor`; used once.

    With `rejects`, rows with errors go there and the others are saved. `progress` receives the phase and its completed
    share, from 0 to 1; an exception from it ends the import without saving. `finish` is called with the report at the
    end of the saving transaction, not in a dry run. `advice` says how to allow more deletions than the maximum.
    `turn` is the transaction of the save, if not that of `writing_many`; in it, `written` is called with the writer and
    the number of rows when they are written, in a dry run too. `unknown_reference` is the message of the strict check.
    """

    def __init__(
        self,
        dimension: Dimension,
        repository: Repository,
        actor: Actor,
        options: Options,
        *,
        rejects: RejectsWriter | None = None,
        progress: Callable[[Phase, float], None] = _nothing,
        finish: Callable[[Report], None] = _nothing,
        advice: str = "",
        turn: Callable[[], AbstractContextManager[None]] | None = None,
        written: Callable[[Writer, int], None] = _nothing,
        unknown_reference: StrOrPromise = _UNKNOWN_REFERENCE,
    ) -> None:
        self._dimension = dimension
        self._repository = repository
        self._actor = actor
        self._options = options
        self._rejects = rejects
        self._progress = progress
        self._finish = finish
        self._advice = advice
        self._turn = turn or partial(writing_many, repository, is_trial=options.dry_run)
        self._written = written
        self._decoder = RowDecoder(dimension.wire, repository)
        self._writer = writer_for(dimension.model, self._decoder.columns, repository)
        self._references = References(dimension, self._decoder, repository, unknown_reference)
        self._renderer = full_renderer(dimension, repository.default_language)
        self._report = Report()
        # Why nothing can be saved, whatever the rows are.
        self._reason: str | None = None
        self._deletes_too_many = False
        self._left_out: set[int] = set()
        # The number of rows of the phase at the last call of `progress`.
        self.rows_done = 0

    def run(self, source: Source) -> Report:
        """Import all rows of `source` in one transaction; unchanged elements are not written.

        Other bulk writers of the repository wait, but not while the file is read. Raises `ImportRefused` if nothing is
        saved.
        """
        with TemporaryFile() as records, TemporaryFile() as errors:
            self._records = DiskList[Record](records)
            self._errors = Errors[RowFailure](errors, leaves_out=self._rejects is not None)
            self._file = FileReader(self._dimension, self._repository, self._records, self._errors, self._options)
            try:
                self._import(source)
            except TooManyErrors:
                self._report.is_count_exact = False
                raise self._refused() from None
        return self._report

    def _import(self, source: Source) -> None:
        if not self._file.read(source, self._options.mapping, partial(self._report_progress, Phase.READING)):
            raise self._refused()
        with ExitStack() as stack:
            stack.enter_context(self._writer.staging())
            if self._options.dry_run:
                self._stage()  # without the lock: a check may take long
            stack.enter_context(self._turn())
            if not self._options.dry_run:
                self._stage()
            if self._options.mode is Mode.SYNC and self._file.is_complete:
                self._delete_absent()
            self._write()
            self._written(self._writer, len(self._records))
            self._write_rejects(source)
            if self._options.dry_run:
                transaction.set_rollback(True)
            else:
                self._finish(self._report)

    def _report_progress(self, phase: Phase, share: float, rows: int = 0) -> None:
        self.rows_done = rows
        self._progress(phase, share)

    def _stage(self) -> None:
        self._reader = RecordReader(
            self._dimension, self._repository, self._decoder, self._options, self._file, self._errors
        )
        invalid = self._errors.positions
        for start in range(0, len(self._records), BATCH_ROWS):
            self._report_progress(Phase.CHECKING, start / len(self._records), start)
            self._writer.stage(self._entries(range(start, min(start + BATCH_ROWS, len(self._records))), invalid))

    def _entries(self, positions: Iterable[int], invalid: Container[int]) -> list[Entry]:
        entries = self._reader.entries({position: self._records[position] for position in positions}, invalid)
        if self._options.strict:
            self._references.read(entries, lambda position: self._records[position].changes)
        return entries

    def _delete_absent(self) -> None:
        """Delete stored elements that are not in the file, unless there are too many or the file is incomplete."""
        absent = self._writer.absent()
        count = absent.count()
        self._report.deleted_texts = preferred_texts(absent, SAMPLES, self._repository.default_language)
        total = self._dimension.model.of(self._repository).count()
        if count and self._file.unnamed_line is not None:
            self._reason = _(
                "Line {line} names no element, so it is unknown which of the stored elements must stay. Correct the "
                "line, or import in another mode than sync."
            ).format(line=self._file.unnamed_line)
        elif not self._options.max_delete.allows(count, total):
            message = _(
                "{count} of the {total} stored elements ({share}) are not in the file and would be deleted; the limit "
                "is {maximum}. Check that the file is complete."
            )
            share = f"{number_format(100 * count / total, 1)}%"
            counts = {"count": grouped(count), "total": grouped(total), "share": share}
            self._reason = f"{message.format(maximum=self._options.max_delete, **counts)} {self._advice}".rstrip()
            self._deletes_too_many = True
            self._report.deleted = count
            self._report.deleted_ids = list(
                absent.order_by("element_id").values_list("element_id", flat=True)[:SAMPLES]
            )
        else:
            deleted = self._writer.delete(absent, self._actor)
            self._report.deleted = len(deleted)
            self._report.deleted_ids = deleted[:SAMPLES]

    def _write(self) -> None:
        self._report_progress(Phase.SAVING, 0)
        try:
            for attempt in attempts(self._writer, self._actor):
                with attempt:
                    self._plan()
        except OthersCreateTheSame:
            self._reason = _("Others keep creating elements with the same ids. Try again.")
            raise self._refused() from None
        after = self._stored()
        self._report.samples = [
            Sample(self._records[position].line, id, self._differences(id, after[id])) for position, id in self._first
        ]
        self._report_progress(Phase.SAVING, 1)

    def _differences(self, id: str, after: Any) -> list[Difference]:
        # Whoever reads labels in the file reads them here.
        as_on_the_wire = not self._options.understands
        return differences(self._dimension.wire, self._before.get(id), after, as_on_the_wire=as_on_the_wire)

    def _plan(self) -> None:
        """Plan the writes, without the rows that have errors."""
        self._writer.discard(list(self._left_out))
        while True:
            self._writer.plan()
            while positions := self._late():
                restage(self._writer, positions, lambda part: self._entries(part, ()))
            misfits = self._misfits()
            for position, failure in misfits:
                self._errors.add(position, [RowFailure(self._records[position].line, failure)])
            if self._reason or not self._file.is_complete or (self._errors and self._rejects is None):
                self._count()
                raise self._refused()
            if not misfits:
                break
            # Other rows may have referred to them.
            found = {position for position, _ in misfits}
            self._left_out |= found
            self._writer.discard(list(found))
        self._count()
        self._first = self._writer.first(SAMPLES)
        self._before = self._stored()

    def _count(self) -> None:
        self._report.created, self._report.changed, self._report.unchanged = self._writer.counts()

    def _late(self) -> list[int]:
        return [] if self._options.mode is Mode.CREATE else self._writer.taken()

    def _misfits(self) -> list[tuple[int, Failure]]:
        """Return the errors, by position, of rows that are valid by themselves but conflict with stored elements or
        each other.
        """
        count = len(self._records) * len(self._dimension.model.unique_in_repository)
        misfits = [(clash.position, self._taken(clash)) for clash in self._writer.clashes(count)[0]]
        if self._options.strict:
            if self._rejects is not None:
                self._references.leave_out({*self._errors.positions, *(position for position, _ in misfits)})
            misfits += self._references.unknown(lambda _, path: self._file.place_of(path), sys.maxsize)[0]
        return misfits

    def _taken(self, clash: Clash) -> Failure:
        name = self._dimension.model.unique_in_repository[clash.column]
        message = already_there_message(name, shortened(clash.value))
        return Failure(self._file.place_of(name), "ALREADY_EXISTS", message, shortened(clash.element_id))

    def _stored(self) -> dict[str, Any]:
        """Return the current JSON of the report's sample elements, by id."""
        stored = with_ids(self._dimension.model, self._repository, [id for _, id in self._first])
        elements = (orjson.loads(text) for text in self._renderer.each(stored))
        return {element["id"]: element for element in elements}

    def _write_rejects(self, source: Source) -> None:
        self._report_errors()
        if self._rejects is not None and self._errors:
            self._rejects.write(source, self._rejected())

    def _rejected(self) -> Iterator[Rejected]:
        for position, found in groupby(self._errors.in_order(), key=itemgetter(0)):
            yield self._records[position], [failure for _, failure in found]

    def _refused(self) -> ImportRefused:
        self._report_errors()
        # Nothing was saved, so the counts are 0; but show how many would be deleted if that is too many.
        if not self._deletes_too_many:
            nothing = Report()
            self._report = replace(self._report, **{name: getattr(nothing, name) for name in _EFFECTS})
        return ImportRefused(self._report, self._reason)

    def _report_errors(self) -> None:
        self._report.failures = self._errors.first()
        self._report.failure_count = self._errors.count
        self._report.formulas = self._file.formulas
        self._report.rejected = sum(0 <= position < len(self._records) for position in self._errors.positions)
        if self._file.understanding is not None:
            self._report.details = details_of(self._errors.in_order(), self._record)
            self._report = replace(self._report, **self._file.for_people)

    def _record(self, position: int) -> Record | None:
        return self._records[position] if 0 <= position < len(self._records) else None
