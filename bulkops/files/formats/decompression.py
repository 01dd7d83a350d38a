"""Decompress files with limits, so that a small file cannot fill the memory or the disk."""

import gzip
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from django.utils.translation import gettext_lazy as _

from bulkops.files.formats.rows import UnreadableFile
from dimensions_site.text.files import GZIP_SIGNATURE, is_trap

MAX_DECOMPRESSED_BYTES = 1024**3
# A workbook has some dozens of parts; a list of millions would fill the memory before any is read.
_MAX_DIRECTORY_BYTES = 1024**2
_END_OF_DIRECTORY = b"PK\x05\x06"
_END_OF_DIRECTORY_BYTES = 22
_MAX_COMMENT_BYTES = 0xFFFF
_CHUNK = 1024**2
_ENCRYPTED = 0x1

_DAMAGED = _("The file is damaged or incomplete; its transfer may have been interrupted. Fetch or save it once more.")
_NOT_OF_EXCEL = _(
    "The file is compressed in a way that Excel does not know, such as bzip2 or LZMA. Save the table again in Excel or "
    "LibreOffice as an Excel workbook (.xlsx) and load that."
)
_TOO_LARGE = _("The file is compressed and would be far too large when decompressed. Split it into several files.")
_PROTECTED = _("The workbook is protected by a password. Save it without one and load that.")


@contextmanager
def decompress(file: BinaryIO) -> Iterator[BinaryIO]:
    """Yield the content of the gzipped `file` as a temporary file.

    Raises UnreadableFile if it is damaged, truncated, followed by other data, or larger than the limits.
    """
    compressed_size = os.fstat(file.fileno()).st_size
    file.seek(0)
    with TemporaryFile() as content:
        try:
            with gzip.GzipFile(fileobj=file) as source:
                while chunk := source.read(_CHUNK):
                    content.write(chunk)
                    _check_size(content.tell(), compressed_size)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise UnreadableFile(1, _DAMAGED) from None
        content.seek(0)
        if content.read(len(GZIP_SIGNATURE)) == GZIP_SIGNATURE:
            raise UnreadableFile(1, _("The file is compressed with gzip twice. Decompress it once and load that."))
        content.seek(0)
        yield content


def open_zip(file: BinaryIO) -> ZipFile:
    """Open the archive in `file`, after checking the sizes of its parts.

    Raises UnreadableFile if it is damaged, encrypted, compressed in an unusual way or larger than the limits.
    """
    if _directory_bytes(file) > _MAX_DIRECTORY_BYTES:
        raise UnreadableFile(1, _TOO_LARGE)
    try:
        archive = ZipFile(file)
    except (BadZipFile, NotImplementedError, ValueError, struct.error):
        raise UnreadableFile(1, _DAMAGED) from None
    parts = archive.infolist()
    if any(part.flag_bits & _ENCRYPTED for part in parts):
        raise UnreadableFile(1, _PROTECTED)
    if any(part.header_offset < 0 for part in parts):
        raise UnreadableFile(1, _DAMAGED)
    if any(part.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for part in parts):
        raise UnreadableFile(1, _NOT_OF_EXCEL)
    # No part yields more than its declared size.
    _check_size(sum(part.file_size for part in parts), sum(part.compress_size for part in parts))
    return archive


@contextmanager
def reading_parts() -> Iterator[None]:
    """Convert errors of reading parts of an archive to UnreadableFile."""
    try:
        yield
    except (BadZipFile, EOFError, KeyError, NotImplementedError, RuntimeError, ValueError, struct.error, zlib.error):
        raise UnreadableFile(1, _DAMAGED) from None


def _check_size(size: int, compressed_size: int) -> None:
    if is_trap(size, compressed_size) or size > MAX_DECOMPRESSED_BYTES:
        raise UnreadableFile(1, _TOO_LARGE)


def _directory_bytes(file: BinaryIO) -> int:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END_OF_DIRECTORY_BYTES - _MAX_COMMENT_BYTES))
    tail = file.read()
    file.seek(0)
    end = tail.rfind(_END_OF_DIRECTORY)
    if end < 0:
        raise UnreadableFile(1, _DAMAGED)
    return int.from_bytes(tail[end + 12 : end + 16], "little")
