"""A chart of accounts with a state of the past and one of now."""

from datetime import UTC, datetime, timedelta
from typing import Any

from account.models import Account
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.changes.placing import Actor
from dimensions_site.elements.writing.saving import delete
from dimensions_site.repositories.models import Repository
from tests.factories import Person, account
from tests.storing import store_accounts

# Between the two states, and as people type it.
MARCH = datetime(2026, 3, 31, 22, tzinfo=UTC)
TYPED = "2026-03-31T22:00:00Z"
OLDEST = MARCH - timedelta(days=30)


def date_changes(moment: datetime) -> None:
    """Let all changes that were made since the last call be of that moment."""
    ChangeSet.objects.exclude(request_id="dated").update(committed_at=moment, request_id="dated")


def store_chart(person: Person, repository: Repository) -> None:
    """In March the accounts 1000, 1100 and 2000; since then 1000 was changed, 2000 deleted and 3000 created."""
    store_accounts(
        repository,
        account("1000", descriptions={"en": "Cash", "de": "Kasse"}),
        account("1100", descriptions={"en": "Sales"}, nature="PROFIT_AND_LOSS", rules={"grossAmountEqualICSum": True}),
        account("2000", descriptions={"en": "Loans"}),
    )
    date_changes(OLDEST)
    changes: dict[str, Any] = {"descriptions": {"en": "Petty money"}, "type": "DETAIL"}
    person.send("PATCH", person.account("elements/1000", repository.db_id), changes)
    delete(Account.of(repository).filter(element_id="2000"), repository, Actor(person.user.username, Channel.ADMIN))
    store_accounts(repository, account("3000", descriptions={"en": "New"}))
    date_changes(MARCH + timedelta(days=5))
