"""What files and bodies are: their format, their encoding, and whether they are compressed.

`bulkops.files.formats.table` reads and writes the formats.
"""

import codecs
from collections.abc import Iterable
from contextlib import suppress
from enum import StrEnum

GZIP_SIGNATURE = b"\x1f\x8b"
# What is compressed to less than this share of its size is an attack, if it is larger than any list of short codes.
MAX_RATIO = 200
RATIO_COUNTS_FROM_BYTES = 64 * 1024**2
# Codecs for one form of an encoding; the text itself shows which form it has.
_FORMS = {"utf-8-sig": "utf-8", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}


class Format(StrEnum):
    """A file format: its file extension and media type, and whether it has headings and cells."""

    media_type: str
    # Otherwise it contains elements in wire form.
    is_table: bool

    CSV = "csv", "text/csv", True
    XLSX = "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", True
    JSON = "json", "application/json", False
    NDJSON = "ndjson", "application/x-ndjson", False

    def __new__(cls, ending: str, media_type: str = "", is_table: bool = False) -> "Format":
        member = str.__new__(cls, ending)
        member._value_ = ending
        member.media_type = media_type
        member.is_table = is_table
        return member

    @property
    def content_type(self) -> str:
        return f"{self.media_type}; charset=utf-8" if self.media_type.startswith("text/") else self.media_type

    @classmethod
    def listed(cls) -> str:
        *others, last = (format.upper() for format in cls)
        return f"{', '.join(others)} or {last}"


def known_encoding(name: str, known: Iterable[str]) -> str | None:
    """Return the one of the `known` names that means the same encoding as `name`, such as latin1; None if none does."""
    codec = _codec(name)
    return next((each for each in known if codec == _codec(each)), None)


def _codec(name: str) -> str:
    """Return the name of Python's codec; empty if there is none."""
    for spelled in (name, name.replace("-", "")):
        with suppress(LookupError, ValueError):
            codec = codecs.lookup(spelled).name
            return _FORMS.get(codec, codec)
    return ""


def is_trap(size: int, compressed_size: int) -> bool:
    """Return whether data of `size` bytes, compressed to `compressed_size`, is compressed beyond any real data."""
    return size > RATIO_COUNTS_FROM_BYTES and size > MAX_RATIO * compressed_size
