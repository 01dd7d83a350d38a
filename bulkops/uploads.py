"""Files that people bring to an import: taken up to a size, kept in the database until the import has ended."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from django.conf import settings
from django.core.files.uploadhandler import SkipFile, TemporaryFileUploadHandler

from bulkops.models import FileImport, FileImportPiece

PIECE_BYTES = 1024**2


class UploadHandler(TemporaryFileUploadHandler):
    """Takes files into temporary files, of people who have logged in alone.

    Of a file beyond `IMPORT_MAX_FILE_SIZE` no more is kept, but its size is told: so its uploader can be.
    """

    def new_file(self, *arguments: Any, **named: Any) -> None:
        """Begin with a file; passes over it when nobody is logged in."""
        if self.request is None or not self.request.user.is_authenticated:
            raise SkipFile
        super().new_file(*arguments, **named)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep a part of the file that begins at the byte `start`."""
        if start <= settings.IMPORT_MAX_FILE_SIZE:
            super().receive_data_chunk(raw_data, start)


def store(file_import: FileImport, part: FileImportPiece.File, file: BinaryIO) -> None:
    """Keep the content of `file`, from its beginning, as that file of the import, in the place of what was kept."""
    FileImportPiece.objects.filter(file_import=file_import, file=part).delete()
    file.seek(0)
    for position in count():
        data = file.read(PIECE_BYTES)
        if not data:
            return
        FileImportPiece.objects.create(file_import=file_import, file=part, position=position, data=data)


def stored(file_import: FileImport, part: FileImportPiece.File) -> Iterator[bytes]:
    """The content of that file of the import, piece by piece; nothing when there is none."""
    pieces = FileImportPiece.objects.filter(file_import=file_import, file=part)
    for position in range(pieces.count()):
        yield bytes(pieces.values_list("data", flat=True).get(position=position))


@contextmanager
def copied(file_import: FileImport, part: FileImportPiece.File) -> Iterator[BinaryIO]:
    """A temporary file with the content of that file of the import, at its beginning."""
    with TemporaryFile() as copy:
        for data in stored(file_import, part):
            copy.write(data)
        copy.seek(0)
        yield copy
