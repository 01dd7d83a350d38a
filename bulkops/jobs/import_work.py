"""What a worker does for an import: the check of a file, then the import, or a plan (contract C12, C18, G2, O4)."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from http import HTTPStatus
from tempfile import TemporaryFile
from typing import BinaryIO
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext, gettext_lazy, override

from bulkops.files.formats.rows import Source, UnreadableFile
from bulkops.files.imports.importing import Importer
from bulkops.files.imports.options import Mode, Options, Share
from bulkops.files.imports.reading import FileReader
from bulkops.files.imports.reports import ImportRefused, Report, stored_report
from bulkops.files.outside.previews import with_columns
from bulkops.files.outside.reading import Limits, source_of_copy, source_outside
from bulkops.jobs import file_imports, uploads
from bulkops.jobs.claims import Claim, attempt, may_go_on
from bulkops.jobs.file_imports import Choices
from bulkops.jobs.heartbeat import ImportHeartbeat, Interrupted
from bulkops.models import FileImport, FileImportPiece, ImportStatus, Plan
from bulkops.plans.planning import make_plan
from bulkops.plans.requests import PlanRequest
from bulkops.session.errors import Refused
from dimensions_site.api.errors import Problem
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor, ApprovalRequired
from dimensions_site.elements.declaration.labels import labels_in_messages
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.repositories.models import Role

log = structlog.get_logger(__name__)

_SINCE_THE_CHECK = gettext_lazy(
    "Nothing was imported: the repository has changed since the check. The current errors are listed below. "
    "Correct the file and upload it again, or check it once more."
)


def run(claim: Claim[FileImport]) -> None:
    """Check or import the file of the claimed import, from its beginning; one transaction does all of it or nothing.

    Errors are logged, and shown on the page of the import if no attempt is left.
    """
    with attempt(claim, "import_interrupted") as file_import:
        if file_import is None:
            return
        log.info("import_begun", oid=claim.oid, step=file_import.status)
        language = override(Choices.of(file_import).language)
        with ImportHeartbeat(claim.oid, claim.held) as beating, language, labels_in_messages():
            _Work(claim, file_import, beating).do()
        log.info("import_ended", oid=claim.oid, step=file_import.status)


class _Work:
    def __init__(self, claim: Claim[FileImport], file_import: FileImport, heartbeat: ImportHeartbeat) -> None:
        self._claim = claim
        self._file_import = file_import
        self._heartbeat = heartbeat
        self._choices = Choices.of(file_import)
        self._is_check = file_import.status == ImportStatus.CHECKING
        # A check writes nothing, and may be followed by a proposal.
        self._role = Role.PROPOSER if self._is_check else self._choices.role

    def do(self) -> None:
        """Check or import, if the requester is still allowed to, with messages in the language that was chosen."""
        if not may_go_on(self._file_import, self._role):
            self._refuse()
            return
        with TemporaryFile() as rows, TemporaryFile() as rejects:
            try:
                report = self._run(rows, rejects)
            except ImportRefused as refusal:
                self._hand_back(refusal.report, rejects, str(refusal))
            except ApprovalRequired as refusal:
                self._hand_back(Report(), rejects, str(refusal.detail))
            except UnreadableFile as error:
                failures = [error.failure]
                self._hand_back(Report(failures=failures, failure_count=1), rejects, str(error))
            else:
                if self._is_check:
                    self._hand_back(report, rejects, rows=rows)

    def _refuse(self) -> None:
        message = gettext(
            "Nothing was imported: {who} may no longer do this. It needs the role {role} for the {dimension} dimension "
            "of repository '{repository}'."
        )
        error = message.format(
            who=self._file_import.requester,
            role=self._role.label,
            dimension=self._file_import.get_dimension_display(),
            repository=self._file_import.repository.db_id,
        )
        with transaction.atomic():
            self._hold()
            file_imports.end(self._file_import, ImportStatus.FAILED, error)

    @contextmanager
    def _source(self, rows: BinaryIO) -> Iterator[Source]:
        """Yield the rows as the check has read them, or else read the file, which also writes them to `rows`."""
        parts = FileImportPiece.File
        if not self._is_check and self._file_import.pieces.filter(file=parts.ROWS).exists():
            with uploads.copy_to_file(self._file_import, parts.ROWS) as copy, source_of_copy(copy) as source:
                yield source
            return
        limits = Limits(settings.IMPORT_READ_SECONDS, settings.IMPORT_READ_MEMORY)
        reading = replace(self._choices.reading, named=tuple(self._choices.mapping))
        with (
            uploads.copy_to_file(self._file_import, parts.UPLOAD) as file,
            source_outside(file, limits, reading, rows) as source,
        ):
            yield source

    def _run(self, rows: BinaryIO, rejects: BinaryIO) -> Report:
        dimension = dimension_named(self._file_import.dimension)
        options = self._options()
        leaves_out = self._is_check or self._choices.leaves_out_errors
        if self._choices.proposes and not self._is_check:
            # A worker that died since may have made it already.
            plan = plan_of_import(self._file_import) or self._proposed(rows, options)
            report = Report(plan.created, plan.changed, plan.unchanged, plan.deleted)
            with transaction.atomic():
                self._complete(report, rejects)
            return report
        importer = Importer(
            dimension,
            self._file_import.repository,
            Actor(self._file_import.requester, Channel.IMPORT, self._file_import.oid, self._file_import.reason),
            options,
            rejects=rejects if leaves_out else None,
            progress=self._heartbeat.report,
            finish=lambda report: self._complete(report, rejects),
            advice=gettext("If it is, allow as many with 'Delete at most'."),
        )
        with self._source(rows) as source:
            return importer.run(source)

    def _proposed(self, rows: BinaryIO, options: Options) -> Plan:
        """Return the plan of all rows of the file, or of those without errors if the others are left out.

        Raises `ImportRefused` with the errors of the rows, or with why there can be no plan.
        """
        file_import, user = self._file_import, self._file_import.requested_by
        dimension, repository = dimension_named(file_import.dimension), file_import.repository
        key = None if user is None else user.pk
        author = Actor(file_import.requester, Channel.PLAN, file_import.oid, key=key)
        progress, leaves_out = self._heartbeat.report, self._choices.leaves_out_errors
        with self._source(rows) as source, ExitStack() as stack:
            file = FileReader(dimension, repository, options, stack, progress=progress, leaves_out=leaves_out)
            try:
                file.read(source)
                if file.unreadable is not None:
                    raise ImportRefused(file.report())
                if options.mode is Mode.SYNC and file.unnamed_line is not None:
                    raise ImportRefused(file.report(), file.unnamed_refusal)
                request = PlanRequest(
                    file.envelope(),
                    is_snapshot=options.mode is Mode.SYNC,
                    max_delete=options.max_delete,
                    reason=file_import.reason,
                )
                return make_plan(dimension, repository, author, request)
            except Refused:
                raise ImportRefused(file.report()) from None
            except Problem as problem:
                if problem.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise
                raise ImportRefused(file.report(), str(problem.detail)) from None

    def _options(self) -> Options:
        return Options(
            mode=Mode(self._choices.mode),
            dry_run=self._is_check,
            strict=self._choices.strict,
            max_delete=Share.parse(self._choices.max_delete),
            mapping=self._choices.mapping,
            understands=True,
            values=self._choices.values,
            without_totals=self._choices.without_totals,
            filled=self._choices.filled,
            corrections={int(line): cells for line, cells in (self._file_import.corrections or {}).items()},
        )

    def _complete(self, report: Report, rejects: BinaryIO) -> None:
        """End the import, in the transaction that saves the elements, so that a crash leaves both or neither."""
        self._hold()
        stored = stored_report(report, has_rejects=self._keep(report, rejects))
        file_imports.end(self._file_import, ImportStatus.COMPLETED, report=stored)

    def _hand_back(self, report: Report, rejects: BinaryIO, reason: str = "", *, rows: BinaryIO | None = None) -> None:
        """Hand the import back to its user, with the report of the check; keep the `rows` for the import."""
        with transaction.atomic():
            self._hold()
            if rows is None:  # those of an earlier check may be read in another way
                self._file_import.pieces.filter(file=FileImportPiece.File.ROWS).delete()
            else:
                # Far more than the file, such as those of a workbook that repeats a text, are read from it again.
                if rows.seek(0, 2) > settings.IMPORT_MAX_FILE_SIZE:
                    rows.truncate(0)
                uploads.store(self._file_import, FileImportPiece.File.ROWS, rows)
            has_rejects = self._keep(report, rejects)
            stored = stored_report(report, reason, has_rejects=has_rejects)
            self._claim.held.update(
                status=ImportStatus.CHECKED,
                preview=with_columns(self._file_import.preview, report.failures),
                report=stored,
                error=None if self._is_check else str(_SINCE_THE_CHECK),
                claimed_by=None,
                heartbeat=None,
                due_at=Now(),
            )

    def _hold(self) -> None:
        """Keep others from ending or taking over the import before this transaction ends."""
        if not self._claim.beat():
            raise Interrupted

    def _keep(self, report: Report, rejects: BinaryIO) -> bool:
        has_rejects = report.rejected > 0 and rejects.seek(0, 2) > 0
        uploads.store(self._file_import, FileImportPiece.File.REJECTS, rejects)
        return has_rejects


def plan_of_import(file_import: FileImport) -> Plan | None:
    """Return the plan that the import became: it has the same id. None if there is none, or it was deleted."""
    return Plan.objects.filter(pk=UUID(file_import.oid)).first()
