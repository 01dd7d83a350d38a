"""Files that are read as tables, and files that are not."""

import pytest

from account.models import Account
from tests.factories import account, read

HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType\n"
CASH = "1000,Cash,BALANCE_SHEET,NORMAL,FINAL\n"


def ids() -> list[str]:
    return sorted(Account.objects.values_list("element_id", flat=True))


@pytest.mark.contract("H4")
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "with byte-order mark"])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_utf_8_is_read_with_and_without_a_byte_order_mark(import_accounts, mark, line_end):
    """The first heading stays `id`, whatever program has saved the file; the last line may lack its end."""
    table = (HEADINGS + "1000,Caisse à Zürich 现金,BALANCE_SHEET,NORMAL,FINAL").encode()
    outcome = import_accounts(mark + table.replace(b"\n", line_end))

    assert outcome.output == "Imported into northwind: 1 created, 0 changed, 0 unchanged.\n"
    assert Account.objects.get().descriptions == {"en": "Caisse à Zürich 现金"}


@pytest.mark.contract("C19")
def test_text_is_stored_exactly_as_it_stands_in_the_cell(import_accounts, alice):
    """Leading zeros, blanks around a text, quotes and line breaks are content."""
    import_accounts(HEADINGS + '0010," He said ""cash""\r\nand left ",BALANCE_SHEET,NORMAL,FINAL\n')

    stored = read(alice.get(alice.account("elements/0010")))
    assert stored["id"] == "0010"
    assert stored["descriptions"] == {"en": ' He said "cash"\r\nand left '}


@pytest.mark.contract("H4")
def test_a_fault_is_reported_with_the_line_on_which_its_row_begins(import_accounts):
    """Line breaks inside quotes count as lines, as every text editor counts them."""
    outcome = import_accounts(
        HEADINGS + '1,"two\nlines",BALANCE_SHEET,NORMAL,FINAL\n2,"three\nmore\nlines",WRONG,NORMAL,FINAL\n'
        "3,Three,WRONG,NORMAL,FINAL\n"
    )
    assert [fault.partition(":")[0] for fault in outcome.faults] == ["line 4, nature", "line 7, nature"]


@pytest.mark.contract("H4")
def test_rows_without_any_text_are_passed_over(import_accounts):
    """Spreadsheets leave them at the end of a file; they count as lines all the same."""
    outcome = import_accounts(HEADINGS + "\n" + CASH + ",,,,\n\n7,Seven,WRONG,NORMAL,FINAL\n")
    assert [fault.partition(":")[0] for fault in outcome.faults] == ["line 6, nature"]


@pytest.mark.contract("H4")
@pytest.mark.parametrize(("row", "cells"), [("1000,Cash\n", "2 cells"), (CASH.strip() + ",more\n", "6 cells")])
def test_a_row_with_another_number_of_cells_than_headings_is_a_fault(import_accounts, row, cells):
    """It would be unclear which cell belongs under which heading."""
    outcome = import_accounts(HEADINGS + row)
    assert outcome.faults == [f"line 2: The row has {cells}, but there are 5 headings."]
    assert ids() == []


@pytest.mark.contract("H4")
@pytest.mark.parametrize(
    ("table", "fault"),
    [
        (b"", "line 1: The first line has to have the headings, such as id,descriptions.en."),
        (b"\n1000,Cash\n", "line 1: The first line has to have the headings, such as id,descriptions.en."),
        (b"id,nature,id\n", "line 1: The heading 'id' stands there 2 times."),
        (
            b"id;nature;type\n",
            "line 1: The headings are separated by semicolons; separate headings and cells by commas.",
        ),
        (b"id\tnature\n", "line 1: The headings are separated by tabs; separate headings and cells by commas."),
    ],
    ids=["empty file", "no headings", "heading twice", "semicolons", "tabs"],
)
def test_a_file_that_is_no_table_is_refused_in_plain_words(import_accounts, table, fault):
    """One sentence tells what is wrong with the file as a whole."""
    outcome = import_accounts(table)
    assert outcome.faults == [fault]
    assert outcome.refusal == "Nothing was imported: 1 fault."


@pytest.mark.contract("H4")
@pytest.mark.parametrize(
    ("encoding", "line"), [("latin-1", 3), ("utf-16", 1), ("utf-16-le", 1)], ids=["Latin-1", "UTF-16", "no mark"]
)
def test_another_encoding_is_refused_at_the_first_line_that_shows_it(import_accounts, encoding, line):
    """Guessing an encoding would store wrong letters."""
    table = HEADINGS + CASH + "1100,Büro,BALANCE_SHEET,NORMAL,FINAL\n" + CASH * 2000
    outcome = import_accounts(table.encode(encoding))
    message = "The line has characters that are not UTF-8. Save the file again as 'CSV UTF-8'."
    assert outcome.faults[-1] == f"line {line}: {message}"
    assert ids() == []


@pytest.mark.contract("B3", "H4")
def test_a_nul_is_no_character_of_a_text(import_accounts):
    """PostgreSQL cannot store it, and no accountant means it."""
    outcome = import_accounts(HEADINGS + CASH + "1100,a\x00b,BALANCE_SHEET,NORMAL,FINAL\n")
    assert [fault.partition(":")[0] for fault in outcome.faults] == ["line 3"]
    assert ids() == []


@pytest.mark.contract("H4")
@pytest.mark.parametrize("row", ['1100,"never closed,A\n1200,B\n', '1100,"closed" too early,B\n'])
def test_broken_quotes_are_reported_where_the_row_begins(import_accounts, row):
    """The faults of the rows before are reported too."""
    outcome = import_accounts(HEADINGS + "1000,Cash,WRONG,NORMAL,FINAL\n" + row)
    assert [fault[:6] for fault in outcome.faults] == ["line 2", "line 3"]
    assert "quotes are closed" in outcome.faults[1]


@pytest.mark.contract("H4")
def test_a_table_without_rows_imports_nothing(import_accounts):
    """It is no fault to have nothing to say."""
    outcome = import_accounts(HEADINGS)
    assert outcome.output == "Imported into northwind: 0 created, 0 changed, 0 unchanged.\n"


@pytest.mark.contract("H4")
def test_columns_may_come_in_any_order_and_in_any_number(import_accounts, alice):
    """Only the fields that an element needs have to be there."""
    alice.send("POST", alice.account(), account("1000"))
    outcome = import_accounts("documentationLink,id\nhttps://manual.example.com/cash,1000\n")
    assert outcome.output == "Imported into northwind: 0 created, 1 changed, 0 unchanged.\n"
