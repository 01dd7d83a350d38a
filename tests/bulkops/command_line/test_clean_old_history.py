"""Old versions of elements are deleted on an operator's request, and none that a later query needs."""

from collections.abc import Callable
from datetime import timedelta
from itertools import zip_longest

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext, override_settings
from django.utils import timezone

from account.models import ACCOUNT, Account, AccountVersion
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.changes.placing import Actor
from dimensions_site.changes.states import current_state
from dimensions_site.elements.history.verifying import misfits
from dimensions_site.elements.writing import retention
from dimensions_site.elements.writing.restoring import deleted_elements
from dimensions_site.elements.writing.saving import delete as remove
from dimensions_site.repositories.models import Repository
from tests.bulkops.save.bulk import save
from tests.dimensions_site.observability.lines import lines
from tests.factories import Person, account, currency
from tests.services.citus import IS_CITUS

pytestmark = pytest.mark.django_db(transaction=True)

HISTORY = AccountVersion
TABLES = ("account_accountversion", "changes_changeset")
# The last of sixteen versions, three at a time, is one to keep, which a shard is not asked to delete.
STEPS = 5 if IS_CITUS else 6


@pytest.fixture
def clean(capsys) -> Callable[..., list[str]]:
    """Run the command and return the lines that it prints."""

    def run(*arguments: str, wait: int = 0) -> list[str]:
        with override_settings(READ_TIMEOUT_SECONDS=wait):
            call_command("clean_old_history", *arguments)
        output: str = capsys.readouterr().out
        return output.splitlines()

    return run


def put(person: Person, link: str, *, days_ago: int, id: str = "1000", db_id: str = "northwind") -> None:
    """Save an account, that many days ago."""
    person.send("PUT", person.account(f"elements/{id}", db_id), account(id, documentationLink=link))
    age(days_ago)


def delete(person: Person, *, days_ago: int, id: str = "1000") -> None:
    """Delete an account, that many days ago."""
    rows = Account.objects.filter(element_id=id)
    remove(rows, rows.get().repository, Actor(person.user.username, Channel.REST))
    age(days_ago)


def age(days: int) -> None:
    """Let the latest version have been written that many days ago."""
    latest = HISTORY.objects.latest("number")
    ChangeSet.objects.filter(pk=latest.change_set_id).update(committed_at=timezone.now() - timedelta(days=days))


def kept(**which: str) -> list[tuple[str, str | None]]:
    """The stored versions, the oldest first."""
    return list(HISTORY.objects.filter(**which).order_by("number").values_list("change", "documentation_link"))


@pytest.mark.contract("C18")
def test_versions_that_were_replaced_before_are_purged(alice, clean):
    """What the account was like on each of the last 365 days stays, also when it was written long before."""
    for link, days_ago in {"first": 900, "second": 800, "of the day": 500, "young": 300, "last": 10}.items():
        put(alice, link, days_ago=days_ago)
    assert "account: 2 of 5 versions are deleted." in clean("--days", "365")
    assert kept() == [("~", "of the day"), ("~", "young"), ("~", "last")]


@pytest.mark.contract("C18")
def test_reads_that_have_begun_end_before_versions_are_purged(alice, northwind, clean, monkeypatch):
    """States that may be incomplete are refused before the wait. If nothing is to be deleted, nobody waits."""
    put(alice, "first", days_ago=900)
    put(alice, "second", days_ago=800)
    waits = []

    def sleep(seconds: float) -> None:
        if seconds == 7:  # and not a moment for other writers
            _, horizon = current_state(northwind.pk, "account")
            waits.append((seconds, horizon.at is not None, len(kept())))

    monkeypatch.setattr("time.sleep", sleep)
    clean("--days", "365", "--dry-run", wait=7)
    assert waits == []
    clean("--days", "365", wait=7)
    clean("--days", "365", wait=7)
    assert waits == [(7, True, 2)]


@pytest.mark.contract("C18")
def test_the_current_version_is_never_purged(alice, clean):
    """However old it is: the history still shows who wrote the stored values."""
    put(alice, "first", days_ago=5_000)
    put(alice, "last", days_ago=4_000)
    clean("--days", "1")
    assert kept() == [("~", "last")]


def test_an_element_that_was_deleted_before_is_purged_for_good(alice, northwind: Repository, clean):
    """One that was deleted since can still be restored, to what it was on any of the days."""
    put(alice, "long gone", days_ago=900)
    delete(alice, days_ago=800)
    put(alice, "gone", days_ago=700, id="2000")
    put(alice, "gone since", days_ago=600, id="2000")
    delete(alice, days_ago=300, id="2000")
    clean("--days", "365")
    assert kept() == [("~", "gone since"), ("-", "gone since")]
    assert [row.element_id for row in deleted_elements(Account, [northwind.pk])] == ["2000"]


def test_what_was_deleted_after_the_clock_was_put_back_stays_deleted(alice, northwind: Repository, clean):
    """Its deletion is kept for as long as a version from before it, whose time is later."""
    put(alice, "of a wrong time", days_ago=300)
    delete(alice, days_ago=500)
    put(alice, "replaced", days_ago=500, id="2000")
    put(alice, "last", days_ago=400, id="2000")
    assert "account: 1 of 4 versions are deleted." in clean("--days", "365")
    assert kept(element_id="1000") == [("+", "of a wrong time"), ("-", "of a wrong time")]
    assert misfits(ACCOUNT, northwind) == []
    clean("--days", "200")
    assert kept(element_id="1000") == []


def test_other_repositories_are_left_alone(alice, bob, clean):
    for person, db_id in ((alice, "northwind"), (bob, "contoso")):
        put(person, "first", days_ago=900, db_id=db_id)
        put(person, "second", days_ago=800, db_id=db_id)
    clean("--days", "365", "--repository", "contoso")
    assert kept(repository__db_id="northwind") == [("+", "first"), ("~", "second")]
    assert kept(repository__db_id="contoso") == [("~", "second")]


def test_each_dimension_is_cleaned(alice, clean):
    alice.send("POST", alice.currency(), currency())
    assert clean("--days", "365") == ["currency: 0 of 1 versions are deleted.", "account: 0 of 0 versions are deleted."]


def test_a_dry_run_reports_the_same_and_purges_nothing(alice, clean):
    put(alice, "first", days_ago=900)
    put(alice, "second", days_ago=800)
    before = kept()
    assert "account: 1 of 2 versions would be deleted." in clean("--days", "365", "--dry-run")
    assert kept() == before


def test_few_versions_are_purged_at_a_time(alice, clean, monkeypatch):
    """Each step is a separate statement, however many there are: nobody waits long, and nothing piles up."""
    monkeypatch.setattr(retention, "_AT_A_TIME", 3)
    for change in range(2):
        save(alice, "account", put=[account(f"{n}", documentationLink=str(change)) for n in range(8)])
    ChangeSet.objects.update(committed_at=timezone.now() - timedelta(days=900))
    with CaptureQueriesContext(connection) as queries:
        clean("--days", "365")
    deletions = [query["sql"] for query in queries if query["sql"].startswith("DELETE")]
    assert [sum(table in deletion.split(" WHERE ")[0] for deletion in deletions) for table in TABLES] == [STEPS, 1]
    assert kept() == [("~", "1")] * 8


def test_versions_purged_before_an_interruption_stay_purged(alice, clean, monkeypatch):
    """The latest versions of each account are left, and the next run continues."""
    monkeypatch.setattr(retention, "_AT_A_TIME", 2)
    for number in range(4):
        put(alice, str(number), days_ago=900)

    def interrupt() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(retention, "let_others_write", interrupt)
        with pytest.raises(CommandError, match="Stopped") as stopped:
            clean("--days", "365")
    assert stopped.value.returncode == 130
    assert kept() == [("~", "2"), ("~", "3")]
    clean("--days", "365")
    assert kept() == [("~", "3")]


def test_two_at_a_time_do_no_harm(alice, northwind, monkeypatch):
    """Each version is purged by one of them, and no version that stays is touched."""
    monkeypatch.setattr(retention, "_AT_A_TIME", 3)
    for number in range(8):
        put(alice, str(number), days_ago=900)
    before = timezone.now() - timedelta(days=365)
    both = [retention.remove_versions(ACCOUNT, northwind, before, dry_run=False) for _ in range(2)]
    steps = [step for pair in zip_longest(*both) for step in pair if step]
    assert sum(step.deleted for step in steps) == 7
    assert kept() == [("~", "7")]


def test_what_is_written_meanwhile_is_left_alone(alice, northwind, monkeypatch):
    """The command ends, however much is written while it runs."""
    monkeypatch.setattr(retention, "_AT_A_TIME", 1)
    for number in range(3):
        put(alice, str(number), days_ago=900)
    before = timezone.now() - timedelta(days=365)
    for _ in retention.remove_versions(ACCOUNT, northwind, before, dry_run=False):
        put(alice, "new", days_ago=0)
        put(alice, "newer", days_ago=0)
    assert kept() == [("~", "2"), *[("~", "new"), ("~", "newer")] * 3]


@pytest.mark.parametrize("days", ["0", "-1", "36501", "x", "²", "1" * 30, "0000000013000000000"])
def test_a_number_of_days_that_cannot_be_meant_is_refused(db, clean, days):
    with pytest.raises(CommandError, match="must be a whole number from 1 to 36500"):
        clean(f"--days={days}")


def test_an_unknown_repository_is_refused(db, clean):
    with pytest.raises(CommandError, match="There is no repository 'nowhere'"):
        clean("--days", "365", "--repository", "nowhere")


def test_the_log_shows_how_many(alice, clean, caplog):
    put(alice, "first", days_ago=900)
    put(alice, "second", days_ago=800)
    clean("--days", "365")
    assert lines(caplog, "history_cleaned") == [
        {"dimension": "currency", "versions": 0, "dry_run": False, "level": "info"},
        {"dimension": "account", "versions": 1, "dry_run": False, "level": "info"},
    ]
