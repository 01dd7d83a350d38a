"""Files as the import reads them: whatever program has made one, the elements are the same."""

import gzip
import io
import json

import pytest
from openpyxl import Workbook

from account.models import Account

HEADINGS = ["id", "descriptions.en", "nature", "type", "conversion.conversionType"]
CASH = ["0010", "Caisse à Zürich", "BALANCE_SHEET", "NORMAL", "FINAL"]
ELEMENT = {
    "id": "0010",
    "descriptions": {"en": "Caisse à Zürich"},
    "nature": "BALANCE_SHEET",
    "type": "NORMAL",
    "conversion": {"conversionType": "FINAL"},
}


def csv(delimiter: str, encoding: str) -> bytes:
    return "\r\n".join(delimiter.join(row) for row in (HEADINGS, CASH)).encode(encoding)


def workbook() -> bytes:
    """A workbook in which somebody has typed the code as a number, and given it a format with zeros."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append(HEADINGS)
    sheet.append([10, *CASH[1:]])
    sheet["A2"].number_format = "0000"
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


@pytest.mark.contract("H4")
@pytest.mark.parametrize("gzipped", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    "content",
    [
        csv(",", "utf-8"),
        csv(";", "utf-8-sig"),
        csv("\t", "utf-16"),
        csv(";", "cp1252"),
        workbook(),
        json.dumps([ELEMENT]).encode(),
        json.dumps(ELEMENT).encode(),
    ],
    ids=["CSV", "Excel's UTF-8", "Excel's Unicode", "Windows", "workbook", "JSON", "NDJSON"],
)
def test_an_element_is_the_same_from_whatever_file(import_accounts, content, gzipped):
    """The code keeps its zeros, the letters are the right ones, and nobody has to say what the file is.

    But for an encoding that the text does not show.
    """
    words = ["--encoding", "cp1252"] if content == csv(";", "cp1252") else []
    outcome = import_accounts(gzip.compress(content) if gzipped else content, *words)

    assert (outcome.errors, outcome.refusal) == ([], None)
    stored = Account.objects.get()
    assert (stored.element_id, stored.descriptions) == ("0010", {"en": "Caisse à Zürich"})
    assert stored.conversion_type == "FINAL"


@pytest.mark.contract("H4")
def test_an_error_is_reported_with_the_line_on_which_its_row_begins(import_accounts):
    """Line breaks inside quotes count as lines, as every text editor counts them; so do rows without any text."""
    outcome = import_accounts(
        ",".join(HEADINGS)
        + '\n1,"two\nlines",BALANCE_SHEET,NORMAL,FINAL\n2,"three\nmore\nlines",WRONG,NORMAL,FINAL\n,,,,\n\n'
        + "3,Three,WRONG,NORMAL,FINAL\n"
    )
    assert [error.partition(":")[0] for error in outcome.errors] == ["line 4, nature", "line 9, nature"]
    assert not Account.objects.exists()


@pytest.mark.contract("H4")
@pytest.mark.parametrize(
    "end",
    ["1100,Bank,a,b,c,d\n", '1100,"never closed,A\n1200,B\n', "1100,a\x00b,BALANCE_SHEET,NORMAL,FINAL\n"],
    ids=["long row", "open quote", "NUL"],
)
def test_a_file_that_cannot_be_read_to_its_end_saves_nothing(import_accounts, end):
    """The errors of the rows before are reported, too."""
    rows = [HEADINGS, CASH, ["1000", "Cash", "WRONG", "NORMAL", "FINAL"]]
    outcome = import_accounts("".join(",".join(row) + "\n" for row in rows) + end)
    assert [error.partition(":")[0] for error in outcome.errors] == ["line 3, nature", "line 4"]
    assert not Account.objects.exists()


@pytest.mark.contract("H4")
@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", "line 1: The file is empty."),
        (b"%PDF-1.7", "line 1: This is a PDF file"),
        (b"id,id\n", "line 1, id (2): The heading 'id' is repeated."),
    ],
    ids=["empty", "PDF", "heading twice"],
)
def test_a_file_without_elements_is_refused_with_a_clear_message(import_accounts, content, error):
    outcome = import_accounts(content)
    assert [found[: len(error)] for found in outcome.errors] == [error]
    assert outcome.refusal


@pytest.mark.contract("H4")
def test_a_table_without_rows_imports_nothing(import_accounts):
    """An empty table is not an error."""
    outcome = import_accounts(",".join(HEADINGS) + "\n")
    assert (outcome.errors, outcome.refusal) == ([], None)
