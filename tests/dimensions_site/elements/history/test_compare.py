"""`elements-compare` answers the differences between two states, of one repository or of two."""

import json
from random import Random
from typing import Any

import pytest

from dimensions_site.changes import versions
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from dimensions_site.rsql.parser import parse
from tests.bulkops.jobs.deletions import start, work_now
from tests.bulkops.save.bulk import refused
from tests.dimensions import DIMENSIONS
from tests.dimensions_site.elements.history.calls import answer, refusal, token
from tests.dimensions_site.elements.history.histories import differences, random_history
from tests.dimensions_site.elements.reading.meaning import holds
from tests.dimensions_site.repositories.test_narrow_keys import TOO_NARROW, narrow_key
from tests.factories import Person, account, content
from tests.lengths import tries
from tests.storing import store_accounts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("J2")]

PAIRS = tries(6, long=200)
STEPS = tries(14, long=100)
FILTERS = ("id=gt=05", "descriptions=ilike=a", "updateInfo.origin==INPUT_WEB;id!=03", "descriptions.it=isnull=true")


def compared(alice: Person, dimension: str, **query: str) -> list[tuple[str, str, dict[str, tuple[Any, Any]]]]:
    """The differences, each with its changes by path."""
    found = answer(alice, "compare", dimension, **query)
    for one in found:
        paths = [change["path"] for change in one["changes"]]
        assert len(paths) == len(set(paths))
    return [
        (one["id"], one["action"], {change["path"]: (change["before"], change["after"]) for change in one["changes"]})
        for one in found
    ]


def check_any_two_states(alice, history, dimension, monkeypatch):
    """In both orders, by tokens and instants, with few change sets between them or, in every second pair, many."""
    random = Random(3)
    for pair in range(PAIRS):
        monkeypatch.setattr(versions, "_FEW", 500 if pair % 2 else 0)
        (one, before), (other, after) = history.asked(random), history.asked(random)
        assert compared(alice, dimension, **{"from": one, "to": other}) == differences(before, after)
        assert compared(alice, dimension, **{"from": other, "to": one}) == differences(after, before)


def check_a_state_and_now(alice, history, dimension):
    """Without `to`, or without `from`."""
    random, now = Random(4), history.moments[-1]
    for as_of, before in (history.asked(random) for _ in range(PAIRS)):
        assert compared(alice, dimension, **{"from": as_of}) == differences(before, now)
        assert compared(alice, dimension, to=as_of) == differences(now, before)


def check_a_filter_restricts_to_what_matches_on_either_side(alice, history, dimension):
    """The measure is the plain evaluation of the filter over both lists."""
    random, wire = Random(5), DIMENSIONS[dimension].wire
    for number in range(PAIRS):
        (one, before), (other, after) = history.asked(random), history.asked(random)
        text = FILTERS[number % len(FILTERS)]
        both = [*before.elements, *after.elements]
        matching = {element["id"] for element in both if holds(parse(text), element, wire, "en")}
        expected = [found for found in differences(before, after) if found[0] in matching]
        assert compared(alice, dimension, filter=text, **{"from": one, "to": other}) == expected


def check_two_repositories(alice, history, dimension, contoso):
    """Of any of their states, and of now; from the other one to that in the path."""
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.MANAGER)
    others, random = random_history(alice, dimension, STEPS, seed=8, db_id="contoso"), Random(6)
    for _ in range(PAIRS):
        (one, before), (other, after) = others.asked(random), history.asked(random)
        query = {"fromRepository": "contoso", "from": one, "to": other}
        assert compared(alice, dimension, **query) == differences(before, after)
    expected = differences(others.moments[-1], history.moments[-1])
    assert compared(alice, dimension, fromRepository="contoso") == expected
    assert compared(alice, dimension, fromRepository="northwind") == []


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_differences_of_any_two_states_are_those_of_their_lists(
    alice, northwind, contoso, dimension, monkeypatch, subtests
):
    """One history, which takes most of the time, is asked in all of these ways."""
    history = random_history(alice, dimension, STEPS, seed=PAIRS)
    with subtests.test("of one repository"), monkeypatch.context() as patches:
        check_any_two_states(alice, history, dimension, patches)
    with subtests.test("until now"):
        check_a_state_and_now(alice, history, dimension)
    with subtests.test("with a filter"):
        check_a_filter_restricts_to_what_matches_on_either_side(alice, history, dimension)
    with subtests.test("of two repositories"):
        check_two_repositories(alice, history, dimension, contoso)


def test_a_comparison_names_what_to_compare_with(alice):
    """The present with itself has no differences, which would be mistaken for the answer to another question."""
    for query in ("", "?filter=id==x"):
        report = refused(alice.get(alice.account("elements-compare") + query))
        assert [(error["path"], error["code"]) for error in report["errors"]] == [("from", "REQUIRED")]


def test_a_dimension_that_was_empty_is_compared_like_any_other(alice, northwind):
    """With itself, and with what there is now."""
    assert answer(alice, "compare", fromRepository="northwind") == []
    empty = token(alice)
    assert answer(alice, "compare", **{"from": empty, "to": empty}) == []
    store_accounts(northwind, account("1"))
    assert [one["action"] for one in answer(alice, "compare", **{"from": empty})] == ["created"]
    assert [one["action"] for one in answer(alice, "compare", to=empty)] == ["deleted"]
    assert answer(alice, "compare", filter="id!=1", **{"from": empty}) == []
    assert (answer(alice, "", asOf=empty), answer(alice, "count", asOf=empty)) == ([], 0)


@pytest.fixture
def since(alice: Person, northwind: Repository) -> str:
    """The token before account 1 was changed, 2 deleted, and 3 created."""
    store_accounts(northwind, account("1"), account("2"))
    before = token(alice)
    alice.send("PATCH", alice.account("elements/1"), {"nature": "OTHER_STOCKS"})
    start(alice, ["2"])
    work_now()
    alice.send("POST", alice.account(), account("3"))
    return before


def test_each_difference_says_what_has_become_of_its_element(alice, since):
    changed, deleted, created = answer(alice, "compare", **{"from": since})
    assert changed == {
        "id": "1",
        "action": "changed",
        "changes": [{"path": "nature", "before": "BALANCE_SHEET", "after": "OTHER_STOCKS"}],
    }
    assert (deleted["id"], deleted["action"], created["id"], created["action"]) == ("2", "deleted", "3", "created")
    assert {"path": "descriptions.en", "before": "Cash", "after": None} in deleted["changes"]
    assert {"path": "descriptions.en", "before": None, "after": "Cash"} in created["changes"]


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_a_chart_in_which_nothing_was_ever_written_has_no_differences(alice, northwind, dimension):
    """Neither of its two states has a change set."""
    same = {"fromRepository": "northwind"}
    assert answer(alice, "compare", dimension, **same) == []
    assert answer(alice, "compare", dimension, filter="id!=x", **same) == []


def test_the_count_and_lines_of_json(alice, since):
    """The count is of the differences that the filter leaves."""
    path = alice.account("elements-compare")
    response = alice.get(path, {"from": since, "filter": "id!=1"}, headers={"prefer": "count=exact"})
    assert (response["X-Total-Count"], response["Preference-Applied"]) == ("2", "count=exact")
    lines = content(alice.get(path, {"from": since}, headers={"accept": "application/x-ndjson"}))
    assert [json.loads(line) for line in lines.splitlines()] == answer(alice, "compare", **{"from": since})


@pytest.mark.contract("A6")
def test_both_repositories_have_to_be_open_to_the_person(alice, northwind, contoso, since):
    """404 for one that is not there, 403 without a grant, for another dimension only, or without the API."""
    assert refusal(alice, "compare", fromRepository="nowhere")[:2] == (404, "REPOSITORY_NOT_FOUND")
    assert refusal(alice, "compare", fromRepository="contoso")[:2] == (403, "NO_GRANT")
    assert refusal(alice, "compare", fromRepository="contoso", filter="x")[:2] == (403, "NO_GRANT")
    grant = AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER, dimension="currency")
    assert refusal(alice, "compare", fromRepository="contoso")[:2] == (403, "NO_GRANT")
    assert answer(alice, "compare", "currency", fromRepository="contoso") == []
    AccessGrant.objects.filter(pk=grant.pk).update(dimension="account")
    assert [one["action"] for one in answer(alice, "compare", fromRepository="contoso")] == ["created", "created"]
    Repository.objects.filter(pk=contoso.pk).update(api_enabled=False)
    assert refusal(alice, "compare", fromRepository="contoso")[:2] == (403, "API_NOT_ENABLED")


@pytest.mark.contract("A6")
def test_a_key_for_one_repository_compares_no_other(alice, northwind, contoso, since):
    """Though its user has a grant in both."""
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    program = narrow_key(alice.user, ("northwind",))
    assert len(answer(program, "compare", **{"from": since})) == 3
    assert refusal(program, "compare", fromRepository="contoso")[:2] == TOO_NARROW
    assert len(answer(narrow_key(alice.user), "compare", fromRepository="contoso")) == 2


def test_the_moment_of_each_repository_is_its_own(alice, northwind, contoso, since):
    """A token of the other one is invalid for this one, and the first instant is that of the one it is asked of."""
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    status, code, errors = refusal(alice, "compare", fromRepository="contoso", **{"from": since, "to": since})
    assert (status, code, errors) == (400, "INVALID_TOKEN", [("from", "INVALID_TOKEN")])
    other = alice.get(alice.account(db_id="contoso"))["Sync-Token"]
    assert len(answer(alice, "compare", fromRepository="contoso", **{"from": other, "to": since})) == 2
    assert answer(alice, "compare", "currency", fromRepository="contoso", **{"from": "2020-01-01"}) == []


def test_all_errors_are_reported_at_once(alice, since):
    """Both moments, the filter, and unknown parameters; what is gone is reported when nothing else is wrong."""
    query = {"from": "yesterday", "to": "2999-01-01", "filter": "naturee==1", "sort": "id"}
    status, _, errors = refusal(alice, "compare", **query)
    assert (status, sorted(path for path, _ in errors)) == (400, sorted(query))
    assert refusal(alice, "compare", **{"from": "2020-01-01"}) == (410, "HISTORY_EXPIRED", [])
    assert refusal(alice, "compare", **{"from": "2020-01-01", "filter": "x"})[0] == 400


def test_equal_values_that_are_stored_as_different_texts_are_no_difference(alice, northwind, contoso):
    """The entries of a map in another order."""
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    store_accounts(northwind, account("1", descriptions={"en": "Cash", "de": "Kasse"}))
    store_accounts(contoso, account("1", descriptions={"de": "Kasse", "en": "Cash"}))
    assert answer(alice, "compare", fromRepository="contoso") == []


def test_an_entry_without_a_text_is_no_missing_one(alice: Person, northwind: Repository):
    """Both are null, so a member says what became of an entry that has no text on one side."""
    store_accounts(northwind, account("1", descriptions={"en": "Cash", "de": None, "es": "Caja", "pt": None}))
    since = token(alice)
    patch = {
        "descriptions": {"fr": None, "it": "Cassa", "es": None, "pt": "Caixa"},
        "customAttributes": {"owner": None},
    }
    assert alice.send("PATCH", alice.account("elements/1"), patch).status_code == 200
    changes: list[dict[str, Any]] = [
        {"path": "descriptions.es", "before": "Caja", "after": None, "entry": "kept"},
        {"path": "descriptions.fr", "before": None, "after": None, "entry": "added"},
        {"path": "descriptions.it", "before": None, "after": "Cassa"},
        {"path": "descriptions.pt", "before": None, "after": "Caixa", "entry": "kept"},
        {"path": "customAttributes.owner", "before": None, "after": None, "entry": "added"},
    ]
    [compared] = answer(alice, "compare", **{"from": since})
    assert compared["changes"] == changes
    assert answer(alice, "versions", id="1")[0]["changes"] == changes
    removal, merge_patch = '{"descriptions": {"de": null, "it": null}}', "application/merge-patch+json"
    assert alice.generic("PATCH", alice.account("elements/1"), removal, content_type=merge_patch).status_code == 200
    changes = [
        {"path": "descriptions.de", "before": None, "after": None, "entry": "removed"},
        {"path": "descriptions.it", "before": "Cassa", "after": None},
    ]
    assert answer(alice, "versions", id="1")[0]["changes"] == changes


def test_an_empty_map_differs_from_one_that_is_not_set(alice: Person, northwind: Repository):
    """The list shows the two as different values, so a comparison and a version name them."""
    store_accounts(northwind, account("1"))
    since = token(alice)
    alice.send("PATCH", alice.account("elements/1"), {"alternativeDescriptions": {}})
    changes: list[dict[str, Any]] = [{"path": "alternativeDescriptions", "before": None, "after": {}}]
    assert answer(alice, "compare", **{"from": since}) == [{"id": "1", "action": "changed", "changes": changes}]
    assert answer(alice, "versions", id="1")[0]["changes"] == changes
