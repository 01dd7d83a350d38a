"""Who refers to an element, and which elements nobody refers to (contract L1)."""

from typing import Any

import pytest

from account.serializers import ACCOUNT_WIRE
from dimensions_site.elements.reading.uses import LISTED
from tests.bulkops.save.bulk import save
from tests.dimensions_site.elements.history.calls import answer, refusal
from tests.factories import Person, account, content, read
from tests.storing import store_accounts

pytestmark = [pytest.mark.django_db, pytest.mark.contract("L1")]
PATHS = [place.path for place in ACCOUNT_WIRE.references]
INITIAL = "conversion.referenceAccountForInitialBalance"
DEBIT = "rules.accrual.debitAccrual.id"


def nested(path: str, value: str) -> dict[str, Any]:
    """The members of an element that set this one leaf."""
    inner: Any = value
    for name in reversed(path.split(".")):
        inner = {name: inner}
    members: dict[str, Any] = inner
    return members


def user(id: str, path: str, target: str) -> dict[str, Any]:
    """An account that refers to the target by the leaf at the path."""
    members = nested(path, target)
    if "conversion" in members:
        members["conversion"]["conversionType"] = "FINAL"
    return account(id, **members)


def uses(person: Person, *ids: str) -> list[dict[str, Any]]:
    response = person.get(person.account("elements-uses"), {"id": ids})
    assert response.status_code == 200, response.content
    found: list[dict[str, Any]] = read(response)
    return found


def use(id: str, path: str) -> dict[str, str]:
    return {"dimension": "account", "id": id, "path": path}


def unused(person: Person, **query: str) -> list[str]:
    return [one["id"] for one in answer(person, "", unused="true", **query)]


def test_every_declared_reference_counts(rita, northwind):
    """One account refers by each leaf; each use names it."""
    store_accounts(northwind, account("T"), *(user(f"U{n:02}", path, "T") for n, path in enumerate(PATHS)))
    (found,) = uses(rita, "T")
    assert found == {"id": "T", "usedBy": [use(f"U{n:02}", path) for n, path in enumerate(PATHS)], "count": len(PATHS)}
    assert unused(rita) == [f"U{n:02}" for n in range(len(PATHS))]


def test_answers_follow_the_order_of_the_ids_and_name_each_once(rita, northwind):
    """An id that no element has is answered as well: a reference to it dangles, or there is none."""
    store_accounts(northwind, account("A"), user("B", INITIAL, "gone"), user("C", DEBIT, "A"))
    found = uses(rita, "none", "A", "gone", "A")
    assert [(one["id"], [use["id"] for use in one["usedBy"]]) for one in found] == [
        ("none", []),
        ("A", ["C"]),
        ("gone", ["B"]),
    ]


def test_an_element_is_not_used_by_itself(rita, northwind):
    """It could not be deleted otherwise, and nobody else would miss it."""
    store_accounts(northwind, user("SELF", DEBIT, "SELF"))
    assert uses(rita, "SELF") == [{"id": "SELF", "usedBy": [], "count": 0}]
    assert unused(rita) == ["SELF"]


def test_only_the_exact_id_counts(rita, northwind):
    store_accounts(
        northwind,
        account("a"),
        account("10", documentationLink="a"),
        user("B", DEBIT, "A"),
        user("C", DEBIT, "ab"),
        account("D", rules={"accrual": {"debitAccrual": {"id": "x", "description": "a"}}}),
        account("E", restrictions={"ctpRestriction": {"id": "a"}}),
    )
    assert uses(rita, "a")[0]["count"] == 0


def test_the_order_is_that_of_code_points(rita, northwind):
    ids = ["a", "B", "Z", "É", "1", "-"]
    store_accounts(northwind, account("T"), *(user(id, DEBIT, "T") for id in ids))
    assert [one["id"] for one in uses(rita, "T")[0]["usedBy"]] == sorted(ids)


def test_the_first_thousand_are_listed_and_all_are_counted(alice):
    save(alice, "account", post=[user(f"U{n:04}", DEBIT, "T") for n in range(LISTED + 5)])
    (found,) = uses(alice, "T")
    assert [one["id"] for one in found["usedBy"]] == [f"U{n:04}" for n in range(LISTED)]
    assert found["count"] == LISTED + 5


@pytest.mark.contract("G2")
def test_another_repository_is_never_searched(rita, bob, northwind, contoso):
    """The same id there is another element."""
    store_accounts(northwind, account("T"))
    store_accounts(contoso, account("T"), user("C", DEBIT, "T"))
    assert uses(rita, "T")[0]["count"] == 0
    assert unused(rita) == ["T"]
    assert rita.get(rita.account("elements-uses?id=T", "contoso")).status_code == 403
    assert read(bob.get(bob.account("elements-uses?id=T", "contoso")))[0]["count"] == 1


def test_unused_goes_with_filter_paging_count_and_fetch(rita, northwind):
    store_accounts(northwind, *map(account, ("1", "2", "3")), user("4", DEBIT, "2"), user("5", INITIAL, "5"))
    assert unused(rita) == ["1", "3", "4", "5"]
    assert unused(rita, filter="id=gt=1", sort="-id", skip="1", take="1") == ["4"]
    assert answer(rita, "count", unused="true") == 4
    assert answer(rita, "count", unused="true", filter="id=in=(1,2)") == 1
    assert answer(rita, "count", unused="false") == 5
    assert answer(rita, "fetch", unused="true", properties="id", take="1") == [{"id": "1"}]
    response = rita.get(rita.account("elements"), {"unused": "true", "take": "1"}, headers={"Prefer": "count=exact"})
    assert len(read(response)) == 1
    assert response["X-Total-Count"] == "4"
    lines = rita.get(rita.account("elements"), {"unused": "true"}, headers={"Accept": "application/x-ndjson"})
    assert content(lines).count(b"\n") == 4


@pytest.mark.contract("A7", "B1")
def test_wrong_queries_are_refused_with_all_errors(rita, northwind):
    assert refusal(rita, "uses") == (400, "REQUIRED", [("id", "REQUIRED")])
    response = rita.get(rita.account("elements-uses"), {"id": [str(n) for n in range(101)]})
    assert (response.status_code, response.json()["code"]) == (400, "TOO_MANY")
    assert len(uses(rita, *map(str, range(100)))) == 100
    wrong = rita.get(rita.account("elements-uses"), {"id": ["", "x" * 129, " a", "1"], "ids": "2"}).json()
    assert [(one["path"], one["code"]) for one in wrong["errors"]] == [("ids", "UNKNOWN_PARAMETER")] + [
        ("id", "INVALID_VALUE")
    ] * 3
    assert refusal(rita, "", unused="yes") == (400, "INVALID_VALUE", [("unused", "INVALID_VALUE")])
    assert refusal(rita, "count", unused="true", asOf="never") == (
        400,
        "INVALID_REQUEST",
        [("unused", "CONFLICTING_PARAMETERS"), ("asOf", "INVALID_VALUE")],
    )
    twice = rita.get(rita.account("elements?unused=true&unused=true")).json()
    assert twice["code"] == "REPEATED_PARAMETER"


@pytest.mark.parametrize("route", ["", "count"])
def test_what_was_unused_in_the_past_is_not_known(rita, northwind, route):
    store_accounts(northwind, account())
    moment = rita.get(rita.account("elements"))["Sync-Token"]
    found = refusal(rita, route, unused="true", asOf=moment)
    assert found == (400, "CONFLICTING_PARAMETERS", [("unused", "CONFLICTING_PARAMETERS")])
    assert rita.get(rita.account("elements"), {"unused": "false", "asOf": moment}).status_code == 200


def test_uses_take_one_query_besides_access(rita, northwind, django_assert_num_queries):
    """However many elements refer to however many."""
    store_accounts(northwind, *(user(f"U{n}", DEBIT, f"T{n % 3}") for n in range(20)))
    with django_assert_num_queries(2):
        uses(rita, *(f"T{n}" for n in range(50)))
