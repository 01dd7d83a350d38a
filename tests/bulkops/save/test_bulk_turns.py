"""A bulk save waits for its turn for a limited time, and waiting ones leave threads for others."""

import threading
import time
from http import HTTPStatus
from typing import Any

import pytest
from django.db import connection

from account.models import ACCOUNT, Account
from bulkops.files.formats.rows import ElementRow, FileShape, Source
from bulkops.files.imports.importing import Importer
from bulkops.files.imports.options import Options
from bulkops.files.imports.reports import Phase
from bulkops.session.writer import Writer
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.elements.writing.locking import _queue, writing_many
from dimensions_site.text.files import Format
from tests.bulkops.save.bulk import path, save
from tests.factories import account, read

pytestmark = pytest.mark.django_db(transaction=True)


class Saving(threading.Thread):
    """A bulk save of one account beside the test, and how long it took."""

    def __init__(self, person: Any, id: str) -> None:
        super().__init__()
        self._person, self._id = person, id
        person.raise_request_exception = False
        self.response: Any = None
        self.seconds = 0.0

    def run(self) -> None:
        begun = time.monotonic()
        try:
            body = {"post": [account(self._id)]}
            self.response = self._person.send("POST", path(self._person, "account"), body)
            if self.response.status_code == HTTPStatus.OK:
                read(self.response)
        finally:
            self.seconds = time.monotonic() - begun
            connection.close()


def assert_busy(response: Any) -> None:
    assert (response.status_code, response.json()["code"]) == (503, "REPOSITORY_BUSY")
    assert response["Retry-After"] == "5"


@pytest.mark.contract("E2", "B1")
def test_a_bulk_save_waits_no_longer_than_the_operator_allows(ed, northwind, settings):
    """503, and nothing is saved; the same request succeeds when the others have ended."""
    settings.BULK_WAIT_SECONDS = 1
    with writing_many(northwind):
        saving = Saving(ed, "1")
        saving.start()
        saving.join(30)

    assert_busy(saving.response)
    assert not Account.objects.exists()
    save(ed, "account", post=[account("1")])


@pytest.mark.contract("E2", "B1")
def test_only_some_wait_for_one_repository(ed, northwind, settings):
    """While they do, others are refused at once, so that there are threads for other repositories."""
    settings.BULK_WAITERS = 2
    waiting = [Saving(ed, f"{number}") for number in range(2)]
    with writing_many(northwind):
        for each in waiting:
            each.start()
        time.sleep(1.5)
        late = [Saving(ed, f"late{number}") for number in range(3)]
        for each in late:
            each.start()
            each.join(30)
        assert all(each.is_alive() for each in waiting)
    for each in waiting:
        each.join(30)

    for each in late:
        assert_busy(each.response)
    # Had they waited, it would be a second for each; one of them may be slow on a busy machine.
    assert min(each.seconds for each in late) < 0.9
    assert [each.response.status_code for each in waiting] == [200, 200]
    assert set(Account.objects.values_list("element_id", flat=True)) == {"0", "1"}


@pytest.mark.contract("E2")
def test_short_waits_are_open_to_everybody(ed, northwind, settings):
    """Clients that save a little in parallel meet all the time."""
    settings.BULK_WAITERS = 1
    calls = [Saving(ed, f"{number}") for number in range(4)]
    with writing_many(northwind):
        for each in calls:
            each.start()
        time.sleep(0.3)
    for each in calls:
        each.join(30)

    assert [each.response.status_code for each in calls] == [200] * 4


@pytest.mark.contract("E2")
def test_nobody_waits_for_the_check_of_a_file(ed, northwind):
    """Others save many elements of the same repository while its rows are checked."""
    during: list[Saving] = []

    def look(phase: Phase, _share: float, _rows: int) -> None:
        if phase is Phase.CHECKING:
            saving = Saving(ed, "2000")
            saving.start()
            saving.join(30)
            during.append(saving)

    source = Source(FileShape(Format.NDJSON), None, lambda: iter([ElementRow(1, account("1000"))]), lambda: 0.5)
    actor = Actor(SYSTEM, Channel.IMPORT)
    importer = Importer(ACCOUNT, northwind, actor, Options(dry_run=True), progress=look)
    report = importer.run(source)

    assert [saving.response.status_code for saving in during] == [200]
    assert report.created == 1
    assert set(Account.objects.values_list("element_id", flat=True)) == {"2000"}


@pytest.mark.contract("E2")
def test_single_writes_that_are_over_soon_take_no_place_from_a_bulk_save(ed, northwind, settings):
    """It waits for the full time, although there were others when it came."""
    settings.BULK_WAITERS = 1
    with writing_many(northwind):
        with _queue.waiting(northwind.pk):
            saving = Saving(ed, "1")
            saving.start()
            time.sleep(0.3)
        saving.join(1.5)
        assert saving.is_alive()
    saving.join(30)

    assert saving.response.status_code == 200


if connection.vendor == "postgresql":  # SQLite lets nobody write between the plan and the rows

    @pytest.mark.contract("E2", "P1")
    def test_what_another_creates_after_the_plan_is_planned_again(ed, monkeypatch):
        """The element that is there by then is replaced, and the client learns of no conflict."""
        statuses: list[int] = []
        plan = Writer.plan

        def create() -> None:
            statuses.append(ed.send("POST", ed.account(), account("1")).status_code)
            connection.close()

        def plan_and_let_another_create(writer: Writer) -> None:
            plan(writer)
            if not statuses:
                another = threading.Thread(target=create)
                another.start()
                another.join(30)

        monkeypatch.setattr(Writer, "plan", plan_and_let_another_create)
        [saved] = save(ed, "account", put=[account("1", descriptions={"en": "Replaced"})])
        assert statuses == [201]
        assert saved["descriptions"] == {"en": "Replaced"}
        history = read(ed.get(ed.account("elements-versions?id=1")))
        assert [version["change"] for version in history] == ["changed", "created"]
