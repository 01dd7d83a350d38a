"""Uploaded files of imports: accepted up to a size, previewed, and stored in the database until the import has ended.

Their users wait for a preview, so it is made in a process of its own, a few at a time (contract C12).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from tempfile import TemporaryFile
from threading import BoundedSemaphore
from typing import Any, BinaryIO

import structlog
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.utils.translation import gettext as _

from bulkops.files.formats.rows import ReadingOptions
from bulkops.files.imports.options import known_headings, locate_headings
from bulkops.files.outside.previews import Preview
from bulkops.files.outside.reading import Limits, ReadingFailed, preview_outside
from bulkops.models import FileImport, FileImportPiece
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.repositories.models import Repository

log = structlog.get_logger(__name__)

PIECE_BYTES = 1024**2
# How many files a web process previews at the same time, and how many uploads wait for that, for a few seconds: one of
# its four default threads is left for other requests.
_PREVIEWS = BoundedSemaphore(2)
_WAITERS = BoundedSemaphore(1)
_WAIT_SECONDS = 5
# Whose files it previews, or lets wait: one of each user at a time, so that nobody has all turns.
_users: dict[int | None, object] = {}


class UploadHandler(FileUploadHandler):
    """Stores uploads of signed-in users in temporary files.

    The files have no names, so the system removes them when the process ends, however it ends. Of a file beyond
    `IMPORT_MAX_FILE_SIZE` the rest is discarded, but its size is counted for the error message.
    """

    def new_file(self, *arguments: Any, **named: Any) -> None:
        """Begin with a file; skip it if no user is signed in."""
        if self.request is None or not self.request.user.is_authenticated:
            raise SkipFile
        super().new_file(*arguments, **named)
        file = TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR)
        self._file = UploadedFile(file, self.file_name, self.content_type, 0, self.charset, self.content_type_extra)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if start <= settings.IMPORT_MAX_FILE_SIZE:
            self._file.write(raw_data)

    def file_complete(self, file_size: int) -> UploadedFile[bytes]:
        self._file.seek(0)
        self._file.size = file_size
        return self._file


def store(file_import: FileImport, part: FileImportPiece.File, file: BinaryIO) -> None:
    """Store the content of `file`, from its beginning, as this file of the import, in place of the previous one."""
    FileImportPiece.objects.filter(file_import=file_import, file=part).delete()
    file.seek(0)
    for position in count():
        data = file.read(PIECE_BYTES)
        if not data:
            return
        FileImportPiece.objects.create(file_import=file_import, file=part, position=position, data=data)


def stored_content(file_import: FileImport, part: FileImportPiece.File) -> Iterator[bytes]:
    """Yield the content of this file of the import, piece by piece; nothing if there is none."""
    pieces = FileImportPiece.objects.filter(file_import=file_import, file=part)
    for position in range(pieces.count()):
        yield bytes(pieces.values_list("data", flat=True).get(position=position))


@contextmanager
def copy_to_file(file_import: FileImport, part: FileImportPiece.File) -> Iterator[BinaryIO]:
    """Return a temporary file with the content of this file of the import, at its beginning."""
    with TemporaryFile() as copy:
        for data in stored_content(file_import, part):
            copy.write(data)
        copy.seek(0)
        yield copy


class UploadRefused(Exception):
    """The file is not accepted, whatever its content; the text says why, and what to do."""


def preview_in_turn(
    user: int | None, file: BinaryIO, reading: ReadingOptions, repository: Repository, dimension: str
) -> Preview:
    """Return the preview of a file of the user with this primary key, read as `reading` says, or else as it looks.

    Raises `UnreadableFile` if it is not a file of elements, and `UploadRefused` if the service cannot preview it now.
    """
    with _turn(user):
        return _preview(file, reading, repository, dimension)


@contextmanager
def _turn(user: int | None) -> Iterator[None]:
    """Preview a file of the user with this primary key in the block. Raises `UploadRefused` if it is not its turn."""
    file = object()
    is_only_one = _users.setdefault(user, file) is file
    try:
        if not is_only_one or (not _PREVIEWS.acquire(blocking=False) and not _is_turn()):
            raise UploadRefused(_("Other files are being read just now. Upload the file again in a moment."))
        try:
            yield
        finally:
            _PREVIEWS.release()
    finally:
        if is_only_one:
            del _users[user]


def _is_turn() -> bool:
    """Wait until a file may be previewed; return False if that takes too long, or if others already wait."""
    if not _WAITERS.acquire(blocking=False):
        return False
    try:
        return _PREVIEWS.acquire(timeout=_WAIT_SECONDS)
    finally:
        _WAITERS.release()


def _preview(file: BinaryIO, reading: ReadingOptions, repository: Repository, dimension: str) -> Preview:
    try:
        limits = Limits(settings.IMPORT_PREVIEW_SECONDS, settings.IMPORT_READ_MEMORY)
        preview = preview_outside(file, limits, reading)
        known = known_headings(repository, dimension)
        found = locate_headings(reading, preview.beginnings, dimension_named(dimension).wire, known)
        shown = (preview.sheet, preview.heading_row)
        if (found.sheet or shown[0], found.heading_row or shown[1]) != shown:
            preview = preview_outside(file, limits, found)
        preview.beginnings = {}
        return preview
    except ReadingFailed as error:
        log.error("file_reading_failed", reason=str(error))
        message = _("The file could not be read, because the service failed. Try again, or ask its operator.")
        raise UploadRefused(message) from None
