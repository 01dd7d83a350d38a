"""Read files of elements in any format, which is detected by their content, not by their name (design/files.md)."""

import codecs
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import BinaryIO

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from bulkops.files.formats.decompression import decompress
from bulkops.files.formats.delimiters import DELIMITERS
from bulkops.files.formats.encodings import (
    ENCODINGS,
    WIDE_ENCODINGS,
    broken_line,
    codec_for,
    encoding_shown_by,
    encodings_by_look,
    plausible_encodings,
)
from bulkops.files.formats.rows import (
    AS_FOUND,
    NOTHING_FOUND,
    Beginnings,
    FileFindings,
    ReadingOptions,
    Source,
    UnreadableFile,
)
from bulkops.files.formats.table import FORMATS
from dimensions_site.text.files import GZIP_SIGNATURE, Format
from dimensions_site.text.formats import shortened

_OPEN_AND_SAVE = _(
    "Open it in the program that it comes from, save the table as an Excel workbook (.xlsx) or as 'CSV UTF-8' and load "
    "that."
)
_PICTURE = format_lazy("{} {}", _("This is a picture, and no table can be read from it."), _OPEN_AND_SAVE)
_COMPRESSED = _("The file is compressed with {program}. Decompress it and load its content.")
_COMPRESSED_OTHERWISE = _(
    "The file is compressed with {program}. Decompress it, or compress it with gzip, and load that."
)
_OLD_EXCEL = _(
    "This is an Excel file of the old kind (.xls), or a workbook with a password. Save it without a password as an "
    "Excel workbook (.xlsx) or as 'CSV UTF-8' and load that."
)
_MARKUP = _(
    "This is a web page or XML, even if its name ends like that of a workbook. Open it in Excel, save it as an Excel "
    "workbook (.xlsx) or as 'CSV UTF-8' and load that."
)
# Other kinds of files that people upload, by their first bytes.
_OTHER_FILES = {
    b"\xd0\xcf\x11\xe0": _OLD_EXCEL,
    **dict.fromkeys((b"\t\x00\x04\x00", b"\t\x02\x06\x00", b"\t\x04\x06\x00", b"\t\x08\x08\x00"), _OLD_EXCEL),
    b"MIME-Version:": _MARKUP,
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
_NO_TEXT = format_lazy(
    "{} {}", _("This is neither a workbook nor a text, so nothing can be read from it."), _OPEN_AND_SAVE
)
_UTF_32 = _("The text is in UTF-32, which is not supported. Save the file again as 'CSV UTF-8'.")
_BROKEN_TEXT = _("The line has characters that are not {encoding}. Save the file again as 'CSV UTF-8'.")
_SEND = "Send UTF-8, or name the charset that it is in."
_CONVERT = "Convert it to CSV."
_NOTHING = "The body is empty; a line of headings and rows is expected."
_INVALID_ENCODING = "INVALID_ENCODING"
_UNCERTAIN = _(
    "The encoding of the file is not certain. This is how its letters look in each: {looks}. Choose the encoding in "
    "which they are right, or save the file again as 'CSV UTF-8'."
)
_JSON_NOT_UTF_8 = _("JSON is read in UTF-8, and this file is in another encoding. Save it in UTF-8 and load that.")

_CHUNK = 1024**2
_HEAD_BYTES = 4096
_UTF_32_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
# Before letters of Japan, China or Korea in ISO 2022, which writes them in bytes of ASCII.
_SHIFT = b"\x1b$"
# What precedes the first character of a text.
_BLANKS = " \t\r\n\ufeff"
# How elements in JSON begin; no table has such a heading.
_ELEMENTS = re.compile(r'\[\s*(?:\]|$)|\[?\s*\{\s*(?:\}|$|"(?:[^"\\]|\\.)*"\s*:)')
# A heading such as `[Account]`: no elements, and no tag of a web page.
_HEADING = re.compile(r"(?:\[[^:\]]*\]|\{[^:}]*\})[^:]*|<\w[^<>:=/]*>\s*")
# How many of the plausible encodings a message shows.
_MOST_LOOKS = 6
_BEGINS = {format: known.begins for format, known in FORMATS.items() if known.begins}
_ANY_OTHER_TEXT = next(format for format, known in FORMATS.items() if not known.signatures and not known.begins)


@contextmanager
def open_source(file: BinaryIO, options: ReadingOptions = AS_FOUND) -> Iterator[Source]:
    """Open `file`, a real and seekable one that stays open, as the `options` say.

    What they leave open, gzip compression and delimiter are detected by the content. Nothing in the file is executed,
    and nothing that it refers to is opened. Memory is bounded. Raises UnreadableFile for anything but a file of
    elements; its message says what to do.
    """
    with _opened(file) as (content, gzipped), ExitStack() as stack:
        format, encoding, text = _detected(content, options)
        if options.sheet is not None and format is not Format.XLSX:
            raise UnreadableFile(1, _("Only a workbook has sheets to choose from, and this file is not a workbook."))
        if options.heading_row is not None and not format.is_table:
            raise UnreadableFile(1, _("Only a table has headings, and this file has JSON."))
        source = stack.enter_context(FORMATS[format].open(content, encoding, options))
        found = replace(source.found, is_encoding_certain=text.is_encoding_certain, encodings=text.encodings)
        yield replace(source, shape=replace(source.shape, gzipped=gzipped), found=found)


def beginnings(file: BinaryIO, options: ReadingOptions) -> Beginnings:
    """Return the first rows of each sheet of `file`, as they are shown; none of a file of JSON. Raises UnreadableFile.

    So the sheet and the headings can be found before the file is opened.
    """
    with _opened(file) as (content, _gzipped):
        format, encoding, _text = _detected(content, options)
        return FORMATS[format].beginnings(content, encoding)


@contextmanager
def _opened(file: BinaryIO) -> Iterator[tuple[BinaryIO, bool]]:
    gzipped = _head(file).startswith(GZIP_SIGNATURE)
    with decompress(file) if gzipped else nullcontext(file) as content:
        yield content, gzipped


def _detected(file: BinaryIO, options: ReadingOptions) -> tuple[Format, str, FileFindings]:
    """Return the format of the seekable `file`, the codec of its text, and what was found out about the encoding.

    Raises UnreadableFile for anything but a file of elements, for a format other than that of the `options`, and for an
    encoding that neither they nor the text say.
    """
    expected = options.format
    head = _head(file)
    found = next((format for format, known in FORMATS.items() if head.startswith(known.signatures)), None)
    encoding, text = "utf-8", NOTHING_FOUND
    if found is None:
        _refuse_other_files(head)
        certain, broken = _certain_encoding(file, head, options.encoding)
        found = _text_format(file, certain or "latin-1", expected)
        if certain is None:
            encoding, text = _guessed_encoding(file, broken, may_guess=options.may_guess)
        else:
            encoding = certain
            if options.encoding and options.may_guess:  # so that another can be chosen
                text = FileFindings(encodings=plausible_encodings(_pieces(file)))
    if expected not in (None, found):
        message = _("The file is read as {expected}, but it looks like {found}. Choose the format {format}, or none.")
        looks = FORMATS[found].description
        raise UnreadableFile(
            1, message.format(expected=expected, found=looks, format=found), f"The body looks like {looks}. {_CONVERT}"
        )
    file.seek(0)
    return found, encoding, text


def _head(file: BinaryIO) -> bytes:
    return next(_pieces(file), b"")[:_HEAD_BYTES]


def _refuse_other_files(head: bytes) -> None:
    if not head:
        raise UnreadableFile(1, _EMPTY, _NOTHING)
    for signature, message in _OTHER_FILES.items():
        if head.startswith(signature):
            raise UnreadableFile(1, message, f"The body is not text. {_CONVERT}")
    if head.startswith(_UTF_32_MARKS):
        raise UnreadableFile(1, _UTF_32, f"The body is in UTF-32. {_SEND}", code=_INVALID_ENCODING)


def _text_format(file: BinaryIO, encoding: str, expected: Format | None) -> Format:
    """Return the kind of a text: what is `expected`, unless the text is clearly another, else what it begins with."""
    beginnings = (text.lstrip(_BLANKS)[:_HEAD_BYTES] for text in codecs.iterdecode(_pieces(file), encoding))
    start = next(filter(None, beginnings), "")
    if not start:
        raise UnreadableFile(1, _EMPTY, _NOTHING)
    has_headings = _has_headings_in_brackets(start)
    if start.startswith("<") and not has_headings:
        raise UnreadableFile(1, _MARKUP, f"The body is a web page or XML. {_CONVERT}")
    found = next((format for format, begins in _BEGINS.items() if begins(start)), _ANY_OTHER_TEXT)
    may_be_table = expected is _ANY_OTHER_TEXT or (expected is None and has_headings)
    if may_be_table and not _ELEMENTS.match(start):
        return _ANY_OTHER_TEXT
    if not found.is_table and not encoding.startswith("utf-8"):
        raise UnreadableFile(1, _JSON_NOT_UTF_8, f"The body looks like JSON. {_CONVERT}")
    return found


def _has_headings_in_brackets(start: str) -> bool:
    """Return whether the first cell of a text that begins with a bracket is a heading such as `[Account]`."""
    line = start.splitlines()[0]
    cells = (line.partition(delimiter)[0] for delimiter in DELIMITERS if delimiter in line)
    return any(_HEADING.fullmatch(cell) for cell in cells)


def _certain_encoding(file: BinaryIO, head: bytes, declared: str | None) -> tuple[str | None, int]:
    """Return the codec of the whole text that is `declared`, or that the text shows, and 0; else None and the first
    line that is not UTF-8. Raises UnreadableFile for a text that contradicts what is declared or shown.
    """
    shown = encoding_shown_by(head)
    codec = codec_for(declared, head) if declared else shown or "utf-8"
    broken = 1 if codec is None else broken_line(_pieces(file), codec)
    is_open = declared is None and shown is None
    if broken is None and not (is_open and any(_SHIFT in piece for piece in _pieces(file))):
        return codec, 0
    if is_open:
        return None, broken or 1
    raise _broken(broken or 1, declared or ("UTF-16" if shown and shown.startswith("utf-16") else "UTF-8"))


def _guessed_encoding(file: BinaryIO, broken: int, *, may_guess: bool) -> tuple[str, FileFindings]:
    """Return the codec of the most plausible encoding of the text, and all plausible ones.

    Raises UnreadableFile if nobody is there to check it, and for a text with some lines in UTF-8 or in no encoding.
    """
    if any(_CONTROLS.search(piece.rstrip(b"\x1a")) for piece in _pieces(file)):
        raise UnreadableFile(1, _NO_TEXT, f"The body is not text. {_CONVERT}")
    offered = plausible_encodings(_pieces(file))
    name = next((name for name, _text in offered if broken_line(_pieces(file), ENCODINGS[name]) is None), None)
    lines = (line for piece in _pieces(file) for line in piece.splitlines() if not line.isascii())
    if name is None or (name not in WIDE_ENCODINGS and any(broken_line([line], "utf-8") is None for line in lines)):
        raise _broken(broken, "UTF-8")
    if not may_guess:
        names = islice(encodings_by_look(offered).items(), _MOST_LOOKS)
        looks = "; ".join(f"{', '.join(named)}: {shortened(text)}" for text, named in names)
        raise UnreadableFile(broken, _UNCERTAIN.format(looks=looks), code="UNCERTAIN_ENCODING")
    return ENCODINGS[name], FileFindings(is_encoding_certain=False, encodings=offered)


def _broken(line: int, encoding: str) -> UnreadableFile:
    to_program = f"The line is not in the charset {encoding}. {_SEND}"
    return UnreadableFile(line, _BROKEN_TEXT.format(encoding=encoding), to_program, code=_INVALID_ENCODING)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    return iter(partial(file.read, _CHUNK), b"")
