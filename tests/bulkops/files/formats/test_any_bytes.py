"""Whatever bytes a file has: it is read, or refused with a sentence, and nothing else happens."""

import gzip
import tempfile
import zipfile
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bulkops.files.formats.reading import open_source
from bulkops.files.formats.rows import ReadingOptions
from tests.bulkops.files.formats.files import SHEET, STRINGS, as_excel_saves, read, with_parts, workbook

ROWS: list[list[Any]] = [["id", "name", "value"], ["0010", "Büro", 5], ["0020", '"quoted"; text', True]]
WORKBOOK = as_excel_saves(workbook(*ROWS))
TABLE = "\r\n".join(";".join(f'"{cell}"' for cell in row) for row in ROWS).encode()
LINES = b'{"id": "0010", "name": {"de": "B\xc3\xbcro"}}\n{"id": "0020"}\n'
SAMPLES = [
    WORKBOOK,
    TABLE,
    TABLE.decode().encode("utf-16"),
    TABLE.decode().encode("cp1252"),
    LINES,
    b"[" + LINES.strip().replace(b"\n", b",") + b"]",
    gzip.compress(TABLE, mtime=0),
]
PARTS = [SHEET, STRINGS, "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/styles.xml", "_rels/.rels"]


@st.composite
def damaged(draw, content):
    """The content with a piece of it replaced by something else, here and there."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        end = min(start + draw(st.integers(0, 12)), len(content))
        new = st.one_of(st.binary(max_size=8), st.sampled_from([b'"', b"\x00", b"<", b">", b"-1", b"99999999", b"1e9"]))
        content = content[:start] + draw(new) + content[end:]
    return content


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content):
    read(content)


@given(st.sampled_from(SAMPLES).flatmap(damaged))
def test_a_file_that_was_damaged_is_read_or_refused(content):
    read(content)


@given(st.data())
def test_a_workbook_with_a_damaged_part_is_read_or_refused(data):
    """The archive is whole; what is in it is not what Excel writes."""
    name = data.draw(st.sampled_from(PARTS))
    with zipfile.ZipFile(BytesIO(WORKBOOK)) as source:
        part = source.read(name)
    read(with_parts(WORKBOOK, {name: lambda _part: data.draw(damaged(part))}))


@pytest.mark.parametrize("content", SAMPLES, ids=["XLSX", "CSV", "UTF-16", "Windows", "NDJSON", "JSON", "gzip"])
def test_a_file_may_be_put_aside_after_its_first_row(content):
    """A preview does that; the file is as open as before, and can be read again."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        for _ in range(2):
            with open_source(file, ReadingOptions(may_guess=True)) as source:
                next(source.rows())
                assert 0 < source.progress() <= 1
        assert not file.closed


@pytest.mark.parametrize("content", SAMPLES, ids=["XLSX", "CSV", "UTF-16", "Windows", "NDJSON", "JSON", "gzip"])
def test_what_goes_wrong_with_the_rows_is_not_taken_for_an_error_of_the_file(content):
    """An operator who looks for a bug in the service would search in the file."""

    def import_it():
        with tempfile.TemporaryFile() as file:
            file.write(content)
            with open_source(file, ReadingOptions(may_guess=True)) as source:
                for _ in source.rows():
                    raise KeyError("ours")

    with pytest.raises(KeyError, match="ours"):
        import_it()
