"""The list of change sets: the latest first, filtered, in pages."""

from datetime import UTC, datetime

import pytest

from tests.bulkops.jobs.deletions import start, work_now
from tests.dimensions_site.elements.history.calls import answer, refusal
from tests.factories import Person, account
from tests.storing import store_accounts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("I1", "I5")]


@pytest.fixture
def deletion(alice: Person, ed: Person, northwind) -> str:
    """Four change sets: an import, a change by Alice for a reason, one by Ed, and a deletion, whose id this is."""
    store_accounts(northwind, account("1"))
    alice.send("PATCH", alice.account("elements/1"), {"nature": "OTHER_STOCKS"}, Change_Reason="Pr%C3%BCfung")
    ed.send("PUT", ed.account("elements/2"), account("2"))
    oid = start(alice, ["1", "2"])
    work_now()
    return oid


def channels(alice: Person, **query: str) -> list[str]:
    return [one["channel"] for one in answer(alice, "changesets", **query)]


def test_they_are_listed_with_all_that_they_have_the_latest_first(alice, deletion):
    sets = answer(alice, "changesets")
    names = ("channel", "user", "origin", "created", "changed", "deleted")
    assert [tuple(one[name] for name in names) for one in sets] == [
        ("DELETION", "alice", "INPUT_WEB", 0, 0, 2),
        ("REST", "ed", "INPUT_WEB", 1, 0, 0),
        ("REST", "alice", "INPUT_WEB", 0, 1, 0),
        ("IMPORT", "system", "IMPORT", 1, 0, 0),
    ]
    assert [one["reason"] for one in sets] == [None, None, "Prüfung", None]
    assert [one["operation"] for one in sets] == [deletion, None, None, None]
    instants = [datetime.strptime(one["committedAt"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC) for one in sets]
    assert instants == sorted(instants, reverse=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("channel==IMPORT", ["IMPORT"]),
        ("channel=in=(IMPORT,DELETION)", ["DELETION", "IMPORT"]),
        ("origin!=IMPORT", ["DELETION", "REST", "REST"]),
        ("user==alice;channel==REST", ["REST"]),
        ("user=ilike=LIC", ["DELETION", "REST"]),
        ("reason=like=Prüf", ["REST"]),
        ("reason=isnull=true", ["DELETION", "REST", "IMPORT"]),
        ("operation=isnull=false", ["DELETION"]),
        ("committedAt=gt=2020-01-01", ["DELETION", "REST", "REST", "IMPORT"]),
        ("committedAt=lt=2020-01-01", []),
        ("committedAt=like=Z", ["DELETION", "REST", "REST", "IMPORT"]),
        ("committedAt=like=+0000", []),
        ("", ["DELETION", "REST", "REST", "IMPORT"]),
    ],
)
def test_a_filter_selects_by_each_of_the_fields(alice, deletion, text, expected):
    assert channels(alice, filter=text) == expected


def test_a_filter_selects_those_of_one_operation(alice, deletion):
    """By the id of the deletion."""
    assert channels(alice, filter=f"operation=={deletion}") == ["DELETION"]


def test_pages_and_the_count(alice, deletion):
    """The count is of all that the filter selects."""
    assert channels(alice, skip="1", take="2") == ["REST", "REST"]
    assert channels(alice, take="0") == []
    query = {"filter": "channel==REST", "take": "1"}
    response = alice.get(alice.account("elements-changesets"), query, headers={"prefer": "count=exact"})
    assert (response["X-Total-Count"], response["Preference-Applied"]) == ("2", "count=exact")


def test_all_errors_are_reported_at_once(alice):
    """Unknown fields and parameters, wrong values, and pages."""
    query = {"filter": "chanel==REST,channel==WEB;committedAt=gt=noon", "skip": "-1", "take": "x", "sort": "user"}
    status, code, errors = refusal(alice, "changesets", **query)
    assert (status, code) == (400, "INVALID_REQUEST")
    assert sorted(path for path, _ in errors) == ["filter", "filter", "filter", "skip", "sort", "take"]
    hint = alice.get(alice.account("elements-changesets"), {"filter": "chanel==REST"}).json()["detail"]
    assert "Did you mean 'channel'?" in hint
