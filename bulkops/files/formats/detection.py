"""Detect the format of a file by its content, not by its name."""

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from bulkops.files.formats.encodings import broken_line, codec_for, encoding_shown_by
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
_SEND = "Send UTF-8, or name the charset that it is in."
_CONVERT = "Convert it to CSV."
_NOTHING = "The body is empty; a line of headings and rows is expected."
_INVALID_ENCODING = "INVALID_ENCODING"
_JSON_NOT_UTF_8 = _("JSON is read in UTF-8, and this file is in another encoding. Save it in UTF-8 and load that.")

_CHUNK = 1024**2
_HEAD_BYTES = 4096
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
    found, encoding, is_certain = _format_by_signature(head), "utf-8", True
    if found is None:
        _refuse_other_files(head)
        encoding, is_certain = _text_encoding(file, head, options.encoding)
        found = _text_format(file, encoding)
    if expected not in (None, found):
        message = _("The file is read as {expected}, but it looks like {found}. Choose the format {format}, or none.")
        looks = FORMATS[found].description
        raise UnreadableFile(
            1, message.format(expected=expected, found=looks, format=found), f"The body looks like {looks}. {_CONVERT}"
        )
    return found, encoding, is_certain


def _head(file: BinaryIO) -> bytes:
    file.seek(0)
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    return head


def _format_by_signature(head: bytes) -> Format | None:
    return next((format for format, known in FORMATS.items() if head.startswith(known.signatures)), None)


def _refuse_other_files(head: bytes) -> None:
    if not head:
        raise UnreadableFile(1, _EMPTY, _NOTHING)
    for signature, message in _OTHER_FILES.items():
        if head.startswith(signature):
            raise UnreadableFile(1, message, f"The body is not text. {_CONVERT}")
    if head.startswith(_UTF_32_MARKS):
        raise UnreadableFile(1, _UTF_32, f"The body is in UTF-32. {_SEND}", code=_INVALID_ENCODING)


def _text_format(file: BinaryIO, encoding: str) -> Format:
    """Return the kind of a text by its beginning."""
    decoder = codecs.getincrementaldecoder(encoding)()
    start = ""
    while not start and (chunk := file.read(_HEAD_BYTES)):
        start = decoder.decode(chunk).lstrip()
    file.seek(0)
    if not start:
        raise UnreadableFile(1, _EMPTY, _NOTHING)
    if start.startswith("<"):
        raise UnreadableFile(1, _MARKUP, f"The body is a web page or XML. {_CONVERT}")
    found = next((format for format, begins in _BEGINS.items() if begins(start)), _ANY_OTHER_TEXT)
    if not found.is_table and not encoding.startswith("utf-8"):
        raise UnreadableFile(1, _JSON_NOT_UTF_8)
    return found


def _text_encoding(file: BinaryIO, head: bytes, declared: str | None) -> tuple[str, bool]:
    """Return the encoding of the whole text, and whether it is certain: it is `declared`, or shown by the text."""
    shown = encoding_shown_by(head)
    codec = codec_for(declared, head) if declared else shown or "utf-8"
    broken = 1 if codec is None else broken_line(_pieces(file), codec)
    if codec is not None and broken is None:
        return codec, True
    if declared is None and shown is None and _is_windows_1252(file):
        return "cp1252", False
    named = declared or ("UTF-16" if shown and shown.startswith("utf-16") else "UTF-8")
    to_program = f"The line is not in the charset {named}. {_SEND}"
    raise UnreadableFile(broken or 1, _BROKEN_TEXT.format(encoding=named), to_program, code=_INVALID_ENCODING)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """Yield the file from its beginning, and return there at the end."""
    file.seek(0)
    while piece := file.read(_CHUNK):
        yield piece
    file.seek(0)


def _is_windows_1252(file: BinaryIO) -> bool:
    """Return whether a text that is not UTF-8 is Windows-1252, and not damaged UTF-8.

    Raises UnreadableFile if it is not text at all.
    """
    utf_8_letters = other_letters = 0
    is_text = True
    for chunk in _pieces(file):
        if _CONTROLS.search(chunk):
            raise UnreadableFile(1, _NO_TEXT)
        letters = _UTF_8_LETTER.findall(chunk)
        utf_8_letters += len(letters)
        other_letters += len(_HIGH_BYTE.findall(chunk)) - sum(map(len, letters))
        is_text = is_text and not _UNDEFINED_IN_1252.search(chunk)
    return is_text and other_letters > utf_8_letters
