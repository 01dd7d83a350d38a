"""However large a file is, and whatever it hides: only the current part is in memory."""

import json
import tempfile
import tracemalloc

import pytest

from bulkops.files.formats.reading import open_source
from bulkops.files.formats.rows import FileShape, UnreadableFile
from bulkops.files.formats.table import element_writer, table_writer
from dimensions_site.text.files import Format
from tests.bulkops.files.formats.files import as_excel_saves, workbook

FEW, MANY = 4_000, 12_000
# By what buffers and caches may differ.
SLACK = 1024**2


def peak(write):
    """The peak of Python's memory while it read the file that `write` has written; and the rows."""
    with tempfile.TemporaryFile() as file:
        write(file)
        file.seek(0)
        tracemalloc.start()
        try:
            rows = 0
            with open_source(file) as source:
                for _ in source.rows():
                    rows += 1
        except UnreadableFile:
            pass
        finally:
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return most, rows


def of_rows(shape, count):
    def write(file):
        if shape.format.is_table:
            table = table_writer(shape, file)
            table.headings(["id", "name"])
            for number in range(count):
                table.row([f"{number:06d}", f"Account {number}"])
            table.close()
        else:
            elements = element_writer(shape, file)
            for number in range(count):
                elements.text(json.dumps({"id": f"{number:06d}", "name": f"Account {number}"}))
            elements.close()

    return write


@pytest.mark.parametrize(
    "shape",
    [*(FileShape(format) for format in Format), FileShape(Format.CSV, gzipped=True)],
    ids=lambda shape: shape.ending,
)
def test_memory_is_flat_whatever_the_number_of_rows(shape):
    """100,000 accounts take at most 1,000."""
    few, _ = peak(of_rows(shape, FEW))
    many, rows = peak(of_rows(shape, MANY))
    assert rows == MANY
    assert many < few + SLACK


def test_memory_is_flat_with_texts_that_excel_stores_beside_the_cells():
    """Excel keeps all texts in one part; they are looked up in a temporary file."""

    def of_texts(count):
        content = as_excel_saves(workbook(["id", "name"], *([str(row), f"{row:0200}"] for row in range(count))))
        return lambda file: file.write(content)

    few, _ = peak(of_texts(FEW))
    many, rows = peak(of_texts(MANY))
    assert rows == MANY
    assert many < few + SLACK
