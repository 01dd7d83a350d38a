"""What is written is read again as it was, and other programs read it, too."""

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from openpyxl import load_workbook

from bulkops.files.formats.rows import FileShape
from bulkops.files.formats.table import table_writer
from bulkops.files.workbooks.writing import MAX_TEXT
from dimensions_site.text.files import Format
from tests.bulkops.files.formats.files import read

# Every valid character, and often those that a format treats specially.
CELLS = st.text(
    st.one_of(
        st.sampled_from("_x005FD,;\t\r\n\"'= \x01\x1f\x85\u2028\ufeff\ufffe"),
        st.characters(exclude_categories=["Cs"], exclude_characters="\x00"),
    ),
    max_size=20,
)
ROWS = st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=5)
HEADINGS = ["id", "descriptions.de", "customAttributes.a b"]
CSV_SHAPES = [
    FileShape(Format.CSV, encoding, delimiter, gzipped)
    for encoding in ("utf-8", "utf-8-sig", "utf-16")
    for delimiter in (",", ";", "\t")
    for gzipped in (False, True)
]
WORKBOOK_SHAPES = [FileShape(Format.XLSX), FileShape(Format.XLSX, gzipped=True)]


def written(shape, headings, rows):
    file = io.BytesIO()
    writer = table_writer(shape, file)
    writer.headings(headings)
    for row in rows:
        writer.row(row)
    writer.close()
    return file.getvalue()


@pytest.mark.contract("C19", "H4")
@given(st.sampled_from(CSV_SHAPES + WORKBOOK_SHAPES), ROWS)
@example(FileShape(Format.XLSX), [["_x0041\x01", "_x005F_", "_x_x0041_"]])
@example(FileShape(Format.CSV), [["sep=;", "", '"'], ["\r", "\n", "\r\n"]])
@example(FileShape(Format.XLSX), [["=1+1", "#N/A", "2026-01-31"], ["\r", "\n", " \r\n "]])
def test_texts_come_back_exactly(shape, rows):
    """Zeros, blanks, line ends and controls are content; a row of blanks, which has no id, is skipped."""
    outcome = read(written(shape, HEADINGS, rows))
    assert (outcome.refusal, outcome.failures) == (None, [])
    assert [list(row.values()) for row in outcome.cells] == [row for row in rows if any(map(str.strip, row))]
    assert outcome.shape == shape


@pytest.mark.parametrize("shape", [FileShape(Format.CSV), FileShape(Format.XLSX)], ids=["CSV", "XLSX"])
def test_other_values_are_written_as_their_text(shape):
    """None is an empty cell; a number with too many digits for Excel is a text there."""
    rows = [["1", None, 1.5], ["2", 20, 0], ["3", 12345678901234567890, -5]]
    assert [list(row.values()) for row in read(written(shape, HEADINGS, rows)).cells] == [
        ["1", "", "1.5"],
        ["2", "20", "0"],
        ["3", "12345678901234567890", "-5"],
    ]


def test_csv_is_written_as_rfc_4180_says_and_as_excel_likes_it():
    shape = FileShape(Format.CSV, "utf-8-sig", ";")
    assert written(shape, ["id", "name"], [["0010", 'a;"b"\n']]) == b'\xef\xbb\xbfid;name\r\n0010;"a;""b""\n"\r\n'


def test_a_letter_that_the_encoding_lacks_stays_visible():
    """The file of rejected rows has the encoding of the imported file, whatever the reasons contain."""
    assert written(FileShape(Format.CSV, "cp1252"), ["id"], [["ü 现"]]) == b"id\r\n\xfc \\u73b0\r\n"


def test_excel_finds_texts_typed_and_the_headings_in_sight():
    """openpyxl stands for Excel here: no formula, no error, codes as texts, the first row bold and fixed."""
    content = written(
        FileShape(Format.XLSX), ["id", "a", "b", "c"], [["=1+1", "#N/A", True, 20], ["0010", None, "", " x"]]
    )
    sheet = load_workbook(io.BytesIO(content)).worksheets[0]
    assert [[(cell.data_type, cell.value) for cell in row] for row in sheet.iter_rows(min_row=2)] == [
        [("s", "=1+1"), ("s", "#N/A"), ("b", True), ("n", 20)],
        [("s", "0010"), ("n", None), ("n", None), ("s", " x")],
    ]
    assert sheet.freeze_panes == "A2"
    assert sheet["A1"].font.b
    assert sheet["A2"].number_format == sheet.column_dimensions["A"].number_format == "@"


def test_a_text_that_no_cell_of_excel_can_hold_is_cut():
    """Excel would call the workbook damaged; no field of an element is as long."""
    outcome = read(written(FileShape(Format.XLSX), ["id"], [["x" * (MAX_TEXT + 1)]]))
    assert outcome.cells == [{"id": "x" * MAX_TEXT}]


def test_a_writer_that_is_given_up_says_nothing():
    """Whoever breaks off an export closes its file and throws it away."""
    file = io.BytesIO()
    writer = table_writer(FileShape(Format.XLSX), file)
    writer.headings(["id"])
    file.close()
    del writer
