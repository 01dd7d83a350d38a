"""Files without a table or elements: each gets a sentence that says what to do."""

import codecs
import gzip
import zipfile

import pytest

from dimensions_site.text.files import Format
from tests.bulkops.files.formats.files import archive, read, workbook, zeros_in_gzip

TABLE = b"id,name\n1000,Cash\n"
SAVE_TABLE = (
    "Open it in the program that it comes from, save the table as an Excel workbook (.xlsx) or as 'CSV UTF-8' and load "
    "that."
)
SAVE_WORKBOOK = "Open it in the program that it comes from, save it as an Excel workbook (.xlsx) and load that."
DAMAGED = "The file is damaged or incomplete; its transfer may have been interrupted. Fetch or save it once more."
TOO_LARGE = "The file is compressed and would be far too large when decompressed. Split it into several files."
MARKUP = (
    "This is a web page or XML, even if its name ends like that of a workbook. Open it in Excel, save it as an Excel "
    "workbook (.xlsx) or as 'CSV UTF-8' and load that."
)


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (b"", "The file is empty. Save it again and load that."),
        (b" \r\n\t\n", "The file is empty. Save it again and load that."),
        (codecs.BOM_UTF8, "The file is empty. Save it again and load that."),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512),
            (
                "This is an Excel file of the old kind (.xls), or a workbook with a password. Save it without a "
                "password as an Excel workbook (.xlsx) or as 'CSV UTF-8' and load that."
            ),
        ),
        *(
            (
                start + bytes(64),
                (
                    "This is an Excel file of the old kind (.xls), or a workbook with a password. Save it without a "
                    "password as an Excel workbook (.xlsx) or as 'CSV UTF-8' and load that."
                ),
            )
            for start in (b"\t\x08\x08\x00\x00\x05\x05\x00", b"\t\x00\x04\x00\x02\x00\x10\x00")
        ),
        (b"MIME-Version: 1.0\nContent-Type: multipart/related\n\n<html></html>", MARKUP),
        (b"%PDF-1.7\n", f"This is a PDF file, and no table can be read from it. {SAVE_TABLE}"),
        (b"\x89PNG\r\n\x1a\n", f"This is a picture, and no table can be read from it. {SAVE_TABLE}"),
        (b"<html><table><tr><td>1000</td></tr></table></html>", MARKUP),
        ('\n<?xml version="1.0"?><Workbook/>'.encode("utf-16"), MARKUP),
        (b"<p>Cash, bank</p>\n<br/>,\n", MARKUP),
        (b"<br/>,1000\n", MARKUP),
        (b"7z\xbc\xaf\x27\x1c", "The file is compressed with 7-Zip. Decompress it and load its content."),
        (
            bytes(range(1, 256)) * 10,
            f"This is neither a workbook nor a text, so nothing can be read from it. {SAVE_TABLE}",
        ),
        (
            "id,name\n1000,現金\n".encode("iso-2022-jp"),
            f"This is neither a workbook nor a text, so nothing can be read from it. {SAVE_TABLE}",
        ),
        (
            codecs.BOM_UTF32_LE + TABLE.decode().encode("utf-32-le"),
            "The text is in UTF-32, which is not supported. Save the file again as 'CSV UTF-8'.",
        ),
        (
            archive(mimetype=b"application/vnd.oasis.opendocument.spreadsheet"),
            f"This is a document of LibreOffice (.ods). {SAVE_WORKBOOK}",
        ),
        (archive(**{"xl/workbook.bin": b""}), f"This is a binary workbook (.xlsb). {SAVE_WORKBOOK}"),
        (
            archive(**{"word/document.xml": b""}),
            "This is a text document of Word. Copy its table into a workbook, and load that.",
        ),
        (
            archive(**{"accounts.csv": TABLE}),
            "This is a zip archive, not a workbook. Extract it and load the file in it.",
        ),
        *(
            (
                archive(compression, **{"xl/workbook.xml": TABLE}),
                (
                    "The file is compressed in a way that Excel does not know, such as bzip2 or LZMA. Save the table "
                    "again in Excel or LibreOffice as an Excel workbook (.xlsx) and load that."
                ),
            )
            for compression in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
        ),
        (archive(), "This is a zip archive, not a workbook. Extract it and load the file in it."),
        (workbook(["id"], ["1000"])[:-100], DAMAGED),
        (b"PK\x03\x04" + bytes(100), DAMAGED),
        (gzip.compress(TABLE)[:-12], DAMAGED),
        (gzip.compress(TABLE)[:-4] + b"\x00\x00\x00\x01", DAMAGED),
        (gzip.compress(TABLE) + b"more", DAMAGED),
        (b"\x1f\x8b" + b"no gzip", DAMAGED),
        (
            gzip.compress(gzip.compress(TABLE)),
            "The file is compressed with gzip twice. Decompress it once and load that.",
        ),
    ],
    ids=range(31),
)
def test_a_file_that_cannot_be_read_is_answered_by_what_to_do(content, refusal):
    """Accountants know their programs, not formats."""
    outcome = read(content)
    assert outcome.refusal == f"line 1: {refusal}"
    assert not (outcome.rows)
    assert not (outcome.elements)
    assert not outcome.failures


@pytest.mark.parametrize(
    "compress",
    [zeros_in_gzip, lambda size: archive(**{"xl/worksheets/sheet1.xml": bytes(size)})],
    ids=["gzip bomb", "zip bomb"],
)
def test_a_small_file_that_decompresses_to_a_huge_one_is_refused(compress):
    """What is in it is read no further than what an import accepts."""
    outcome = read(compress(128 * 1024**2))
    assert outcome.refusal == f"line 1: {TOO_LARGE}"
    assert not outcome.rows


def test_an_archive_of_countless_parts_is_refused_before_they_are_listed():
    """The list of a million parts is small in the file, and huge in memory."""
    content = archive(**{f"{number:0100}": b"" for number in range(8_000)})
    assert read(content).refusal == f"line 1: {TOO_LARGE}"


@pytest.mark.parametrize("content", [TABLE, workbook(["id", "name"], ["1000", "Cash"])], ids=["CSV", "workbook"])
def test_a_compressed_table_is_read_like_a_plain_one(content):
    outcome = read(gzip.compress(content))
    assert outcome.shape is not None
    assert outcome.shape.gzipped
    assert outcome.cells == [{"id": "1000", "name": "Cash"}]


@pytest.mark.parametrize(
    "headings",
    [
        "[Account],[Name],nature",
        "[Account];[Name];nature",
        "[Account]\t[Name]\tnature",
        "{Konto},{Name},nature",
        "{Konto, neu};Name;nature",
        "[SKR03] Konto;Name;nature",
        '["Account"],["Name"],nature',
        " [Account],[Name],nature",
        "<Konto>;<Name>;nature",
        "<Konto-Nr.>\t<Name>\tnature",
    ],
)
@pytest.mark.parametrize("format", [None, Format.CSV])
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_table_whose_first_heading_is_in_brackets_is_a_table(headings, format, codec):
    """The kind follows from the whole line, and from what the user says."""
    delimiter = next(each for each in ";\t," if each in headings)
    outcome = read(f"{headings}\n{delimiter.join(['0090', 'Cash', 'X'])}\n".encode(codec), format)
    assert outcome.shape is not None
    assert (outcome.shape.format, outcome.refusal) == (Format.CSV, None)
    assert [list(row.values()) for row in outcome.cells] == [["0090", "Cash", "X"]]


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (b'[{"id": "A"}', Format.JSON),
        (b'[{"id": "A"},]', Format.JSON),
        (b"[1, 2]", Format.JSON),
        (b"[{'id': 'A'}, {'id': 'B'}]", Format.JSON),
        (b'{"id": "A"},\n{"id": "B"}', Format.NDJSON),
        (b"{id: 1, name: 2}", Format.NDJSON),
    ],
)
def test_broken_json_is_json(content, format):
    """Its errors say where it is broken."""
    outcome = read(content)
    assert outcome.shape is not None
    assert outcome.shape.format is format
    assert outcome.refusal or outcome.messages


def test_the_format_csv_is_obeyed_unless_the_text_is_json():
    content = b"{a:b},name\n1,Cash\n"
    assert read(content, Format.CSV).headings == ["{a:b}", "name"]
    assert read(b"{}", Format.CSV).refusal is not None


@pytest.mark.parametrize(
    ("content", "looks"),
    [
        (TABLE, (Format.CSV, "a table in CSV")),
        (workbook(["id"]), (Format.XLSX, "an Excel workbook")),
        (b"[]", (Format.JSON, "an array in JSON")),
        (b"{}", (Format.NDJSON, "one JSON object on each line")),
    ],
    ids=["CSV", "workbook", "JSON", "NDJSON"],
)
@pytest.mark.parametrize("format", Format)
def test_a_format_that_is_given_has_to_be_the_true_one(content, looks, format):
    """The name of the file is ignored, and a wrong option is rejected."""
    found, description = looks
    message = (
        f"line 1: The file is read as {format}, but it looks like {description}. Choose the format {found}, or none."
    )
    assert read(content, format).refusal == (None if format is found else message)
