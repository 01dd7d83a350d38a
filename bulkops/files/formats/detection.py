"""Detect the format of a file by its content, not by its name."""

import codecs
import re
from typing import BinaryIO

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from bulkops.files.formats.rows import ReadingOptions, UnreadableFile
from bulkops.files.formats.table import FORMATS
from dimensions_site.text.compression import GZIP_SIGNATURE
from dimensions_site.text.file_formats import Format

_OPEN_AND_SAVE = _(
    "Open it in the program that it comes from, save the table as an Excel workbook (.xlsx) or as 'CSV UTF-8' and load "
    "that."
)
_PICTURE = format_lazy("{} {}", _("This is a picture, and no table can be read from it."), _OPEN_AND_SAVE)
_COMPRESSED = _("The file is compressed with {program}. Decompress it and load its content.")
_COMPRESSED_OTHERWISE = _(
    "The file is compressed with {program}. Decompress it, or compress it with gzip, and load that."
)
# Other kinds of files that people upload, by their first bytes.
_OTHER_FILES = {
    b"\xd0\xcf\x11\xe0": _(
        "This is an Excel file of the old kind (.xls), or a workbook with a password. Save it without a password as an "
        "Excel workbook (.xlsx) or as 'CSV UTF-8' and load that."
    ),
    b"%PDF": format_lazy("{} {}", _("This is a PDF file, and no table can be read from it."), _OPEN_AND_SAVE),
    b"\x89PNG": _PICTURE,
    b"\xff\xd8\xff": _PICTURE,
    b"GIF8": _PICTURE,
    b"7z\xbc\xaf": format_lazy(_COMPRESSED, program="7-Zip"),
    b"Rar!": format_lazy(_COMPRESSED, program="RAR"),
    b"BZh": format_lazy(_COMPRESSED_OTHERWISE, program="bzip2"),
    b"\xfd7zXZ": format_lazy(_COMPRESSED_OTHERWISE, program="xz"),
    b"\x28\xb5\x2f\xfd": format_lazy(_COMPRESSED_OTHERWISE, program="Zstandard"),
    b"{\\rtf": format_lazy("{} {}", _("This is a text document, and no table can be read from it."), _OPEN_AND_SAVE),
}
_EMPTY = _("The file is empty. Save it again and load that.")
_MARKUP = _(
    "This is a web page or XML, even if its name ends like that of a workbook. Open it in Excel, save it as an Excel "
    "workbook (.xlsx) or as 'CSV UTF-8' and load that."
)
_NO_TEXT = format_lazy(
    "{} {}", _("This is neither a workbook nor a text, so no elements can be read from it."), _OPEN_AND_SAVE
)
_UTF_32 = _("The text is in UTF-32, which is not supported. Save the file again as 'CSV UTF-8'.")
_BROKEN_TEXT = _("The line has characters that are not {encoding}. Save the file again as 'CSV UTF-8'.")
_JSON_NOT_UTF_8 = _("JSON is read in UTF-8, and this file is in another encoding. Save it in UTF-8 and load that.")

_CHUNK = 1024**2
_HEAD_BYTES = 4096
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_UTF_32_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_UTF_8_LETTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_UNDEFINED_IN_1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_HIGH_BYTE = re.compile(rb"[\x80-\xff]")
_BEGINS = {format: known.begins for format, known in FORMATS.items() if known.begins}
_ANY_OTHER_TEXT = next(format for format, known in FORMATS.items() if not known.signatures and not known.begins)


def is_gzipped(file: BinaryIO) -> bool:
    """Return whether `file` is compressed with gzip."""
    return _head(file).startswith(GZIP_SIGNATURE)


def recognised(file: BinaryIO, options: ReadingOptions) -> tuple[Format, str, bool]:
    """Return the format of the seekable `file`, the encoding of its text, and whether that is certain.

    Raises UnreadableFile for anything but a file of elements, and for a format other than that of the `options`.
    """
    expected = options.format
    head = _head(file)
    found, encoding = _format_by_signature(head), "utf-8"
    if found is None:
        _refuse_other_files(head)
        encoding = _text_encoding(file, head)
        found = _text_format(file, encoding)
    if expected not in (None, found):
        message = _("The file is read as {expected}, but it looks like {found}. Choose the format {format}, or none.")
        raise UnreadableFile(1, message.format(expected=expected, found=FORMATS[found].description, format=found))
    return found, encoding, encoding != "cp1252"


def _head(file: BinaryIO) -> bytes:
    file.seek(0)
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    return head


def _format_by_signature(head: bytes) -> Format | None:
    return next((format for format, known in FORMATS.items() if head.startswith(known.signatures)), None)


def _refuse_other_files(head: bytes) -> None:
    if not head:
        raise UnreadableFile(1, _EMPTY)
    for signature, message in _OTHER_FILES.items():
        if head.startswith(signature):
            raise UnreadableFile(1, message)
    if head.startswith(_UTF_32_MARKS):
        raise UnreadableFile(1, _UTF_32)


def _text_format(file: BinaryIO, encoding: str) -> Format:
    """Return the kind of a text by its beginning."""
    decoder = codecs.getincrementaldecoder(encoding)()
    start = ""
    while not start and (chunk := file.read(_HEAD_BYTES)):
        start = decoder.decode(chunk).lstrip()
    file.seek(0)
    if not start:
        raise UnreadableFile(1, _EMPTY)
    if start.startswith("<"):
        raise UnreadableFile(1, _MARKUP)
    found = next((format for format, begins in _BEGINS.items() if begins(start)), _ANY_OTHER_TEXT)
    if not found.is_table and not encoding.startswith("utf-8"):
        raise UnreadableFile(1, _JSON_NOT_UTF_8)
    return found


def _text_encoding(file: BinaryIO, head: bytes) -> str:
    """Return the encoding of the whole text: by its byte-order mark or zero bytes, else UTF-8 or Windows-1252."""
    encoding = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None) or _by_zeros(head)
    broken = _first_broken_line(file, encoding or "utf-8")
    if broken is None:
        return encoding or "utf-8"
    if encoding is None and _is_windows_1252(file):
        return "cp1252"
    shown = "UTF-16" if encoding and encoding.startswith("utf-16") else "UTF-8"
    raise UnreadableFile(broken, _BROKEN_TEXT.format(encoding=shown))


def _by_zeros(head: bytes) -> str | None:
    """Detect UTF-16 without a mark: every other byte of Latin letters is zero."""
    if head[1:4:2] == b"\x00\x00" and 0 not in head[:4:2]:
        return "utf-16-le"
    if head[:4:2] == b"\x00\x00" and 0 not in head[1:4:2]:
        return "utf-16-be"
    return None


def _first_broken_line(file: BinaryIO, encoding: str) -> int | None:
    """Return the first line that is invalid in the encoding, or None."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    try:
        while chunk := file.read(_CHUNK):
            line += decoder.decode(chunk).count("\n")
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        # The error may be in bytes that the decoder kept from the previous chunk.
        return line + error.object[: error.start].decode(error.encoding, "ignore").count("\n")
    finally:
        file.seek(0)
    return None


def _is_windows_1252(file: BinaryIO) -> bool:
    """Return whether a text that is not UTF-8 is Windows-1252, and not damaged UTF-8.

    Raises UnreadableFile if it is not text at all.
    """
    utf_8_letters = other_letters = 0
    is_text = True
    while chunk := file.read(_CHUNK):
        if _CONTROLS.search(chunk):
            raise UnreadableFile(1, _NO_TEXT)
        letters = _UTF_8_LETTER.findall(chunk)
        utf_8_letters += len(letters)
        other_letters += len(_HIGH_BYTE.findall(chunk)) - sum(map(len, letters))
        is_text = is_text and not _UNDEFINED_IN_1252.search(chunk)
    file.seek(0)
    return is_text and other_letters > utf_8_letters
