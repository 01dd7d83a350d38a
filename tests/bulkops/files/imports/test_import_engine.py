"""The import engine as commands and jobs use it: its queries, its reports, and how it is stopped."""

from collections.abc import Callable, Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from account.models import ACCOUNT, Account
from bulkops.files.formats.rows import ElementRow, FileRow, FileShape, RowFailure, Source, UnreadableFile
from bulkops.files.imports.importing import Importer
from bulkops.files.imports.options import Mode, Options, Share
from bulkops.files.imports.reading import PhaseProgress
from bulkops.files.imports.reports import ImportRefused, Phase, Report
from bulkops.session.entries import STORED_BATCH
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.repositories.models import Repository
from dimensions_site.text.files import Format
from tests.costs import statements
from tests.factories import account, json_bytes

MERGE = Options()

pytestmark = pytest.mark.contract("H4")


def rows(count: int, series: str = "A", **fields: object) -> list[FileRow | ElementRow | RowFailure]:
    """Accounts of a series: A00000, A00001 and so on."""
    return [ElementRow(number + 1, json_bytes(account(f"{series}{number:05}", **fields))) for number in range(count)]


def imported(
    repository: Repository,
    elements: Callable[[], Iterator[FileRow | ElementRow | RowFailure]],
    options: Options = MERGE,
    progress: PhaseProgress = lambda *_: None,
    finish: Callable[[Report], None] = lambda report: None,
) -> Report:
    """The report of an import of `elements` as a file of JSON."""
    source = Source(FileShape(Format.NDJSON), None, elements, lambda: 0.5)
    actor = Actor(SYSTEM, Channel.IMPORT)
    importer = Importer(ACCOUNT, repository, actor, options, progress=progress, finish=finish)
    return importer.run(source)


def cost(repository: Repository, count: int, series: str, **fields: object) -> int:
    """The number of queries of an import, but for those that open and close transactions."""
    with CaptureQueriesContext(connection) as queries:
        imported(repository, lambda: iter(rows(count, series, **fields)))
    return len(statements(queries))


def test_rows_that_are_read_together_cost_the_same_however_many_they_are(northwind):
    """New, unchanged and changed ones; each further batch costs what it takes to look up and to stage."""
    assert cost(northwind, 1, "A") == cost(northwind, STORED_BATCH, "B")
    assert cost(northwind, 1, "A") == cost(northwind, STORED_BATCH, "B")
    assert cost(northwind, 1, "A", type="DETAIL") == cost(northwind, STORED_BATCH, "B", type="DETAIL")
    of_a_batch = 2  # the stored elements, and on PostgreSQL the copy of rows
    assert cost(northwind, 2 * STORED_BATCH, "C") - cost(northwind, STORED_BATCH, "D") <= of_a_batch


def test_phases_come_one_after_the_other_and_their_shares_rise(northwind):
    steps: list[tuple[Phase, float]] = []
    imported(northwind, lambda: iter(rows(2_500)), progress=lambda phase, share, _rows: steps.append((phase, share)))
    phases = [phase for phase, _ in steps]
    assert list(dict.fromkeys(phases)) == [Phase.READING, Phase.CHECKING, Phase.SAVING]
    assert steps == sorted(steps, key=lambda step: (phases.index(step[0]), step[1]))
    assert all(0 <= share <= 1 for _, share in steps)


class Stopped(Exception):
    """Somebody has asked to stop."""


@pytest.mark.parametrize("phase", Phase)
def test_what_hears_of_the_progress_can_end_the_import(northwind, phase):
    """And nothing is saved, however far it was."""

    def stop(reached: Phase, share: float, rows: int) -> None:
        if reached is phase:
            raise Stopped

    with pytest.raises(Stopped):
        imported(northwind, lambda: iter(rows(1_500)), progress=stop)
    assert not Account.objects.exists()
    assert imported(northwind, lambda: iter(rows(1_500))).created == 1_500


def test_the_end_of_an_import_is_reported_in_its_transaction(northwind):
    """What is written then is there together with the elements, or not at all; a dry run has no such end."""

    def finish(report: Report) -> None:
        assert (report.created, Account.objects.count()) == (2, 2)
        northwind.name = "Loaded"
        northwind.save()
        ends.append(report)
        if len(ends) == 1:
            raise Stopped

    ends: list[Report] = []
    imported(northwind, lambda: iter(rows(2)), Options(dry_run=True), finish=finish)
    assert ends == []
    with pytest.raises(Stopped):
        imported(northwind, lambda: iter(rows(2)), finish=finish)
    assert not Account.objects.exists()
    assert Repository.objects.get(pk=northwind.pk).name != "Loaded"
    imported(northwind, lambda: iter(rows(2)), finish=finish)
    assert Account.objects.count() == 2
    assert Repository.objects.get(pk=northwind.pk).name == "Loaded"


def test_a_file_that_breaks_off_saves_and_deletes_nothing(northwind):
    """The rows before are checked all the same, and what is missing is not taken for deleted."""
    imported(northwind, lambda: iter(rows(3)))

    def broken() -> Iterator[FileRow | ElementRow | RowFailure]:
        yield ElementRow(1, json_bytes(account("A00000", type="USUAL")))
        raise UnreadableFile(2, "The file breaks off.")

    everything = Share.parse("100%")
    with pytest.raises(ImportRefused) as refusal:
        imported(northwind, broken, Options(mode=Mode.SYNC, max_delete=everything))
    assert [str(failure).partition(":")[0] for failure in refusal.value.report.failures] == ["line 1, type", "line 2"]
    assert str(refusal.value) == "2 errors."
    assert Account.objects.count() == 3


def test_the_report_of_a_refusal_counts_nothing_as_done(northwind):
    """The numbers of an import that was undone would be read as its result."""
    elements = [*rows(2), ElementRow(3, json_bytes(account("A00002", type="USUAL")))]
    with pytest.raises(ImportRefused) as refusal:
        imported(northwind, lambda: iter(elements))
    report = refusal.value.report
    assert (report.created, report.changed, report.unchanged, report.rejected, report.failure_count) == (0, 0, 0, 1, 1)
