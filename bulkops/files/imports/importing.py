"""Import elements from a file: one engine for every command and page.

A row is an element. It changes only the fields of the file's columns or members; an empty cell means "not set". Either
all rows are saved or none, unless rows with errors go to a separate file.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, BinaryIO, TypeAlias, cast

import orjson
from django.db import transaction
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bulkops.files.formats.rows import REASON, Source
from bulkops.files.formats.table import element_writer, table_writer
from bulkops.files.imports.options import Mode, Options
from bulkops.files.imports.reading import FileReader, PhaseProgress
from bulkops.files.imports.reports import ImportRefused, Phase, Record, Report, Sample
from bulkops.session.errors import Refused
from bulkops.session.session import OthersCreateTheSame, WriteSession
from dimensions_site.api.failures import Failure
from dimensions_site.api.json.reader import read_json
from dimensions_site.api.json.texts import exact_json
from dimensions_site.changes.placing import Actor
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.descriptions import preferred_texts
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.reading.statements import read_texts
from dimensions_site.elements.writing.differences import differences
from dimensions_site.elements.writing.locking import writing_many
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import grouped_number

# How many elements a report lists with their changes.
SAMPLES = 50
_UNKNOWN_REFERENCE = gettext_lazy(
    "{path} refers to the {dimension} '{id}', which is neither in the repository nor in this file; name one that is, "
    "or import without the strict check."
)
# A row with its errors.
_Rejected: TypeAlias = tuple[Record, Sequence[Failure]]


@dataclass
class Importer:
    """Imports one file into one dimension of a repository, on behalf of `actor`; used once.

    With the file `rejects`, rows with errors go there and the others are saved. An exception from `progress` ends the
    import without saving. `finish` is called with the report at the end of the saving transaction, not in a dry run.
    `advice` says how to allow more deletions than the maximum.
    """

    dimension: Dimension
    repository: Repository
    actor: Actor
    options: Options
    rejects: BinaryIO | None = None
    progress: PhaseProgress = lambda *_: None
    finish: Callable[[Report], None] = lambda _report: None
    advice: str = ""

    def __post_init__(self) -> None:
        # What is done with elements, as members of the report.
        self._effects: dict[str, Any] = {}
        # Why nothing can be saved, whatever the rows are.
        self._reason: str | None = None
        self._deletes_too_many = False

    def run(self, source: Source) -> Report:
        """Import all rows of `source` in one transaction; unchanged elements are not written.

        Other bulk writers of the repository wait, but not while the file is read. Raises `ImportRefused` if nothing is
        saved.
        """
        with ExitStack() as stack:
            self._file = FileReader(
                self.dimension,
                self.repository,
                self.options,
                stack,
                progress=self.progress,
                leaves_out=self.rejects is not None,
            )
            try:
                self._file.read(source)
                return self._save(source)
            except Refused:
                raise self._refused() from None
            except OthersCreateTheSame:
                self._reason = _("Others keep creating the same ids. Try again.")
                raise self._refused() from None

    def _save(self, source: Source) -> Report:
        mode, is_trial = self.options.mode, self.options.dry_run
        envelope = self._file.envelope()
        self._session = WriteSession(self.dimension, self.repository, self.actor, envelope, _UNKNOWN_REFERENCE)
        with self._session.staging():
            if is_trial:
                self._session.stage_dependent()  # without the lock: a check may take long
            with writing_many(self.repository, is_trial=is_trial):
                if not is_trial:
                    self._session.stage_dependent()
                if mode is Mode.SYNC and self._file.unreadable is None:
                    self._delete_absent()
                self._write()
                report = self._file.report(**self._effects)
                if self.rejects is not None and self._file.errors:
                    records, by_row = self._file.records, groupby(self._file.errors.in_order(), key=itemgetter(0))
                    rejected = ((records[position], [failure for _, failure in found]) for position, found in by_row)
                    _write_rejects(self.rejects, source, rejected)
                if is_trial:
                    transaction.set_rollback(True)
                else:
                    self.finish(report)
                return report

    def _delete_absent(self) -> None:
        """Delete stored elements that are not in the file, unless there are too many or the file is incomplete."""
        absent = self._session.writer.absent()
        count = absent.count()
        self._effects["deleted_texts"] = preferred_texts(absent, SAMPLES, self.repository.default_language)
        total = self.dimension.model.of(self.repository).count()
        if count and self._file.unnamed_line is not None:
            self._reason = self._file.unnamed_refusal
            return
        if self.options.max_delete.allows(count, total):
            deleted = self._session.writer.delete(absent, self.actor)
            count = len(deleted)
        else:
            self._deletes_too_many = True
            message = _(
                "{count} of the {total} stored ({share}) are not in the file and would be deleted; the limit "
                "is {maximum}. Check that the file is complete."
            )
            share = f"{number_format(100 * count / total, 1)}%"
            counts = {"count": grouped_number(count), "total": grouped_number(total), "share": share}
            self._reason = f"{message.format(maximum=self.options.max_delete, **counts)} {self.advice}".rstrip()
            deleted = list(absent.order_by("element_id").values_list("element_id", flat=True)[:SAMPLES])
        self._effects |= {"deleted": count, "deleted_ids": deleted[:SAMPLES]}

    def _write(self) -> None:
        self.progress(Phase.SAVING, 0, 0)
        self._session.write(self._look)
        after = self._stored()
        as_on_the_wire = not self.options.understands  # whoever reads labels in the file reads them here
        differ = partial(differences, self.dimension.wire, as_on_the_wire=as_on_the_wire)
        self._effects["samples"] = [
            Sample(self._file.records[position].line, id, differ(self._before.get(id), after[id]))
            for position, id in self._first
        ]
        self.progress(Phase.SAVING, 1, 0)

    def _look(self) -> None:
        """Look at what would be written. Raises `ImportRefused` if nothing can be saved, whatever the rows are."""
        self._effects |= self._session.writer.counts()._asdict()
        if self._reason is not None or self._file.unreadable is not None:
            raise self._refused()
        self._first = self._session.writer.first(SAMPLES)
        self._before = self._stored()

    def _stored(self) -> dict[str, Any]:
        stored = with_ids(self.dimension.model, self.repository, [id for _, id in self._first])
        renderer = full_renderer(self.dimension, self.repository.default_language)
        return {element["id"]: element for element in map(orjson.loads, read_texts(renderer, stored))}

    def _refused(self) -> ImportRefused:
        # Nothing was saved, so the counts are 0; but show how many would be deleted if that is too many.
        report = self._file.report(**self._effects if self._deletes_too_many else {})
        return ImportRefused(report, self._reason)


def _write_rejects(file: BinaryIO, source: Source, rejected: Iterator[_Rejected]) -> None:
    """Write the `rejected` rows of `source`, each with its errors, into the binary `file`, which stays open.

    It has the shape of the source, to be corrected and imported again. Raises OSError.
    """
    if source.headings is None:
        elements = element_writer(source.shape, file)
        for record, failures in rejected:
            element = cast(dict[str, Any], read_json(record.text))
            elements.text(exact_json({**element, REASON: _reason(failures)}).decode())
        elements.close()
    else:
        _write_table(file, source, source.headings, rejected)
    file.flush()


def _write_table(file: BinaryIO, source: Source, headings: Sequence[str], rejected: Iterator[_Rejected]) -> None:
    columns = headings if REASON in headings else [*headings, REASON]
    table = table_writer(source.shape, file)
    table.headings(source.found.written.get(heading, heading) for heading in columns)
    for record, failures in rejected:
        texts = record.cells
        if record.is_checkable and isinstance(texts, Mapping):
            cells = {**texts, REASON: _reason(failures)}
            table.row(cells[heading] for heading in columns)
        else:
            texts = list(texts.values()) if isinstance(texts, Mapping) else texts
            table.row(_unread(texts, len(columns), _reason(failures), is_noted=REASON in headings))
    table.close()


def _unread(cells: Sequence[str], width: int, reason: str, *, is_noted: bool) -> Sequence[str]:
    """Return the cells of an unreadable row, with the error behind all columns.

    So the row is rejected until it is corrected: under the headings, its cells could be misread. If the error
    `is_noted` already, because the row was rejected before, it is not added again.
    """
    behind = is_noted and any(cells[width:])
    return cells if behind else [*cells, *[""] * (width - len(cells)), reason]


def _reason(failures: Sequence[Failure]) -> str:
    """Return the errors of one row without line numbers, which differ in the file of rejected rows."""
    return " | ".join(f"{found.path}: {found.message}" if found.path else found.message for found in failures)
