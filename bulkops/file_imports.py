"""The life of an import in the admin: how it begins, is checked and confirmed, and ends (contract C12, G2)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from itertools import islice
from typing import Any, BinaryIO

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bulkops import uploads
from bulkops.formats.reading import Source, open_source
from bulkops.formats.rows import Row, UnreadableFile
from bulkops.imports.options import Mode
from bulkops.models import FileImport, FileImportPiece, ImportStatus
from bulkops.queue import wake_a_worker
from dimensions_site.api.problems import shortened
from dimensions_site.formats import grouped
from dimensions_site.repositories.models import DIMENSIONS, Repository, Role
from dimensions_site.repositories.permissions import repositories_open_to

log = structlog.get_logger(__name__)

# A worker has something to do for it, or somebody else has.
AT_WORK = (ImportStatus.CHECKING, ImportStatus.IMPORTING)
WAITING = (ImportStatus.DRAFT, ImportStatus.CHECKED)

PREVIEW_ROWS = 5
# A select for each heading, of some hundred fields, is more than a page can have for a wider table.
MOST_HEADINGS = 200
# For how long an import waits for somebody who goes on with it.
_PATIENCE = timedelta(days=1)


@dataclass(frozen=True)
class Choices:
    """What somebody chose for an import: `mapping` names the wire path of a heading, "" for a column to leave out.

    With `leaves_out_faults` the faulty rows are left out and the others are imported; else all or none. The report is
    written in the `language` of whoever asked for it.
    """

    mode: str = Mode.UPSERT.value
    strict: bool = False
    max_delete: str = "5%"
    mapping: Mapping[str, str] = field(default_factory=dict)
    leaves_out_faults: bool = False
    language: str = settings.LANGUAGE_CODE

    @classmethod
    def of(cls, file_import: FileImport) -> "Choices":
        """What was chosen for the import so far."""
        return cls(**file_import.options)

    @property
    def role(self) -> Role:
        """What it takes: who makes a dimension equal to a file deletes elements (contract G2)."""
        return Role.MANAGER if self.mode == Mode.SYNC else Role.EDITOR


def imports_open_to(user: User, role: Role = Role.EDITOR) -> QuerySet[FileImport]:
    """The imports into the dimensions of repositories where the user has at least `role` (contract G2)."""
    open_ones = Q(pk__in=())
    for dimension in DIMENSIONS:
        open_ones |= Q(dimension=dimension, repository__in=repositories_open_to(user, dimension, role))
    return FileImport.objects.filter(open_ones)


def receive(user: User, repository: Repository, dimension: str, name: str, file: BinaryIO) -> FileImport:
    """Keep a `file`, a real and seekable one, as a new import; nothing is imported yet.

    Raises UnreadableFile, with a sentence for people, for what is no file of elements.
    """
    with open_source(file) as source:
        preview = _preview(source)
    size = file.seek(0, 2)
    with transaction.atomic():
        file_import = FileImport.objects.create(
            repository=repository,
            dimension=dimension,
            requested_by=user,
            requester=user.get_username(),
            file_name=name,
            size=size,
            preview=preview,
            options=asdict(Choices()),
            report={},
        )
        uploads.store(file_import, FileImportPiece.File.UPLOAD, file)
    return file_import


def _preview(source: Source) -> dict[str, Any]:
    """The format and, of a table, the headings and the cells of its first rows, shortened."""
    if source.headings is None:
        next(source.rows(), None)  # a file that is broken at its beginning is refused at once
        return {"format": source.shape.format, "headings": [], "rows": []}
    if len(source.headings) > MOST_HEADINGS:
        message = _(
            "The table has {count} columns, and up to {maximum} can be imported here. "
            "Delete those that are not needed, "
            "or have the file imported on the command line."
        )
        raise UnreadableFile(1, message.format(count=grouped(len(source.headings)), maximum=MOST_HEADINGS))
    rows = islice((row for row in source.rows() if isinstance(row, Row)), PREVIEW_ROWS)
    cells = [[shortened(row.cells[heading]) for heading in source.headings] for row in rows]
    return {"format": source.shape.format, "headings": list(source.headings), "rows": cells}


def check(file_import: FileImport, choices: Choices) -> bool:
    """Have a worker tell what the import would do; False when it is not waiting for that any more."""
    return _hand_over(file_import, WAITING, ImportStatus.CHECKING, choices)


def confirm(file_import: FileImport, choices: Choices) -> bool:
    """Have a worker do what was checked; False when somebody else was quicker."""
    return _hand_over(file_import, (ImportStatus.CHECKED,), ImportStatus.IMPORTING, choices)


@transaction.atomic
def _hand_over(
    file_import: FileImport, origins: tuple[ImportStatus, ...], status: ImportStatus, choices: Choices
) -> bool:
    won = FileImport.objects.filter(pk=file_import.pk, status__in=origins).update(
        status=status, options=asdict(choices), error=None, phase="", progress=0, attempts=0, due_at=Now()
    )
    if won:
        wake_a_worker()
    return won == 1


def drop(file_import: FileImport) -> bool:
    """End an import of which nothing is saved then; False when it has ended already."""
    return end(file_import, ImportStatus.ABORTED)


@transaction.atomic
def end(file_import: FileImport, status: ImportStatus, error: str | None = None, **values: Any) -> bool:
    """Give an import its final `status` and forget its file; False when it has ended before."""
    ended = FileImport.objects.filter(pk=file_import.pk, status__in=[*WAITING, *AT_WORK]).update(
        status=status, error=error, finished_at=Now(), claimed_by=None, heartbeat=None, preview={}, **values
    )
    if ended:
        FileImportPiece.objects.filter(file_import=file_import, file=FileImportPiece.File.UPLOAD).delete()
    return ended == 1


def fail(file_import: FileImport, happened: str) -> None:
    """Give up an import at whose last attempt that `happened`; its page tells what to do."""
    error = (
        f"The import was given up after {file_import.attempts} attempts: {happened}. Nothing was imported. The log of "
        f"the worker tells the cause in the lines that name {file_import.oid}. When it is remedied, upload the file "
        "again."
    )
    log.error("import_failed", oid=file_import.oid, happened=happened)
    end(file_import, ImportStatus.FAILED, error)


def drop_forgotten() -> None:
    """Drop the imports with which nobody has gone on for a day."""
    for file_import in FileImport.objects.filter(status__in=WAITING, due_at__lt=Now() - _PATIENCE):
        end(file_import, ImportStatus.ABORTED, "Nobody went on with the import for a day, so its file was removed.")
