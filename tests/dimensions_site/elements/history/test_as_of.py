"""`asOf` answers the elements as they were, with all that lists know, and the same whenever it is asked."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from django.core.management import call_command
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dimensions_site.changes.models import ChangeSet
from tests.dimensions import DIMENSIONS
from tests.dimensions_site.elements.history.calls import answer, refusal, token
from tests.dimensions_site.elements.history.histories import History, random_history
from tests.dimensions_site.elements.reading.meaning import holds
from tests.dimensions_site.elements.reading.test_filters_answer_as_meant import Listed, comparisons
from tests.dimensions_site.rsql.strategies import trees
from tests.dimensions_site.rsql.writing import write
from tests.factories import Person, account, content, read
from tests.lengths import tries
from tests.storing import store_accounts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("J1")]

ASKED = tries(20, long=300)
STEPS = tries(16, long=120)


def check_any_question(alice: Person, history: History, dimension: str) -> None:
    """Any filter, pages in both orders, and the count, at random instants and tokens."""
    wire = DIMENSIONS[dimension].wire
    elements = Listed(element for moment in history.moments for element in moment.elements)

    @settings(
        max_examples=ASKED,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    )
    @given(
        trees(comparisons(wire, elements, "en")),
        st.randoms(use_true_random=False),
        st.sampled_from(("", "-")),
        st.integers(0, 4),
        st.integers(0, 9),
    )
    def check(node, random, direction, skip, take):
        as_of, moment = history.asked(random)
        query = {"asOf": as_of, "filter": write(node, random)}
        expected = [element for element in moment.elements if holds(node, element, wire, "en")]
        assert answer(alice, "", dimension, **query) == expected
        assert answer(alice, "count", dimension, **query) == len(expected)
        page = {"sort": f"{direction}id", "skip": f"{skip}", "take": f"{take}"}
        ordered = expected[:: -1 if direction else 1]
        assert answer(alice, "", dimension, **query, **page) == ordered[skip : skip + take]

    check()


def check_every_list_is_answered_with_the_same_bytes(alice: Person, history: History, dimension: str) -> None:
    """As JSON, as NDJSON and as CSV, by token and by instant, from the same token on."""
    path, random = alice.elements(dimension, "elements"), Random(7)
    for as_of, moment in (history.asked(random) for _ in range(ASKED)):
        response = alice.get(path, {"asOf": as_of})
        assert content(response) == moment.json
        lines = content(alice.get(path, {"asOf": as_of}, headers={"accept": "application/x-ndjson"}))
        assert b"[" + b",".join(lines.splitlines()) + b"]" == moment.json.replace(b"\n", b"")
        assert content(alice.get(path, {"asOf": as_of}, headers={"accept": "text/csv"})) == moment.csv
        assert content(alice.get(path, {"asOf": response["Sync-Token"]})) == moment.json


def check_properties_sort_orders_and_the_count(alice: Person, history: History, dimension: str) -> None:
    """Of the latest state, which the fetch without `asOf` answers, when it has passed."""
    queries = [
        {"properties": "id,description,updateInfo", "sort": "-description,id"},
        {"properties": "descriptions.*,updateInfo.date", "sort": "updateInfo.date,-id", "skip": "1", "take": "5"},
        {"properties": "id", "sort": "descriptions.de;-updateInfo.user", "filter": "description=ilike=A"},
    ]
    then, path = history.moments[-1], alice.elements(dimension, "elements-fetch")
    answers = [content(alice.get(path, query)) for query in queries]
    random_history(alice, dimension, 4, seed=1)
    for query, expected in zip(queries, answers, strict=True):
        for as_of in (then.token, then.committed_at.astimezone(UTC).isoformat(timespec="milliseconds")):
            assert content(alice.get(path, {**query, "asOf": as_of})) == expected
    counted = alice.get(path, {"properties": "id", "asOf": then.token}, headers={"prefer": "count=exact"})
    assert counted["X-Total-Count"] == f"{len(then.elements)}"


@pytest.mark.contract("D1", "D2", "D5", "D6", "D7", "D8", "H4")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_any_question_about_the_past_is_answered_as_from_a_copy_of_then(alice, northwind, dimension, subtests):
    """One history, which takes much of the time, is asked in all of these ways."""
    history = random_history(alice, dimension, STEPS, seed=ASKED)
    for check in (
        check_any_question,
        check_every_list_is_answered_with_the_same_bytes,
        check_properties_sort_orders_and_the_count,
    ):
        with subtests.test(check.__name__):
            check(alice, history, dimension)


@pytest.fixture
def first(alice: Person, northwind) -> datetime:
    """The instant at which the only account was created."""
    store_accounts(northwind, account("1"))
    return ChangeSet.objects.get(repository=northwind, dimension="account").committed_at


def test_an_instant_in_the_future_is_refused_with_the_time(alice, first):
    for text in ("2999-01-01", (timezone.now() + timedelta(minutes=5)).isoformat(timespec="milliseconds")):
        for route in ("", "count"):
            assert refusal(alice, route, asOf=text) == (400, "INVALID_VALUE", [("asOf", "INVALID_VALUE")])
    detail = alice.get(alice.account(), {"asOf": "2999-01-01"}).json()["detail"]
    assert f"it is {timezone.now():%Y-%m-%dT%H:}" in detail


@pytest.mark.parametrize("text", ["2026-13-01", "2026-02-30", "2026-03-31T25:00:00Z", "9", "2026-03-31T10:00:00.0001Z"])
def test_what_is_no_instant_is_refused(alice, first, text):
    assert refusal(alice, "", asOf=text) == (400, "INVALID_VALUE", [("asOf", "INVALID_VALUE")])


@pytest.mark.parametrize("text", ["yesterday", "", "-1", "now", "²"])
def test_what_is_neither_instant_nor_token_is_refused_with_what_is(alice, first, text):
    status, _, errors = refusal(alice, "", asOf=text)
    assert (status, [path for path, _ in errors]) == (400, ["asOf"])
    assert "an instant such as" in alice.get(alice.account(), {"asOf": text}).json()["detail"]


def test_an_instant_before_the_first_version_is_gone(alice, first):
    """410 names the first instant that is answered."""
    assert refusal(alice, "", asOf="2020-01-01") == (410, "HISTORY_EXPIRED", [])
    named = f"{first.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"
    assert named in alice.get(alice.account(), {"asOf": "2020-01-01"}).json()["detail"]
    while timezone.now() < first:
        pass
    assert [one["id"] for one in answer(alice, "", asOf=named)] == ["1"]


def test_an_instant_before_what_retention_has_kept_is_gone(alice, northwind, first, monkeypatch):
    """What was replaced since is still answered."""
    alice.send("PATCH", alice.account("elements/1"), {"nature": "OTHER_STOCKS"})
    old, replaced = ChangeSet.objects.order_by("committed_at", "number")
    now = timezone.now()
    for one, days in ((old, 50), (replaced, 40)):
        ChangeSet.objects.filter(pk=one.pk).update(committed_at=now - timedelta(days=days))
    alice.send("PATCH", alice.account("elements/1"), {"nature": "PROFIT_AND_LOSS"})
    monkeypatch.setattr("time.sleep", lambda seconds: None)  # for reads that have begun
    call_command("clean_old_history", days=30)
    for days in (60, 45, 35, 31):
        assert refusal(alice, "", asOf=(now - timedelta(days=days)).isoformat(timespec="milliseconds"))[0] == 410
    kept = answer(alice, "", asOf=(now - timedelta(days=29)).isoformat(timespec="milliseconds"))
    assert [one["nature"] for one in kept] == ["OTHER_STOCKS"]


def test_all_errors_of_a_call_are_reported_at_once(alice, first):
    """The moment, the filter, the order, the page, the properties and unknown parameters."""
    query = {"asOf": "yesterday", "filter": "naturee==1", "sort": "x", "skip": "-1", "properties": "", "from": "x"}
    status, code, errors = refusal(alice, "fetch", **query)
    assert (status, code) == (400, "INVALID_REQUEST")
    assert sorted(path for path, _ in errors) == sorted(query)


def test_errors_of_the_call_come_before_what_is_gone(alice, first):
    """410 would have to be asked again to see them."""
    status, _, errors = refusal(alice, "", asOf="2020-01-01", skip="-1")
    assert (status, [path for path, _ in errors]) == (400, ["skip"])


@pytest.mark.contract("A7")
def test_one_element_takes_no_moment(alice, first):
    """An account refuses the parameter; a currency ignores all of them."""
    response = alice.get(alice.account("elements/1"), {"asOf": token(alice)})
    assert (response.status_code, response.json()["code"]) == (400, "UNKNOWN_PARAMETER")
    response = alice.get(alice.currency("elements/1"), {"asOf": "yesterday"})
    assert response.status_code == 404


def test_without_any_version_every_past_instant_is_empty(alice):
    assert answer(alice, "", "currency", asOf="2020-01-01") == []
    assert read(alice.get(alice.currency("elements-count"), {"asOf": "2020-01-01"})) == 0
