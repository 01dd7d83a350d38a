"""The bodies of a bulk save besides JSON: lines of elements, and tables (contract K3)."""

from dataclasses import dataclass

from dimensions_site.api.json.raw import check_text
from dimensions_site.api.parsers import BulkBodyParser, StrictJSONParser
from dimensions_site.text.file_formats import Format


@dataclass(frozen=True)
class Lines:
    """A body with one element on each line, in UTF-8."""

    content: bytearray


@dataclass(frozen=True)
class Table:
    """A body in CSV, whose text is not checked yet."""

    content: bytearray


class LinesParser(StrictJSONParser):
    """Passes NDJSON to the view as `Lines`."""

    media_type = Format.NDJSON.media_type
    limit = BulkBodyParser.limit

    def value(self, body: bytearray) -> Lines:
        """Return the body. Raises JsonError for an empty one and for another encoding."""
        check_text(body)
        return Lines(body)


class TableParser(StrictJSONParser):
    """Passes CSV to the view as `Table`."""

    media_type = Format.CSV.media_type
    limit = BulkBodyParser.limit

    def value(self, body: bytearray) -> Table:
        """Return the body."""
        return Table(body)
