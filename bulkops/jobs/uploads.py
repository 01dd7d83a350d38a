"""Uploaded files of imports: accepted up to a size, and stored in the database until the import has ended."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile

from bulkops.models import FileImport, FileImportPiece

PIECE_BYTES = 1024**2


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
