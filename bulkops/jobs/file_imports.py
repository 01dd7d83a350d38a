"""The life cycle of an import in the admin: how it is uploaded, checked, confirmed and ended (contract C12, G2)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, BinaryIO

import msgspec
import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Sum
from django.db.models.functions import Coalesce, Now
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from bulkops.files.formats.rows import AS_FOUND, ReadingOptions
from bulkops.files.imports.options import (
    MAX_DELETE,
    Fillings,
    Mode,
    remember_mapping,
)
from bulkops.files.outside.previews import Preview
from bulkops.jobs import uploads
from bulkops.jobs.brokers import wake_a_worker
from bulkops.jobs.uploads import UploadRefused, preview_in_turn
from bulkops.models import FileImport, FileImportPiece, ImportStatus
from dimensions_site.changes.requirements import refuse_unapproved
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.text.formats import grouped_number

log = structlog.get_logger(__name__)

# The states that wait for a worker, and those that wait for a person.
AT_WORK = (ImportStatus.CHECKING, ImportStatus.IMPORTING)
WAITING = (ImportStatus.DRAFT, ImportStatus.CHECKED)

# How long an import waits for its user to continue.
_TIMEOUT = timedelta(days=1)


@dataclass(frozen=True)
class Choices:
    """The choices for an import: `mapping` has the wire path for a heading, "" for a column to leave out.

    With `leaves_out_errors` the rows with errors are left out and the others are imported; otherwise all or none. The
    report is written in the `language` of the requester. `reading` is what they said about how the file is read,
    `values`, `without_totals` and `filled` are as in `bulkops.files.imports.options.Options`.
    """

    mode: str = Mode.MERGE.value
    strict: bool = False
    max_delete: str = str(MAX_DELETE)
    mapping: Mapping[str, str] = field(default_factory=dict)
    leaves_out_errors: bool = False
    language: str = settings.LANGUAGE_CODE
    reading: ReadingOptions = AS_FOUND
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    without_totals: bool = False
    filled: Fillings = field(default_factory=dict)
    # Whether a plan is made of it, which others approve, instead of saving it (contract O4).
    proposes: bool = False

    @classmethod
    def of(cls, file_import: FileImport) -> "Choices":
        return msgspec.convert(file_import.options, cls)

    @property
    def role(self) -> Role:
        """Return the role that the import requires: mode sync deletes elements (contract G2)."""
        if self.proposes:
            return Role.PROPOSER
        return Role.MANAGER if self.mode == Mode.SYNC else Role.EDITOR


def receive(user: User, repository: Repository, dimension: str, name: str, file: BinaryIO) -> FileImport:
    """Store a `file`, a real and seekable one, as a new import; nothing is imported yet.

    Raises `UnreadableFile` if it is not a file of elements, and `UploadRefused` if the user has too many uploads or the
    service cannot preview the file now; both have a sentence for people.
    """
    size = file.seek(0, 2)
    _check_quota(user, repository, size)
    preview = preview_in_turn(user.pk, file, AS_FOUND, repository, dimension)
    with transaction.atomic():
        # Two simultaneous uploads count each other.
        User.objects.select_for_update().get(pk=user.pk)
        _check_quota(user, repository, size)
        file_import = FileImport.objects.create(
            repository=repository,
            dimension=dimension,
            requested_by=user,
            requester=user.get_username(),
            file_name=name,
            size=size,
            preview=msgspec.to_builtins(preview),
            options=asdict(Choices(reading=_as_shown(AS_FOUND, preview))),
            report={},
        )
        uploads.store(file_import, FileImportPiece.File.UPLOAD, file)
    return file_import


def read_again(file_import: FileImport, reading: ReadingOptions) -> None:
    """Read the file of an import that waits for its user as they say now; the mapping and the corrections, which
    belong to other headings and lines, are dropped.

    Raises `UnreadableFile` and `UploadRefused`, and changes nothing then.
    """
    user, repository, dimension = file_import.requested_by_id, file_import.repository, file_import.dimension
    with uploads.copy_to_file(file_import, FileImportPiece.File.UPLOAD) as file:
        preview = preview_in_turn(user, file, reading, repository, dimension)
    choices = replace(Choices.of(file_import), reading=_as_shown(reading, preview), mapping={}, values={}, filled={})
    FileImport.objects.filter(pk=file_import.pk, status__in=WAITING).update(
        status=ImportStatus.DRAFT,
        preview=msgspec.to_builtins(preview),
        options=asdict(choices),
        corrections=None,
        report={},
        due_at=Now(),
    )


def _as_shown(reading: ReadingOptions, preview: Preview) -> ReadingOptions:
    """Return the options with what the preview had to find: its user sees it, and may choose otherwise."""
    encoding = reading.encoding if preview.is_encoding_certain else preview.encoding
    return replace(reading, encoding=encoding, sheet=preview.sheet or None, heading_row=preview.heading_row)


def _check_quota(user: User, repository: Repository, size: int) -> None:
    """Raise `UploadRefused` if the user's uploads in the repository would be too many, or too large together."""
    waiting = FileImport.objects.filter(requested_by=user, repository=repository, status__in=[*WAITING, *AT_WORK])
    found = waiting.aggregate(count=Count("pk"), bytes=Coalesce(Sum("size"), 0))
    advice = _("Finish or delete one of them first; imports that are not continued for a day are removed.")
    if found["count"] >= settings.IMPORT_MAX_DRAFTS:
        message = _("You have {count} unfinished imports into the repository '{repository}', and may have {maximum}.")
        values = {"count": grouped_number(found["count"]), "maximum": grouped_number(settings.IMPORT_MAX_DRAFTS)}
    elif found["bytes"] + size > settings.IMPORT_MAX_DRAFT_BYTES:
        message = _(
            "With this file, your unfinished imports into the repository '{repository}' would take {bytes}; the "
            "limit is {maximum}."
        )
        values = {
            "bytes": filesizeformat(found["bytes"] + size),
            "maximum": filesizeformat(settings.IMPORT_MAX_DRAFT_BYTES),
        }
    else:
        return
    raise UploadRefused(f"{message.format(repository=repository.db_id, **values)} {advice}")


def check(file_import: FileImport, choices: Choices, **values: Any) -> bool:
    """Have a worker report what the import would do, with new `values` of the import's columns, such as corrections.

    Return False if the import no longer waits for that.
    """
    return _hand_over(file_import, WAITING, ImportStatus.CHECKING, choices, **values)


@transaction.atomic
def confirm(file_import: FileImport, choices: Choices, reason: str | None = None) -> bool:
    """Have a worker do what was checked, for that reason; return False if another request was first.

    Raises `ApprovalRequired` where that needs an approval (contract O2); then the import waits as before.
    """
    deletes = bool(file_import.report.get("deleted"))
    if not choices.proposes:
        refuse_unapproved(file_import.repository, file_import.dimension, deletes=deletes)
    won = _hand_over(file_import, (ImportStatus.CHECKED,), ImportStatus.IMPORTING, choices, reason=reason)
    if won:
        rules = {"values": choices.values, "without_totals": choices.without_totals, "filled": choices.filled}
        remember_mapping(file_import, choices.mapping, rules)
    return won


@transaction.atomic
def _hand_over(
    file_import: FileImport, origins: tuple[ImportStatus, ...], status: ImportStatus, choices: Choices, **values: Any
) -> bool:
    won = FileImport.objects.filter(pk=file_import.pk, status__in=origins).update(
        status=status, options=asdict(choices), error=None, phase="", progress=0, attempts=0, due_at=Now(), **values
    )
    if won:
        wake_a_worker()
    return won == 1


def drop(file_import: FileImport) -> bool:
    """Cancel an import, so that nothing of it is saved; return False if it has already ended."""
    return end(file_import, ImportStatus.ABORTED)


@transaction.atomic
def end(file_import: FileImport, status: ImportStatus, error: str | None = None, **values: Any) -> bool:
    """Give an import its final `status` and delete its file; return False if it has already ended."""
    ended = FileImport.objects.filter(pk=file_import.pk, status__in=[*WAITING, *AT_WORK]).update(
        status=status, error=error, finished_at=Now(), claimed_by=None, heartbeat=None, preview={}, **values
    )
    if ended:
        file_import.pieces.exclude(file=FileImportPiece.File.REJECTS).delete()
    return ended == 1


def fail(file_import: FileImport, happened: str) -> None:
    """Fail an import whose last attempt raised `happened`; its page says what to do."""
    error = (
        f"The import was given up after {file_import.attempts} attempts: {happened}. Nothing was imported. The log of "
        f"the worker has the cause in the lines that name {file_import.oid}. When it is fixed, upload the file "
        "again."
    )
    log.error("import_failed", oid=file_import.oid, happened=happened)
    end(file_import, ImportStatus.FAILED, error)


def removed_at(file_import: FileImport) -> datetime | None:
    """Return when an import that waits for its user is cancelled; None if it does not."""
    return file_import.due_at + _TIMEOUT if file_import.status in WAITING else None


def drop_abandoned() -> None:
    """Cancel the imports that were not continued for a day."""
    for file_import in FileImport.objects.filter(status__in=WAITING, due_at__lt=Now() - _TIMEOUT):
        end(file_import, ImportStatus.ABORTED, "The import was not continued for a day, so its file was removed.")
