"""The command that compares elements, versions and change sets, and what it finds."""

from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext, override_settings

from account.models import Account, AccountVersion
from dimensions_site.changes.models import ChangeSet, Channel, Slot
from dimensions_site.changes.placing import Actor
from dimensions_site.elements.writing.saving import delete as remove
from tests.bulkops.save.bulk import save
from tests.factories import account, currency

pytestmark = [pytest.mark.contract("P5"), pytest.mark.django_db(transaction=True)]


@pytest.fixture
def chart(alice, northwind):
    """Three accounts, of which one was changed and one deleted and made again; and a currency."""
    save(alice, "account", post=[account(id) for id in ("1", "2", "3")])
    alice.send("PATCH", alice.account("elements/1"), {"documentationLink": "x"})
    remove(Account.objects.filter(element_id="2"), northwind, Actor("alice", Channel.REST))
    save(alice, "account", post=[account("2")])
    save(alice, "currency", post=[currency("EUR")])


@pytest.fixture
def verify(capsys) -> Callable[..., str]:
    """Run the command and return what it prints, whether it finds something or not."""

    def run(*arguments: str) -> str:
        try:
            call_command("verify_repositories", *arguments)
        except CommandError as error:
            return f"{capsys.readouterr().out}{error}"
        return str(capsys.readouterr().out)

    return run


def test_what_the_service_has_written_fits(chart, contoso, verify):
    assert verify() == "Elements, versions and change sets of 2 repositories fit together.\n"


def test_it_still_fits_when_old_versions_were_deleted(chart, verify):
    """Up to the horizon, change sets and versions may be missing."""
    ChangeSet.objects.update(committed_at="2020-01-01T00:00:00Z")
    with override_settings(READ_TIMEOUT_SECONDS=0):
        call_command("clean_old_history", days=1)
    assert AccountVersion.objects.count() == Account.objects.count()
    assert "fit together" in verify()


DAMAGES: dict[str, tuple[Callable[[], object], str]] = {
    "an element was changed by SQL": (
        lambda: Account.objects.filter(element_id="1").update(documentation_link=None),
        "1 elements that are not as their newest version: 1.",
    ),
    "an element is missing": (
        lambda: Account.objects.filter(element_id="3").delete(),
        "1 newest versions that are not as their element: 3.",
    ),
    "the newest version is missing": (
        lambda: AccountVersion.objects.filter(element_id="3").delete(),
        "1 elements that are not as their newest version: 3.",
    ),
    "a change set is missing": (
        lambda: ChangeSet.objects.filter(dimension="account", created=3).delete(),
        "3 versions without a change set, of: 1, 2, 3.",
    ),
    "a number is missing": (
        lambda: ChangeSet.objects.filter(dimension="account", changed=1).delete(),
        "change sets up to number",
    ),
    "a slot is ahead": (
        lambda: Slot.objects.filter(dimension="account").update(number=F("number") + 1),
        "change sets up to number",
    ),
    "a slot ends with another change set": (
        lambda: Slot.objects.filter(dimension="currency").update(last="00000000-0000-0000-0000-000000000000"),
        "ends with another change set than 00000000-0000-0000-0000-000000000000.",
    ),
    "a change set counts more": (
        lambda: ChangeSet.objects.filter(dimension="account", deleted=1).update(deleted=2),
        "1 change sets that do not count their versions: ",
    ),
}


@pytest.mark.parametrize(("damage", "sentence"), DAMAGES.values(), ids=DAMAGES)
def test_what_does_not_fit_is_named(chart, verify, damage: Callable[[], object], sentence: str):
    """Where, how many and which; and the command fails."""
    damage()
    printed = verify()
    assert sentence in printed
    assert printed.startswith(("account in northwind: ", "currency in northwind: "))
    assert "Kinds of differences in 1 repository: " in printed


def test_one_repository_can_be_chosen(chart, contoso, verify):
    """An unknown one is an error."""
    Account.objects.filter(element_id="1").update(documentation_link=None)
    assert verify("--repository", "contoso") == "Elements, versions and change sets of 1 repository fit together.\n"
    assert "nowhere" in verify("--repository", "nowhere")


def test_the_number_of_queries_does_not_depend_on_the_number_of_elements(alice, chart, verify):
    """All is compared in the database."""
    with CaptureQueriesContext(connection) as before:
        verify()
    save(alice, "account", post=[account(f"new {number}") for number in range(50)])
    with CaptureQueriesContext(connection) as after:
        verify()
    assert len(after) <= len(before) + 2  # one more slot may be in use
