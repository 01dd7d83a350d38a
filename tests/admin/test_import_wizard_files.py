"""The files that an import in the admin takes, and for how long it keeps them."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from openpyxl import Workbook

from account.models import Account
from bulkops.models import FileImport, FileImportPiece, ImportStatus
from bulkops.tasks import clean, work
from tests.admin.imports import CASH, FAULTY, HEADINGS, at, checked, confirm, describe, upload
from tests.admin.people import browser_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"%PDF-1.7 and so on", "This is a PDF file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "old kind (.xls)"),
        (b"MZ\x90\0\x03\0\0\0", "neither a workbook nor a text"),
        (b"", "The submitted file is empty."),
        (b"id,id\n1,2\n", "stands there 2 times"),
        (b"\x1f\x8b\x08\x00abc", "damaged or not complete"),
        (b"[{", "not"),
        ((",".join(f"h{number}" for number in range(201)) + "\n").encode(), "The table has 201 columns"),
    ],
)
def test_a_wrong_file_is_refused_at_once(ed, northwind, content, told):
    """With a sentence that says what to do; nothing of it is kept."""
    page = upload(browser_of(ed), northwind, content)
    assert page.status_code == 200
    assert told in str(page.context["form"].errors["file"])
    assert not FileImport.objects.exists()


def test_a_file_that_is_too_large_is_refused_with_its_size(ed, northwind, settings):
    """A byte decides; what is beyond the limit is not even kept for the moment."""
    settings.IMPORT_MAX_FILE_SIZE = 2048
    content = (HEADINGS + CASH).ljust(2048, "\n")
    assert upload(browser_of(ed), northwind, content).redirect_chain
    page = upload(browser_of(ed), northwind, content + "\n" * 200_000)
    assert page.context["form"].errors["file"] == [
        "The file has 197.3\xa0KB; up to 2.0\xa0KB are taken. Split it, or pack it with gzip."
    ]
    assert FileImport.objects.count() == 1


def test_a_large_file_is_kept_in_pieces(ed, northwind):
    """And put together again, byte by byte."""
    rows = "".join(f"{number},{'x' * 900},BALANCE_SHEET,NORMAL,FINAL\n" for number in range(2_500))
    browser = browser_of(ed)
    upload(browser, northwind, HEADINGS + rows)
    sizes = [len(data) for data in FileImportPiece.objects.order_by("position").values_list("data", flat=True)]
    assert sizes[:-1] == [1024**2] * 2
    assert sum(sizes) == len(HEADINGS + rows) == FileImport.objects.get().size
    describe(browser, FileImport.objects.get())
    work()
    assert FileImport.objects.get().report["created"] == 2_500


def test_a_workbook_is_previewed_as_it_looks(ed, northwind, tmp_path):
    """Codes keep the zeros that their cells show."""
    book = Workbook()
    sheet = book.create_sheet(index=0)
    sheet.append(["id", "descriptions.en", "nature", "type", "conversion.conversionType"])
    sheet.append([42, "Cash", "BALANCE_SHEET", "NORMAL", "FINAL"])
    sheet["A2"].number_format = "00000"
    book.save(tmp_path / "chart.xlsx")
    browser = browser_of(ed)
    page = upload(browser, northwind, (tmp_path / "chart.xlsx").read_bytes(), "chart.xlsx")
    assert page.context["form"].columns.fields[0].cells == ["00042"]
    describe(browser, FileImport.objects.get())
    work()
    confirm(browser, FileImport.objects.get())
    work()
    assert Account.objects.get().element_id == "00042"


@pytest.mark.parametrize("end", ["completed", "dropped", "forgotten"])
def test_an_upload_is_removed_when_the_import_has_ended(ed, northwind, end):
    """Of the file nothing is left but what the report tells, and the rejected rows for whoever mends them."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + CASH + FAULTY)
    assert FileImportPiece.objects.filter(file="UPLOAD").exists()
    match end:
        case "completed":
            confirm(browser, file_import, leave_out="yes")
            work()
        case "dropped":
            browser.post(at(file_import, "drop"))
        case "forgotten":
            FileImport.objects.update(due_at=Now() - timedelta(hours=23))
            clean()
            assert FileImport.objects.get().status == ImportStatus.CHECKED
            FileImport.objects.update(due_at=Now() - timedelta(hours=25))
            clean()
    file_import.refresh_from_db()
    assert file_import.status == (ImportStatus.COMPLETED if end == "completed" else ImportStatus.ABORTED)
    assert file_import.preview == {}
    assert set(FileImportPiece.objects.values_list("file", flat=True)) == {"REJECTS"}


def test_the_record_of_an_import_is_forgotten_with_those_of_deletions(ed, northwind, settings):
    """With its file of rejected rows."""
    settings.DATA_PROCESSING_RETENTION_DAYS = 10
    browser = browser_of(ed)
    browser.post(at(checked(browser, northwind, HEADINGS + FAULTY), "drop"))
    clean()
    assert FileImport.objects.exists()
    FileImport.objects.update(finished_at=Now() - timedelta(days=11))
    clean()
    assert not FileImport.objects.exists()
    assert not FileImportPiece.objects.exists()
