"""The feed answers what was committed after a token: each element once, in its newest state."""

import pytest

from tests.bulkops.jobs.deletions import start, work_now
from tests.dimensions_site.elements.history.calls import answer, changes, token
from tests.factories import Person, account, content, currency, read
from tests.storing import store_accounts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("I3", "I4")]

BANK = {"descriptions": {"en": "Bank"}}


@pytest.fixture
def since(alice: Person, northwind) -> str:
    """The token of a list of the accounts 1, 2 and 3."""
    store_accounts(northwind, *(account(id) for id in ("1", "2", "3")))
    return token(alice)


def delete(alice: Person, *ids: str) -> None:
    start(alice, ids)
    work_now()


@pytest.mark.parametrize("route", ["elements", "elements-fetch?properties=id", "elements-changes"])
def test_lists_and_the_feed_carry_a_token_that_the_feed_continues(alice, since, route):
    """What was written before it is not answered, and what is written after it is."""
    later = token(alice, route)
    alice.send("PATCH", alice.account("elements/2"), BANK)
    assert changes(alice, later) == [("saved", "2")]


def test_each_element_is_answered_once_in_its_newest_state(alice, since):
    """Created, changed twice, or created and deleted since: one change each, in the order of the ids."""
    alice.send("POST", alice.account(), account("0"))
    for text in ("Till", "Bank"):
        alice.send("PATCH", alice.account("elements/3"), {"descriptions": {"en": text}})
    alice.send("POST", alice.account(), account("4"))
    delete(alice, "1", "4")
    assert changes(alice, since) == [("saved", "0"), ("deleted", "1"), ("saved", "3"), ("deleted", "4")]
    found = {one["element"]["id"]: one["element"] for one in answer(alice, "changes", since=since) if "element" in one}
    assert found == {id: read(alice.get(alice.account(f"elements/{id}"))) for id in ("0", "3")}
    assert found["3"]["descriptions"]["en"] == "Bank"


def test_ids_are_ordered_by_code_point(alice, since):
    """As lists are."""
    store = [account(id) for id in ("ä", "Z", "a", "10", "9")]
    assert len(read(alice.send("POST", alice.account("elements-bulk"), {"post": store}))) == 5
    assert [id for _, id in changes(alice, since)] == ["10", "9", "Z", "a", "ä"]


def test_what_stops_to_match_the_filter_leaves_as_deleted(alice, since):
    """What has not changed is not answered, whether or not it matches."""
    alice.send("PATCH", alice.account("elements/1"), {"nature": "OTHER_STOCKS"})
    alice.send("PATCH", alice.account("elements/2"), BANK)
    delete(alice, "3")
    balance = "nature==BALANCE_SHEET"
    assert changes(alice, since, filter=balance) == [("deleted", "1"), ("saved", "2"), ("deleted", "3")]
    assert changes(alice, since, filter="") == [("saved", "1"), ("saved", "2"), ("deleted", "3")]
    everything = answer(alice, "changes", filter=balance)
    assert [one["element"]["id"] for one in everything] == ["2"]


def test_head_answers_the_token_alone(alice, since):
    """For a client that begins to follow without a copy."""
    response = alice.head(alice.account("elements-changes"), {"since": since})
    assert (response.status_code, content(response)) == (200, b"")
    alice.send("PATCH", alice.account("elements/2"), BANK)
    assert changes(alice, response["Sync-Token"]) == [("saved", "2")]


@pytest.mark.parametrize("write", ["dry run", "refused", "same"])
def test_what_changes_nothing_is_in_no_feed(alice, since, write):
    """A dry run, a refused save, and a save of what is stored."""
    put = {"put": [account("1"), account("5", nature="WRONG" if write == "refused" else "BALANCE_SHEET")]}
    if write == "same":
        put = {"put": [account("1")]}
    query = "?dryRun=true" if write == "dry run" else ""
    response = alice.send("POST", alice.account(f"elements-bulk{query}"), put)
    assert (response.status_code, bool(content(response))) == (400 if write == "refused" else 200, True)
    assert changes(alice, since) == []
    assert token(alice) == since


def test_the_first_token_of_an_empty_dimension_can_be_followed(alice):
    """It has no change sets at all."""
    empty = token(alice, dimension="currency")
    alice.send("POST", alice.currency(), currency())
    assert [one["change"] for one in answer(alice, "changes", "currency", since=empty)] == ["saved"]


def test_an_empty_poll_costs_two_queries(rita, northwind, since, django_assert_num_queries):
    """The client with its role, and the state, however many elements there are."""
    with django_assert_num_queries(2):
        assert changes(rita, since) == []


@pytest.mark.parametrize("rows", [1, 100])
def test_changes_cost_five_queries_however_many(rita, northwind, since, django_assert_num_queries, rows):
    """Besides those of an empty poll: the marks of the token's change sets, those that are later, and the rows."""
    store_accounts(northwind, *(account(f"A{number}") for number in range(rows)))
    with django_assert_num_queries(5):
        assert len(changes(rita, since)) == rows
