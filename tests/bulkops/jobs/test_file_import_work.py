"""What workers do for imports: one after the other, once, and with an end whatever fails."""

from datetime import timedelta
from io import BytesIO
from tempfile import TemporaryFile
from threading import Event

import pytest
from django.db.models import F
from django.db.models.functions import Now

from account.models import Account, AccountVersion
from bulkops.files.formats.rows import ReadingOptions
from bulkops.files.outside.reading import source_outside
from bulkops.jobs import file_imports, import_work, uploads
from bulkops.jobs.claims import ATTEMPTS, claim_next, release
from bulkops.jobs.deletion import run as run_deletion
from bulkops.jobs.file_imports import Choices
from bulkops.jobs.heartbeat import _IMPORT_INTERVAL, ImportHeartbeat, heartbeat
from bulkops.models import DataProcessing, FileImport, FileImportPiece, ImportStatus
from bulkops.worker.tasks import work
from tests.bulkops.jobs.deletions import claimed, start
from tests.factories import account
from tests.storing import store_accounts

pytestmark = pytest.mark.django_db(transaction=True)

HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType\n"
ROW = "{},Cash,BALANCE_SHEET,NORMAL,FINAL\n"
# More seconds than any test takes.
LONG = 600


@pytest.fixture
def begin(ed, northwind):
    """Have Ed's file with that many accounts checked, or, with the status CHECKED, confirm it right away."""

    def begin(count: int = 2, status: str = ImportStatus.DRAFT) -> FileImport:
        with TemporaryFile() as file:
            file.write((HEADINGS + "".join(ROW.format(number) for number in range(count))).encode())
            file.seek(0)
            file_import = file_imports.receive(ed.user, northwind, "account", "chart.csv", file)
        FileImport.objects.filter(pk=file_import.pk).update(status=status)
        if status == ImportStatus.CHECKED:
            assert file_imports.confirm(file_import, Choices(), None)
        else:
            assert file_imports.check(file_import, Choices())
        return file_import

    return begin


def be_silent(seconds: float) -> None:
    """Let that many seconds pass since the last heartbeat."""
    FileImport.objects.update(heartbeat=F("heartbeat") - timedelta(seconds=seconds))


def work_now() -> None:
    """Let a worker poll, pauses between attempts being over."""
    FileImport.objects.update(due_at=Now())
    work()


def died(*_, **__):
    """What happens to a process that does not release its claim."""
    raise SystemExit


def status_of(file_import: FileImport) -> str:
    file_import.refresh_from_db()
    return file_import.status


# --- In turn -----------------------------------------------------------------------------------


def test_deletions_and_imports_are_done_in_the_order_in_which_they_were_asked_for(alice, northwind, begin):
    """Whichever of the two it is."""
    first = start(alice, ["A"])
    second = begin().oid
    third = start(alice, ["B"])
    DataProcessing.objects.filter(oid=first).update(due_at=Now() - timedelta(seconds=3))
    FileImport.objects.update(due_at=Now() - timedelta(seconds=2))
    DataProcessing.objects.filter(oid=third).update(due_at=Now() - timedelta(seconds=1))
    claims = [claimed() for _ in range(3)]
    assert [claim.oid for claim in claims] == [first, second, third]
    assert claim_next("worker") is None
    run_deletion(claims[0])
    assert DataProcessing.objects.get(oid=first).status == "COMPLETED"


def test_nobody_else_gets_an_import_that_somebody_works_on(begin, settings):
    settings.WORKER_LOST_AFTER_SECONDS = LONG
    begin()
    claimed("worker:1234")
    assert claim_next("other") is None
    be_silent(LONG - 60)
    assert claim_next("other") is None
    release("worker:1234")
    assert claim_next("other") is not None


def test_only_one_of_two_confirmations_counts(begin):
    file_import = begin()
    work()
    assert file_imports.confirm(file_import, Choices(), None)
    assert not file_imports.confirm(file_import, Choices(), None)
    assert not file_imports.check(file_import, Choices())


# --- Workers that die --------------------------------------------------------------------------


@pytest.mark.contract("C18")
@pytest.mark.parametrize("moment", ["before the end", "after the end"])
def test_an_import_and_its_end_are_saved_together(begin, northwind, monkeypatch, settings, moment):
    """A worker that dies right before or right after the commit leaves both or neither; nothing comes twice."""
    store_accounts(northwind, account("0"))
    file_import = begin(3, ImportStatus.CHECKED)
    last_beat = ImportHeartbeat.__exit__
    with monkeypatch.context() as patch:
        if moment == "before the end":
            patch.setattr("bulkops.jobs.file_imports.end", died)
        else:
            patch.setattr(ImportHeartbeat, "__exit__", lambda *arguments: died(last_beat(*arguments)))
        with pytest.raises(SystemExit):
            import_work.run(claimed())
    assert Account.objects.count() == (1 if moment == "before the end" else 3)
    be_silent(settings.WORKER_LOST_AFTER_SECONDS + 1)
    work()
    assert status_of(file_import) == ImportStatus.COMPLETED
    assert (file_import.report["created"], file_import.report["unchanged"]) == (2, 1)
    assert Account.objects.count() == 3
    assert AccountVersion.objects.filter(change_set__user="ed").count() == 2


def test_a_worker_that_was_taken_for_dead_does_nothing_more(begin, settings):
    """Another one has the import by then."""
    file_import = begin(2, ImportStatus.CHECKED)
    dead = claimed("dead")
    be_silent(settings.WORKER_LOST_AFTER_SECONDS + 1)
    other = claimed("other")
    import_work.run(dead)
    assert status_of(file_import) == ImportStatus.IMPORTING
    import_work.run(other)
    assert status_of(file_import) == ImportStatus.COMPLETED
    assert AccountVersion.objects.count() == 2


def test_an_import_that_kills_its_workers_fails_in_the_end(begin, settings):
    """An administrator reads what happened and what to do."""
    file_import = begin()
    for _ in range(ATTEMPTS):
        claimed()
        be_silent(settings.WORKER_LOST_AFTER_SECONDS + 1)
    assert claim_next("worker") is None
    assert status_of(file_import) == ImportStatus.FAILED
    assert file_import.error == (
        f"The import was given up after {ATTEMPTS} attempts: the worker process ended unexpectedly. Nothing was "
        f"imported. The log of the worker has the cause in the lines that name {file_import.oid}. When it is "
        "fixed, upload the file again."
    )
    assert not FileImportPiece.objects.exists()


@pytest.mark.parametrize("status", [ImportStatus.DRAFT, ImportStatus.CHECKED])
def test_what_always_goes_wrong_has_failed_in_the_end(begin, monkeypatch, status):
    """After some attempts, and nothing is saved; a check that works later starts with new attempts."""
    file_import = begin(status=status)

    def broken(*_):
        raise RuntimeError("broken")

    with monkeypatch.context() as patch:
        patch.setattr("bulkops.jobs.import_work.source_outside", broken)
        for attempt in range(1, ATTEMPTS):
            work_now()
            assert (status_of(file_import) in file_imports.AT_WORK, file_import.attempts) == (True, attempt)
            assert claim_next("other") is None
        work_now()
    assert status_of(file_import) == ImportStatus.FAILED
    assert "the service itself failed" in file_import.error
    assert "broken" not in file_import.error
    assert not Account.objects.exists()


def test_what_is_imported_is_what_the_check_has_read(begin, monkeypatch):
    """The file is not read once more, and what was read is removed with it."""
    file_import = begin()
    work()
    assert set(FileImportPiece.objects.values_list("file", flat=True)) == {"UPLOAD", "ROWS"}
    file_imports.confirm(file_import, Choices(), None)
    with monkeypatch.context() as patch:
        patch.setattr("bulkops.jobs.import_work.source_outside", None)
        work()
    assert status_of(file_import) == ImportStatus.COMPLETED
    assert sorted(Account.objects.values_list("element_id", flat=True)) == ["0", "1"]
    assert not FileImportPiece.objects.exists()


def test_rows_are_not_kept_beyond_a_check_that_fails(begin):
    """They may have been read in another way."""
    file_import = begin()
    work()
    file_imports.check(file_import, Choices(reading=ReadingOptions(heading_row=50)))
    work()
    assert set(FileImportPiece.objects.values_list("file", flat=True)) == {"UPLOAD"}


def test_rows_that_are_larger_than_a_file_may_be_are_read_once_more(begin, settings):
    """A small file may have them."""
    file_import = begin()
    settings.IMPORT_MAX_FILE_SIZE = 10
    work()
    assert set(FileImportPiece.objects.values_list("file", flat=True)) == {"UPLOAD"}
    file_imports.confirm(file_import, Choices(), None)
    work()
    assert status_of(file_import) == ImportStatus.COMPLETED


# --- Cancelled imports, and workers that have to stop --------------------------------------------


@pytest.mark.parametrize("status", [ImportStatus.DRAFT, ImportStatus.CHECKED])
def test_an_import_that_is_dropped_while_a_worker_is_at_it_saves_nothing(begin, monkeypatch, status):
    """The worker stops at its next heartbeat, or at the latest before the end."""
    file_import = begin(status=status)

    def dropped_meanwhile(*reading):
        assert file_imports.drop(file_import)
        return source_outside(*reading)

    monkeypatch.setattr("bulkops.jobs.import_work.source_outside", dropped_meanwhile)
    work()
    assert status_of(file_import) == ImportStatus.ABORTED
    assert (file_import.report, file_import.claimed_by) == ({}, None)
    assert not Account.objects.exists()
    assert not FileImportPiece.objects.exists()


def test_a_worker_notices_within_a_second_that_an_import_was_dropped(begin, monkeypatch):
    """And the progress reported by then is visible to others."""
    file_import = begin(status=ImportStatus.CHECKED)
    noticed = Event()

    class Slow:
        def __init__(self, *_, progress, **__):
            self.report = progress

        def run(self, _source):
            self.report("reading", 0.5)
            for _ in range(600):  # until it is noticed: a slow machine may take its time
                if FileImport.objects.get().progress == 0.5:
                    file_imports.drop(file_import)
                try:
                    self.report("reading", 0.5)
                except Exception:
                    noticed.set()
                    raise
                Event().wait(0.1)

    monkeypatch.setattr("bulkops.jobs.import_work.Importer", Slow)
    work()
    assert _IMPORT_INTERVAL <= 1
    assert noticed.is_set()
    assert status_of(file_import) == ImportStatus.ABORTED


def test_a_worker_that_is_to_end_leaves_the_import_to_another_at_once(begin, monkeypatch):
    """It costs no attempt."""
    file_import = begin(status=ImportStatus.CHECKED)
    with monkeypatch.context() as patch:
        patch.setattr(type(heartbeat), "is_ending", True)
        import_work.run(claimed())
    assert status_of(file_import) == ImportStatus.IMPORTING
    assert (file_import.attempts, file_import.claimed_by) == (0, None)
    work()
    assert status_of(file_import) == ImportStatus.COMPLETED


def test_what_is_stored_can_be_put_together_again(begin, northwind):
    """Another file takes the place of the first."""
    file_import = begin()
    for content in (b"x" * (1024**2 + 1), b"", b"short"):
        uploads.store(file_import, FileImportPiece.File.REJECTS, BytesIO(content))
        with uploads.copy_to_file(file_import, FileImportPiece.File.REJECTS) as copy:
            assert copy.read() == content
