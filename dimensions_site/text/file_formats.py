"""The file formats for elements. `bulkops.files.formats.table` reads and writes them."""

from enum import StrEnum


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
        """Return the header Content-Type of such a file."""
        return f"{self.media_type}; charset=utf-8" if self.media_type.startswith("text/") else self.media_type

    @classmethod
    def listed(cls) -> str:
        """Return the names of all formats as an enumeration."""
        *others, last = (format.upper() for format in cls)
        return f"{', '.join(others)} or {last}"
