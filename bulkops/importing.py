"""Importing elements from a file: one engine for every command and page that imports.

A row is an element. It changes only what the file has columns or members for; an empty cell means "not set". Either all
rows are saved or none, unless the faulty ones go to a file of their own.
"""

import sys
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from tempfile import TemporaryFile
from typing import Any

import orjson
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bulkops.formats.reading import Source
from bulkops.imports.entries import EntryMaker
from bulkops.imports.faults import RowFaults
from bulkops.imports.options import Mode, Options
from bulkops.imports.reading import FileReader, Record
from bulkops.imports.rejects import Rejected, RejectsWriter
from bulkops.imports.reports import ImportRefused, Phase, Report, Sample
from bulkops.imports.shelf import Shelf
from bulkops.references import References
from bulkops.writers.attempts import OthersCreateTheSame, plan_beside_others, write_planned
from bulkops.writers.choice import writer_for
from bulkops.writers.entry import Clash, Entry
from dimensions_site.api.errors import Failure
from dimensions_site.api.problems import shortened
from dimensions_site.elements.actors import Actor, Stamp
from dimensions_site.elements.decoding import RowDecoder
from dimensions_site.elements.differences import differences
from dimensions_site.elements.locking import writing_many
from dimensions_site.elements.lookup import with_ids
from dimensions_site.elements.models import Element
from dimensions_site.elements.rendering import full_renderer
from dimensions_site.elements.saving import already_there_message, delete
from dimensions_site.elements.wire import Wire
from dimensions_site.formats import grouped
from dimensions_site.repositories.models import Repository

# Rows that are looked up, checked and staged together.
BATCH_ROWS = 1_000
# Elements of a report that are told with what becomes of them.
SAMPLES = 50
# Elements that are deleted by one statement.
_DELETED_TOGETHER = 500
_UNKNOWN_REFERENCE = gettext_lazy(
    "{path} refers to the {dimension} '{id}', which is neither in the repository nor in this file; name one that is, "
    "or import without the strict check."
)


def _nothing(*_: object) -> None:
    """Nobody wants to know."""


class Importer:
    """Imports one file into one `dimension` (`model`, `wire`) of a repository, in the name of `actor`; used once.

    With `rejects`, faulty rows go there and the others are saved. `progress` is told the phase and the share of it that
    is done, from 0 to 1; what it raises ends the import, and nothing is saved. `finish` is called with the report in
    the transaction that saves, right before its end; not in a dry run. `advice` is added for people when more would be
    deleted than may be: how they allow it.
    """

    def __init__(
        self,
        model: type[Element],
        wire: Wire,
        dimension: str,
        repository: Repository,
        actor: Actor,
        options: Options,
        *,
        rejects: RejectsWriter | None = None,
        progress: Callable[[Phase, float], None] = _nothing,
        finish: Callable[[Report], None] = _nothing,
        advice: str = "",
    ) -> None:
        self._model = model
        self._wire = wire
        self._repository = repository
        self._actor = actor
        self._options = options
        self._rejects = rejects
        self._progress = progress
        self._finish = finish
        self._advice = advice
        self._decoder = RowDecoder(wire, repository)
        self._writer = writer_for(model, self._decoder.columns, repository)
        self._references = References(wire, self._decoder, dimension, repository, _UNKNOWN_REFERENCE)
        self._renderer = full_renderer(wire, repository.default_language)
        self._report = Report()
        # Why nothing can be saved, whatever the rows are.
        self._reason: str | None = None
        self._left_out: set[int] = set()
        # How many rows the phase has done that `progress` was told last.
        self.rows_done = 0

    def run(self, source: Source) -> Report:
        """Import all rows of `source` in one transaction; an element that stays as it is, is not written.

        Nobody waits while the file is read; then other writers of many elements of the repository do. Raises
        `ImportRefused`, and saves nothing then.
        """
        with TemporaryFile() as records, TemporaryFile() as faults:
            self._records = Shelf[Record](records)
            self._faults = RowFaults(faults)
            self._file = FileReader(self._model, self._wire, self._repository, self._records, self._faults)
            if not self._file.read(source, self._options.mapping, partial(self._tell, Phase.READING)):
                raise self._refused()
            with self._writer.staging(), writing_many(self._repository):
                self._stage()
                if self._options.mode is Mode.SYNC and self._file.is_complete:
                    self._delete_absent()
                self._write()
                self._write_rejects(source)
                if self._options.dry_run:
                    transaction.set_rollback(True)
                else:
                    self._finish(self._report)
        return self._report

    def _tell(self, phase: Phase, share: float, rows: int = 0) -> None:
        self.rows_done = rows
        self._progress(phase, share)

    def _stage(self) -> None:
        self._maker = EntryMaker(
            self._model,
            self._wire,
            self._repository,
            self._decoder,
            self._options.mode,
            self._file,
            self._faults,
        )
        faulty = self._faults.positions
        for start in range(0, len(self._records), BATCH_ROWS):
            self._tell(Phase.CHECKING, start / len(self._records), start)
            self._writer.stage(self._entries(range(start, min(start + BATCH_ROWS, len(self._records))), faulty))

    def _entries(self, positions: Iterable[int], faulty: Container[int]) -> list[Entry]:
        entries = self._maker.entries({position: self._records[position] for position in positions}, faulty)
        if self._options.strict:
            self._references.read(entries, lambda position: self._records[position].changes)
        return entries

    def _delete_absent(self) -> None:
        """Delete what is stored and not in the file, unless that would be too much, or not sure."""
        absent = self._writer.absent()
        count = absent.count()
        total = self._model._base_manager.filter(repository=self._repository).count()
        if count and self._file.unnamed_line is not None:
            self._reason = _(
                "Line {line} names no element, so it is not known which of those that are stored have to stay. Mend "
                "the line, or import in another mode than sync."
            ).format(line=self._file.unnamed_line)
        elif not self._options.max_delete.allows(count, total):
            message = _(
                "{count} of the {total} stored elements ({share}) are not in the file and would be deleted, and at "
                "most {maximum} may be. Check that the file is complete."
            )
            told = {"count": grouped(count), "total": grouped(total), "share": f"{count / total:.1%}"}
            self._reason = f"{message.format(maximum=self._options.max_delete, **told)} {self._advice}".rstrip()
        else:
            self._delete(list(absent.order_by("element_id").select_for_update().values_list("pk", "element_id")))

    def _delete(self, absent: Sequence[tuple[int, str]]) -> None:
        stamp = Stamp(self._actor)
        for start in range(0, len(absent), _DELETED_TOGETHER):
            keys = [key for key, _ in absent[start : start + _DELETED_TOGETHER]]
            self._report.deleted += delete(self._model._base_manager.filter(pk__in=keys), stamp)
        self._report.deleted_ids = [id for _, id in absent[:SAMPLES]]

    def _write(self) -> None:
        self._tell(Phase.SAVING, 0)
        try:
            write_planned(self._writer, self._plan, self._actor)
        except OthersCreateTheSame:
            self._reason = _("Others create elements of the same ids all the time. Try again.")
            raise self._refused() from None
        after = self._stored()
        self._report.samples = [
            Sample(self._records[position].line, id, differences(self._wire, self._before.get(id), after[id]))
            for position, id in self._first
        ]
        self._tell(Phase.SAVING, 1)

    def _plan(self) -> None:
        """Plan what to write, without the rows that have a fault."""
        self._writer.discard(list(self._left_out))
        while True:
            plan_beside_others(self._writer, self._late, lambda positions: self._entries(positions, ()))
            misfits = self._misfits()
            for position, failure in misfits:
                self._faults.add(position, self._records[position].line, failure)
            if self._reason or not self._file.is_complete or (self._faults and self._rejects is None):
                raise self._refused()
            if not misfits:
                break
            # Others may have referred to them.
            found = {position for position, _ in misfits}
            self._left_out |= found
            self._writer.discard(list(found))
        self._report.created, self._report.changed, self._report.unchanged = self._writer.counts()
        self._first = self._writer.first(SAMPLES)
        self._before = self._stored()

    def _late(self) -> list[int]:
        return [] if self._options.mode is Mode.CREATE else self._writer.taken()

    def _misfits(self) -> list[tuple[int, Failure]]:
        """What is wrong, by position, with rows that are right by themselves: beside what is stored, and each other."""
        count = len(self._records) * len(self._model.unique_in_repository)
        misfits = [(clash.position, self._taken(clash)) for clash in self._writer.clashes(count)[0]]
        if self._options.strict:
            if self._rejects is not None:
                self._references.leave_out({*self._faults.positions, *(position for position, _ in misfits)})
            misfits += self._references.unknown(lambda _, path: self._file.place_of(path), sys.maxsize)[0]
        return misfits

    def _taken(self, clash: Clash) -> Failure:
        name = self._model.unique_in_repository[clash.column]
        message = already_there_message(name, shortened(clash.value))
        return Failure(self._file.place_of(name), "ALREADY_EXISTS", message, shortened(clash.element_id))

    def _stored(self) -> dict[str, Any]:
        """The elements of the report's samples as they are stored now, by id."""
        stored = with_ids(self._model, self._repository, [id for _, id in self._first])
        elements = (orjson.loads(text) for text in self._renderer.each(stored))
        return {element["id"]: element for element in elements}

    def _write_rejects(self, source: Source) -> None:
        self._tell_faults()
        if self._rejects is not None and self._faults:
            self._rejects.write(source, self._rejected())

    def _rejected(self) -> Iterator[Rejected]:
        for position, faults in groupby(self._faults.in_order(), key=itemgetter(0)):
            yield self._records[position], [failure for _, failure in faults]

    def _refused(self) -> ImportRefused:
        self._tell_faults()
        # Nothing of what was counted has come to be.
        self._report = Report(
            rejected=self._report.rejected,
            failures=self._report.failures,
            failure_count=self._report.failure_count,
        )
        return ImportRefused(self._report, self._reason)

    def _tell_faults(self) -> None:
        self._report.failures = self._faults.first()
        self._report.failure_count = len(self._faults)
        self._report.rejected = sum(0 <= position < len(self._records) for position in self._faults.positions)
