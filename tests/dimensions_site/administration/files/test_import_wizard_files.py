"""The files that an import in the admin takes, and for how long it keeps them."""

import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now

from account.models import Account
from bulkops.files.outside.reading import preview_outside
from bulkops.jobs import uploads
from bulkops.jobs.uploads import UploadHandler
from bulkops.models import FileImport, FileImportPiece, ImportStatus
from bulkops.worker.tasks import clean
from dimensions_site.repositories.models import AccessGrant, Role
from tests.bulkops.files.formats.files import huge_element
from tests.dimensions_site.administration.files.imports import CASH, FAULTY, HEADINGS, at, check, checked, save, upload
from tests.dimensions_site.administration.site.people import browser_of, page

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"%PDF-1.7 and so on", "This is a PDF file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "old kind (.xls)"),
        (b"MZ\x90\0\x03\0\0\0", "neither a workbook nor a text"),
        (b"", "The submitted file is empty."),
        (b" , \n , \n", "must have the headings"),
        (b"\x1f\x8b\x08\x00abc", "damaged or incomplete"),
        (b"[{", "not"),
        (b'id,nature\n"a,b\n', "Line 2: A quote opens in this row and is never closed."),
        ((",".join(f"h{number}" for number in range(201)) + "\n").encode(), "The table has 201 columns"),
    ],
)
def test_a_wrong_file_is_refused_at_once(ed, northwind, content, message):
    """With a sentence that says what to do; nothing of it is kept."""
    page = upload(browser_of(ed), northwind, content)
    assert page.status_code == 200
    assert message in str(page.context["form"].errors["file"])
    assert not FileImport.objects.exists()


def test_workbooks_with_macros_and_templates_are_offered(ed, northwind):
    """They are read like any other workbook, and nothing in them is run."""
    assert ".xlsx,.xlsm,.xltx,.xltm," in browser_of(ed).get(page(FileImport, "add")).content.decode()


def test_a_file_that_is_too_large_is_refused_with_its_size(ed, northwind, settings):
    """A byte decides; what is beyond the limit is not even kept temporarily."""
    settings.IMPORT_MAX_FILE_SIZE = 2048
    content = (HEADINGS + CASH).ljust(2048, "\n")
    assert upload(browser_of(ed), northwind, content).redirect_chain
    page = upload(browser_of(ed), northwind, content + "\n" * 200_000)
    assert page.context["form"].errors["file"] == [
        "The file is 197.3\xa0KB; the limit is 2.0\xa0KB. Split it, or compress it with gzip."
    ]
    assert FileImport.objects.count() == 1


def test_an_upload_is_never_a_file_with_a_name(ed, northwind, monkeypatch, tmp_path):
    """So a process that is killed in the middle of one leaves nothing in the temporary folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = []
    receive = UploadHandler.receive_data_chunk

    def looked_at(handler, *arguments):
        receive(handler, *arguments)
        found.append(sorted(tmp_path.iterdir()))

    monkeypatch.setattr(UploadHandler, "receive_data_chunk", looked_at)
    upload(browser_of(ed), northwind, HEADINGS + CASH * 5_000)
    assert found == [[]] * len(found) != []
    assert FileImport.objects.get().size == len(HEADINGS + CASH * 5_000)


@pytest.mark.contract("B3")
def test_a_file_that_needs_more_than_the_limits_is_refused_with_a_sentence(ed, northwind, settings):
    """The limit of memory, as that of time; nothing is kept."""
    settings.IMPORT_PREVIEW_SECONDS, settings.IMPORT_READ_MEMORY = 60, 96 * 1024**2
    page = upload(browser_of(ed), northwind, huge_element(3 * 1024**2))
    assert "needs more than 96.0\xa0MB of memory" in page.context["form"].errors["file"][0]
    assert not FileImport.objects.exists()


@pytest.mark.contract("B3")
def test_a_file_that_needs_more_than_the_limits_is_invalid_for_the_worker(ed, northwind, settings):
    """The page of the import says so, and the worker continues with others."""
    browser = browser_of(ed)
    settings.IMPORT_READ_MEMORY = 96 * 1024**2
    upload(browser, northwind, b'{"id": "1"}\n' + huge_element(3 * 1024**2))
    check(browser, FileImport.objects.get())
    file_import = FileImport.objects.get()
    assert file_import.status == ImportStatus.CHECKED
    assert "needs more than 96.0\xa0MB of memory" in file_import.report["failures"][-1]["message"]
    assert not Account.objects.exists()


@pytest.mark.contract("B3")
def test_when_the_reading_process_fails_no_message_blames_the_file(ed, northwind, monkeypatch, caplog):
    """The log has the reason."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    page = upload(browser_of(ed), northwind, HEADINGS + CASH)
    assert page.context["form"].errors["file"] == [
        "The file could not be read, because the service failed. Try again, or ask its operator."
    ]
    assert "the process ended with status 1" in caplog.text


def test_files_are_previewed_two_at_a_time(ed, northwind, monkeypatch):
    """The other threads of a web process serve others; a third upload is rejected for now, and accepted later."""
    monkeypatch.setattr("bulkops.jobs.uploads._WAIT_SECONDS", 0)
    browser = browser_of(ed)
    with uploads._PREVIEWS, uploads._PREVIEWS:
        page = upload(browser, northwind, HEADINGS + CASH)
        assert page.context["form"].errors["file"] == [
            "Other files are being read just now. Upload the file again in a moment."
        ]
    assert upload(browser, northwind, HEADINGS + CASH).redirect_chain


def test_one_upload_waits_and_leaves_a_thread_for_others(ed, northwind):
    """While two files are previewed and a third upload waits, the next one does not wait as well."""
    browser = browser_of(ed)
    with uploads._PREVIEWS, uploads._PREVIEWS, uploads._WAITERS:
        begun = time.monotonic()
        page = upload(browser, northwind, HEADINGS + CASH)
        assert time.monotonic() - begun < uploads._WAIT_SECONDS / 2
        assert page.context["form"].errors["file"] == [
            "Other files are being read just now. Upload the file again in a moment."
        ]


def test_one_user_leaves_a_turn_to_others(ed, alice, northwind, monkeypatch):
    """Of many uploads of one user one is previewed, and one of somebody else beside it."""
    begun, over = threading.Barrier(3), threading.Event()
    preview = preview_outside

    def wait_and_preview(*given: Any) -> Any:
        begun.wait(30)
        assert over.wait(30)
        return preview(*given)

    monkeypatch.setattr(uploads, "preview_outside", wait_and_preview)

    def send(browser: Any) -> bool:
        try:
            return bool(upload(browser, northwind, HEADINGS + CASH).redirect_chain)
        finally:
            connection.close()

    eds = browser_of(ed)
    with ThreadPoolExecutor(2) as people:
        sent = [people.submit(send, browser) for browser in (eds, browser_of(alice))]
        try:
            begun.wait(30)
            assert uploads._users.keys() == {ed.user.pk, alice.user.pk}
            assert not send(eds)
        finally:
            over.set()
    assert [one.result() for one in sent] == [True, True]
    assert not uploads._users


def test_a_user_has_only_so_many_unfinished_imports_into_a_repository(ed, alice, northwind, contoso, settings):
    """Other users and other repositories are not affected; one that has ended makes room."""
    settings.IMPORT_MAX_DRAFTS = 2
    AccessGrant.objects.create(user=ed.user, repository=contoso, role=Role.EDITOR)
    browser = browser_of(ed)
    for _ in range(2):
        assert upload(browser, northwind, HEADINGS + CASH).redirect_chain
    page = upload(browser, northwind, HEADINGS + CASH)
    assert page.context["form"].errors["file"] == [
        (
            "You have 2 unfinished imports into the repository 'northwind', and may have 2. Finish or delete one of "
            "them first; imports that are not continued for a day are removed."
        )
    ]
    assert upload(browser, contoso, HEADINGS + CASH).redirect_chain
    assert upload(browser_of(alice), northwind, HEADINGS + CASH).redirect_chain
    browser.post(at(FileImport.objects.filter(requested_by=ed.user, repository=northwind)[0], "drop"))
    assert upload(browser, northwind, HEADINGS + CASH).redirect_chain


def test_the_unfinished_imports_of_a_user_take_only_so_many_bytes(ed, northwind, settings):
    """Together, in one repository; the last byte decides."""
    content = HEADINGS + CASH
    settings.IMPORT_MAX_DRAFT_BYTES = 2 * len(content)
    browser = browser_of(ed)
    for _ in range(2):
        assert upload(browser, northwind, content).redirect_chain
    refused = upload(browser, northwind, content).context["form"].errors["file"][0]
    assert refused.startswith("With this file, your unfinished imports into the repository 'northwind' would take ")
    assert FileImport.objects.count() == 2


def test_a_large_file_is_kept_in_pieces(ed, northwind):
    """The pieces are put together again, byte by byte."""
    rows = "".join(f"{number},{'x' * 900},BALANCE_SHEET,NORMAL,FINAL\n" for number in range(2_500))
    browser = browser_of(ed)
    upload(browser, northwind, HEADINGS + rows)
    sizes = [len(data) for data in FileImportPiece.objects.order_by("position").values_list("data", flat=True)]
    assert sizes[:-1] == [1024**2] * 2
    assert sum(sizes) == len(HEADINGS + rows) == FileImport.objects.get().size
    check(browser, FileImport.objects.get())
    assert FileImport.objects.get().report["created"] == 2_500


@pytest.mark.parametrize("end", ["completed", "dropped", "left"])
def test_an_upload_is_removed_when_the_import_has_ended(ed, northwind, end):
    """Only the report is left of the file, and the rejected rows for whoever corrects them."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, HEADINGS + CASH + FAULTY)
    assert FileImportPiece.objects.filter(file="UPLOAD").exists()
    match end:
        case "completed":
            save(browser, file_import, leave_out="yes")
        case "dropped":
            browser.post(at(file_import, "drop"))
        case "left":
            FileImport.objects.update(due_at=Now() - timedelta(hours=23))
            clean()
            assert FileImport.objects.get().status == ImportStatus.CHECKED
            FileImport.objects.update(due_at=Now() - timedelta(hours=25))
            clean()
    file_import.refresh_from_db()
    assert file_import.status == (ImportStatus.COMPLETED if end == "completed" else ImportStatus.ABORTED)
    assert file_import.preview == {}
    assert set(FileImportPiece.objects.values_list("file", flat=True)) == {"REJECTS"}


def test_the_record_of_an_import_is_purged_with_those_of_deletions(ed, northwind, settings):
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
