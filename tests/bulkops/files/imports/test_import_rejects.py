"""Rows with errors go to a separate file, are corrected there, and are imported again."""

import csv
import gzip
import io
import json
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from account.models import Account
from bulkops.files.formats.rows import REASON, TEXT
from currency.models import Currency
from tests.bulkops.files.formats.files import saved
from tests.factories import currency

HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType\n"
CASH = "1000,Cash,BALANCE_SHEET,NORMAL,FINAL\n"

pytestmark = pytest.mark.contract("H4")


@pytest.fixture
def rejects(tmp_path: Path) -> Path:
    """The file for rejected rows, which is not there yet."""
    return tmp_path / "rejects"


def ids() -> list[str]:
    return list(Account.objects.order_by("element_id").values_list("element_id", flat=True))


def test_the_others_are_saved_and_the_rejected_ones_can_be_corrected_and_imported(import_accounts, rejects):
    """The file is like the one that was imported: a semicolon for a comma, the same headings, the same cells."""
    table = (
        "\ufeffid;descriptions.en;nature;type;conversion.conversionType;documentationLink\r\n"
        "1000;Cash;BALANCE_SHEET;NORMAL;FINAL;\r\n"
        '0010;"Bank; of ""Rome""\nand others";BALANCE;USUAL;FINAL;=1+1\r\n'
        "1200;Too;many;;;;cells\r\n"
        "1300;Fund;BALANCE_SHEET;NORMAL;FINAL;\r\n"
        "1000;Till;BALANCE_SHEET;NORMAL;FINAL;\r\n"
    )
    outcome = import_accounts(table, "--rejects", str(rejects))
    assert outcome.status == 3
    assert outcome.output.splitlines() == [
        "Imported into northwind: 2 created, 0 changed, 0 unchanged, 3 rejected.",
        f"The rejected rows are in {rejects}. Correct them and import that file.",
    ]
    assert [error.partition(":")[0] for error in outcome.errors] == [
        "line 3, nature",
        "line 3, type",
        "line 5",
        "line 7, id",
    ]
    assert ids() == ["1000", "1300"]
    assert Account.objects.get(element_id="1000").descriptions == {"en": "Cash"}

    content = rejects.read_text("utf-8-sig")
    first, *rows = csv.reader(io.StringIO(content, newline=""), delimiter=";")
    assert first == [*HEADINGS.strip().split(","), "documentationLink", REASON]
    assert [row[:-1] for row in rows] == [
        ["0010", 'Bank; of "Rome"\nand others', "BALANCE", "USUAL", "FINAL", "=1+1"],
        ["1200", "Too", "many", "", "", "", "cells"],
        ["1000", "Till", "BALANCE_SHEET", "NORMAL", "FINAL", ""],
    ]
    assert rows[0][-1].startswith("nature: nature must be one of BALANCE_SHEET, ")
    assert " | type: type must be one of " in rows[0][-1]
    assert rows[2][-1] == "id: The id '1000' is on line 2 already; it must appear only once."

    corrected = content.replace("BALANCE;USUAL", "BALANCE_SHEET;NORMAL")
    corrected = corrected.replace("many;;;;cells;", "BALANCE_SHEET;NORMAL;FINAL;;")
    outcome = import_accounts(corrected)
    assert outcome.output == "Imported into northwind: 2 created, 1 changed, 0 unchanged.\n"
    assert Account.objects.get(element_id="0010").documentation_link == "=1+1"


def test_a_rejected_row_that_is_rejected_again_has_its_new_reason_only(import_accounts, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    import_accounts(HEADINGS + CASH.replace("FINAL", "LAST"), "--rejects", str(first))
    import_accounts(
        first.read_bytes().replace(b"NORMAL", b"USUAL").replace(b"LAST", b"FINAL"), "--rejects", str(second)
    )
    assert first.read_text().count("\n") == second.read_text().count("\n") == 2
    assert "type must be" in second.read_text()
    assert "conversionType must be" not in second.read_text()
    assert second.read_text().count(REASON) == 1


@pytest.mark.parametrize("gzipped", [False, True])
@pytest.mark.parametrize("is_array", [False, True])
def test_elements_of_json_are_rejected_as_json(import_currencies, rejects, gzipped, is_array):
    """As they were sent, huge numbers included; what is not an element is a text."""
    faulty = currency("CHF", decimalNumbers=10**40, percentageDifference="0.1")
    lines = [json.dumps(element) for element in (currency("EUR"), faulty)] + ['"no element"']
    content = f"[{','.join(lines)}]" if is_array else "\n".join(lines)
    outcome = import_currencies(gzip.compress(content.encode()) if gzipped else content, "--rejects", str(rejects))
    assert (outcome.status, Currency.objects.count()) == (3, 1)
    written = gzip.decompress(rejects.read_bytes()) if gzipped else rejects.read_bytes()
    first, second = json.loads(written) if is_array else map(json.loads, written.splitlines())
    assert first.pop(REASON).startswith(
        "decimalNumbers: decimalNumbers must be a whole number from 0 to 20; got 1000000"
    )
    assert first == faulty
    assert second.keys() == {REASON, TEXT}
    assert second[TEXT] == '"no element"'

    corrected = {**first, "decimalNumbers": 3, REASON: "an old one"}
    assert import_currencies(json.dumps([corrected])).output.startswith("Imported into northwind: 1 created")


def test_a_number_keeps_its_digits_on_its_way_through_the_rejects(import_currencies, rejects):
    content = json.dumps(currency("EUR", preferred="yes")).replace('"0.0000"', "1.500")
    import_currencies(content, "--rejects", str(rejects))
    assert '"percentageDifference":1.500' in rejects.read_text()


def test_what_cannot_be_read_as_an_element_is_kept_as_it_was_written(import_currencies, rejects, tmp_path):
    """It is rejected until it is corrected, each time with the same message."""
    lines = [json.dumps(currency("EUR")), '{"id": "USD", "id": "CHF"}', '{"id": "NOK"', "", "5"]
    content = "\n".join(lines)
    outcome = import_currencies(content, "--rejects", str(rejects))
    assert [error.partition(":")[0] for error in outcome.errors] == ["line 2", "line 3", "line 5"]
    assert outcome.errors[1] == "line 3: The element is not valid JSON at column 13: expecting ',' delimiter."
    rejected = [json.loads(line) for line in rejects.read_text().splitlines()]
    assert [row[TEXT] for row in rejected] == ['{"id": "USD", "id": "CHF"}', '{"id": "NOK"', "5"]
    assert import_currencies(rejects.read_bytes(), "--rejects", str(tmp_path / "again")).status == 3
    assert Currency.objects.count() == 1
    assert len((tmp_path / "again").read_text().splitlines()) == 3


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_row_with_a_wrong_number_of_cells_keeps_them_all_and_stays_refused(import_accounts, tmp_path, times):
    """Under the headings its cells could be misread, however often it is imported."""
    headings = "id,descriptions.en,documentationLink"
    import_accounts(f"{HEADINGS.strip()},documentationLink\n{CASH.strip()},http://keep\n")
    content = f"{headings}\n1000,Cash,http://other,,x\n1000,Cash, third parties,http://other\n".encode()
    for number in range(times):
        rejects = tmp_path / str(number)
        outcome = import_accounts(content, "--rejects", str(rejects))
        assert (outcome.status, len(outcome.errors)) == (3, 2)
        content = rejects.read_bytes()
    more, many = "The row has 5 cells, but there are 3 headings.", "The row has 4 cells, but there are 3 headings."
    assert list(csv.reader(io.StringIO(content.decode()))) == [
        [*headings.split(","), REASON],
        ["1000", "Cash", "http://other", "", "x", more],
        ["1000", "Cash", " third parties", "http://other", many],
    ]
    account = Account.objects.get(element_id="1000")
    assert (account.descriptions, account.documentation_link) == ({"en": "Cash"}, "http://keep")


def test_a_reason_behind_the_headings_is_to_be_deleted_when_its_row_is_corrected(import_accounts, rejects):
    import_accounts(HEADINGS + CASH + "1100,Bank,,,,x\n", "--rejects", str(rejects))
    corrected = rejects.read_text().replace("1100,Bank,,,,x,", "1100,Bank,BALANCE_SHEET,NORMAL,FINAL,,")
    (error,) = import_accounts(corrected).errors
    assert error == (
        "line 2: 'The row has 6 cells, but there are 5 headings.' is after the last heading. Correct the row, "
        "then delete that text."
    )
    reason = '"The row has 6 cells, but there are 5 headings."'
    assert import_accounts(corrected.replace(f",{reason}", "")).output.startswith("Imported into northwind: 1 created")


def test_a_formula_does_not_become_a_text_on_its_way_through_the_rejects(import_accounts, rejects):
    """Nor does an error of Excel: the row is refused until a value is in its place."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append([*HEADINGS.strip().split(","), "documentationLink"])
    sheet.append(["1000", '="Ca"&"sh"', "BALANCE_SHEET", "NORMAL", "FINAL", "#REF!"])
    assert import_accounts(saved(book), "--rejects", str(rejects)).status == 3
    _, row = load_workbook(io.BytesIO(rejects.read_bytes())).worksheets[0].values
    assert row[:7] == ("1000", '="Ca"&"sh"', "BALANCE_SHEET", "NORMAL", "FINAL", "#REF!", None)
    assert str(row[7]).startswith("descriptions.en: The cell B2 holds a formula")
    outcome = import_accounts(rejects.read_bytes())
    assert outcome.status == 1
    assert outcome.errors[0].startswith("line 2: 'descriptions.en: The cell B2 holds a")
    assert ids() == []


def test_rows_of_a_workbook_are_rejected_in_a_workbook(import_accounts, rejects):
    """Codes stay texts."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append(HEADINGS.strip().split(","))
    sheet.append([10, "Cash", "BALANCE", "NORMAL", "FINAL"])
    sheet["A2"].number_format = "0000"
    sheet.append(["1100", "Bank", "BALANCE_SHEET", "NORMAL", "FINAL"])
    assert import_accounts(saved(book), "--rejects", str(rejects)).status == 3
    rows = list(load_workbook(io.BytesIO(rejects.read_bytes())).worksheets[0].values)
    assert [row[:3] for row in rows] == [("id", "descriptions.en", "nature"), ("0010", "Cash", "BALANCE")]
    assert str(rows[1][-1]).startswith("nature: ")


@pytest.mark.contract("C2")
def test_what_clashes_with_what_is_stored_is_rejected(import_currencies, alice, rejects):
    """Or with another row; it is found beside what is stored, when all rows have been read."""
    alice.send("POST", alice.currency(), currency("EUR", oid="o-eur"))
    content = json.dumps([currency("USD", oid="o-eur"), currency("CHF", oid="o"), currency("NOK", oid="o")])
    outcome = import_currencies(content, "--rejects", str(rejects))
    assert outcome.errors == [
        "line 1, oid: There is already an element with the oid 'o-eur'.",
        "line 3, oid: The oid 'o' is on line 2 already; it must appear only once.",
    ]
    assert sorted(Currency.objects.values_list("element_id", flat=True)) == ["CHF", "EUR"]
    assert [rejected["id"] for rejected in json.loads(rejects.read_text())] == ["USD", "NOK"]


@pytest.mark.contract("B1")
def test_a_row_with_errors_that_clashes_with_what_is_stored_is_rejected_once(import_currencies, alice, rejects):
    """With all its reasons, while the others are saved."""
    alice.send("POST", alice.currency(), currency("EUR", oid="1"))
    headings = "id,oid,descriptions.en,decimalNumbers,percentageDifference\n"
    rows = "EUR,1,Euro,99,0\nUSD,1,Dollar,99,0\nGBP,2,Pound,2,0\n"

    outcome = import_currencies(headings + rows, "--mode", "create", "--rejects", str(rejects))

    assert outcome.output.startswith("Imported into northwind: 1 created, 0 changed, 0 unchanged, 2 rejected.")
    assert [error.partition(":")[0] for error in outcome.errors] == [
        *(f"line 2, {name}" for name in ("decimalNumbers", "id", "oid")),
        *(f"line 3, {name}" for name in ("oid", "decimalNumbers")),
    ]


def test_more_errors_than_are_reported_are_all_in_the_file(import_accounts, rejects):
    """The first thousand are reported, with the total number."""
    rows = "".join(f"{number},Account,WRONG,WRONG,FINAL\n" for number in range(700))
    outcome = import_accounts(HEADINGS + rows + "x,Right,BALANCE_SHEET,NORMAL,FINAL\n", "--rejects", str(rejects))
    assert (len(outcome.errors), outcome.errors[-1]) == (1_001, "and 400 more errors")
    assert rejects.read_text().count("\n") == 701
    assert ids() == ["x"]


def test_without_rows_with_errors_there_is_no_file(import_accounts, rejects):
    outcome = import_accounts(HEADINGS + CASH, "--rejects", str(rejects))
    assert outcome.output == "Imported into northwind: 1 created, 0 changed, 0 unchanged, 0 rejected.\n"
    assert (outcome.status, rejects.exists()) == (0, False)


@pytest.mark.parametrize("table", ["id,natur\n1000,x\n", HEADINGS + CASH + '1100,"Bank\n'])
def test_what_is_wrong_with_the_file_is_not_for_the_rejects(import_accounts, rejects, table):
    """A heading that means nothing, or a file that cannot be read to its end: nothing is saved."""
    assert import_accounts(table, "--rejects", str(rejects)).status == 1
    assert (ids(), rejects.exists()) == ([], False)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "rejects.xlsx",
            (
                "The rejected rows of this file are written as CSV, but the name '{}' means another format. "
                "Choose a name that ends with .csv."
            ),
        ),
        (
            "rejects.csv.gz",
            (
                "The rejected rows of this file are written as CSV, but the name '{}' means another format. "
                "Choose a name that ends with .csv."
            ),
        ),
        ("there", "The file '{}' already exists. Choose another name, or remove it."),
        ("missing/rejects.csv", "The file '{}' cannot be written: No such file or directory."),
    ],
)
def test_a_file_that_cannot_be_created_is_reported_before_anything_is_done(import_accounts, tmp_path, name, message):
    (tmp_path / "there").write_text("precious")
    file = str(tmp_path / name)
    assert import_accounts(HEADINGS + CASH, "--rejects", file).refusal == message.format(file)
    assert (ids(), (tmp_path / "there").read_text()) == ([], "precious")


def test_the_rejects_of_a_compressed_file_are_compressed_and_named_so(import_accounts, tmp_path):
    """Under another name programs would show what nobody can read."""
    content = gzip.compress((HEADINGS + CASH + "001010,Petty cash,BALANCE,NORMAL,FINAL\n").encode())
    file = str(tmp_path / "rejects.csv")
    assert import_accounts(content, "--rejects", file).refusal == (
        f"The rejected rows of this file are written as CSV compressed with gzip, but the name '{file}' means another "
        "format. "
        "Choose a name that ends with .csv.gz."
    )
    assert (ids(), Path(file).exists()) == ([], False)
    assert import_accounts(content, "--rejects", f"{file}.GZ").status == 3
    assert b"nature must be" in gzip.decompress(Path(f"{file}.GZ").read_bytes())
    assert not (tmp_path / "rejects.xlsx").exists()
