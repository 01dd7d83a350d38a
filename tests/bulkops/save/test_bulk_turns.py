"""A bulk save waits for its turn for a limited time, and waiting ones leave threads for others."""

import time
from concurrent.futures import Future, wait
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
from dimensions_site.db.read_limits import waiting_write
from dimensions_site.elements.writing.locking import _writers, writing_many
from dimensions_site.text.files import Format
from tests.beside import Answer, asked
from tests.bulkops.save.bulk import path, save
from tests.factories import account, json_bytes, read

pytestmark = pytest.mark.django_db(transaction=True)


def saving(person: Any, id: str) -> Future[Answer]:
    """A bulk save of one account beside the test."""
    return asked(person, "POST", path(person, "account"), {"post": [account(id)]})


@pytest.mark.contract("E2", "B1")
def test_a_bulk_save_waits_no_longer_than_the_operator_allows(ed, northwind, settings):
    """503, and nothing is saved; the same request succeeds when the others have ended."""
    settings.BULK_WAIT_SECONDS = 1
    with writing_many(northwind):
        assert saving(ed, "1").result(30).status == 503

    assert not Account.objects.exists()
    save(ed, "account", post=[account("1")])


@pytest.mark.contract("E2", "B1")
def test_only_some_wait_for_one_repository(ed, northwind, settings):
    """While they do, others are refused at once, so that there are threads for other repositories."""
    settings.BULK_WAITERS = 2
    with writing_many(northwind):
        waiting = [saving(ed, f"{number}") for number in range(2)]
        time.sleep(1.5)
        late = [saving(ed, f"late{number}").result(30) for number in range(3)]
        assert not any(each.done() for each in waiting)

    assert [each.status for each in late] == [503] * 3
    # Had they waited, it would be a second for each; one of them may be slow on a busy machine.
    assert min(each.seconds for each in late) < 0.9
    assert [each.result(30).status for each in waiting] == [200, 200]
    assert set(Account.objects.values_list("element_id", flat=True)) == {"0", "1"}


@pytest.mark.contract("E2")
def test_short_waits_are_open_to_everybody(ed, northwind, settings):
    """Clients that save a little in parallel meet all the time."""
    settings.BULK_WAITERS = 1
    with writing_many(northwind):
        calls = [saving(ed, f"{number}") for number in range(4)]
        time.sleep(0.3)

    assert [each.result(30).status for each in calls] == [200] * 4


@pytest.mark.contract("E2")
def test_nobody_waits_for_the_check_of_a_file(ed, northwind):
    """Others save many elements of the same repository while its rows are checked."""
    during: list[int] = []

    def look(phase: Phase, _share: float, _rows: int) -> None:
        if phase is Phase.CHECKING:
            during.append(saving(ed, "2000").result(30).status)

    source = Source(
        FileShape(Format.NDJSON), None, lambda: iter([ElementRow(1, json_bytes(account("1000")))]), lambda: 0.5
    )
    actor = Actor(SYSTEM, Channel.IMPORT)
    importer = Importer(ACCOUNT, northwind, actor, Options(dry_run=True), progress=look)
    report = importer.run(source)

    assert during == [200]
    assert report.created == 1
    assert set(Account.objects.values_list("element_id", flat=True)) == {"2000"}


@pytest.mark.contract("E2")
def test_single_writes_that_are_over_soon_take_no_place_from_a_bulk_save(ed, northwind, settings):
    """It waits for the full time, although there were others when it came."""
    settings.BULK_WAITERS = 1
    with writing_many(northwind):
        with waiting_write(_writers(northwind)):
            call = saving(ed, "1")
            time.sleep(0.3)
        wait([call], timeout=1.5)
        assert not call.done()

    assert call.result(30).status == 200


if connection.vendor == "postgresql":  # SQLite lets nobody write between the plan and the rows

    @pytest.mark.contract("E2", "P1")
    def test_what_another_creates_after_the_plan_is_planned_again(ed, monkeypatch):
        """The element that is there by then is replaced, and the client learns of no conflict."""
        statuses: list[int] = []
        plan = Writer.plan

        def plan_and_let_another_create(writer: Writer) -> None:
            plan(writer)
            if not statuses:
                statuses.append(asked(ed, "POST", ed.account(), account("1")).result(30).status)

        monkeypatch.setattr(Writer, "plan", plan_and_let_another_create)
        [saved] = save(ed, "account", put=[account("1", descriptions={"en": "Replaced"})])
        assert statuses == [201]
        assert saved["descriptions"] == {"en": "Replaced"}
        history = read(ed.get(ed.account("elements-versions?id=1")))
        assert [version["change"] for version in history] == ["changed", "created"]
