"""Lists that grow: the links from page to page lead to each row once, whatever is added or deleted meanwhile."""

import re
from typing import Any

import pytest

from bulkops.models import Plan
from tests.bulkops.plans.plans import make, one
from tests.bulkops.save.bulk import refused
from tests.factories import Person, account, read

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("M7")]

LISTS = {
    "elements-changesets": "id",
    "elements-versions?id=1": "version",
    "elements-plans": "planId",
    "elements-bulk-delete-async": "dataProcessingId",
}


def add(alice: Person, list: str, number: int) -> None:
    if list == "elements-plans":
        make(alice, "account", snapshot=[account("1")])
    elif list == "elements-bulk-delete-async":
        alice.send("POST", alice.account(list), [{"id": "none"}])
    else:
        alice.send("PUT", alice.account("elements/1"), account("1", documentationLink=f"{number}"))


def following(response: Any) -> str | None:
    """The path of the next page."""
    link = response.headers.get("Link")
    return None if link is None else re.fullmatch(r'<(/.+)>; rel="next"', link)[1]  # type: ignore[index]


@pytest.mark.parametrize("list", LISTS)
def test_each_row_comes_once_although_others_are_added(alice: Person, list: str):
    """In the order of the whole list; nothing that was there when the first page was asked for is missing."""
    for number in range(7):
        add(alice, list, number)
    address = alice.account(list)
    name = LISTS[list]
    name = name if name in read(alice.get(address))[0] else next(iter(read(alice.get(address))[0]))
    everything = [row[name] for row in read(alice.get(address))]
    for take in (1, 2, 3, 7, 8):
        found: Any = []
        path: str | None = f"{address}{'&' if '?' in address else '?'}take={take}"
        everything = [row[name] for row in read(alice.get(address))]
        while path is not None:
            response = alice.get(path)
            page = read(response)
            assert len(page) <= take
            found += [row[name] for row in page]
            path = following(response)
            add(alice, list, 100 * take + len(found))
        assert found == everything, take
    response = alice.get(f"{address}{'&' if '?' in address else '?'}skip=2&take=2")
    page = [row[name] for row in read(response)]
    assert "skip" not in str(following(response))
    rest = [row[name] for row in read(alice.get(str(following(response))))]
    assert page + rest == [row[name] for row in read(alice.get(address))][2:6]


def test_the_last_row_of_a_page_may_be_deleted(alice: Person):
    """Its place stays known."""
    plans = [make(alice, "account", snapshot=[account("1")]) for _ in range(4)]
    response = alice.get(alice.account("elements-plans?take=2"))
    assert [plan["planId"] for plan in read(response)] == [plan["planId"] for plan in plans[:1:-1]]
    assert alice.delete(one(alice, "account", plans[2])).status_code == 204
    rest = read(alice.get(str(following(response))))
    assert [plan["planId"] for plan in rest] == [plans[1]["planId"], plans[0]["planId"]]


def test_rows_of_one_instant_are_told_apart(alice: Person):
    """By their ids, though the clock did not move."""
    for _ in range(5):
        make(alice, "account", snapshot=[account("1")])
    Plan.objects.update(created_at="2026-01-01T00:00:00Z")
    path: str | None = alice.account("elements-plans?take=2")
    found: list[str] = []
    while path is not None:
        response = alice.get(path)
        found += [plan["planId"] for plan in read(response)]
        path = following(response)
    assert (len(found), len(set(found))) == (5, 5)


# No link has them; PostgreSQL knows no offset as large as the second one.
PLACES = [f"{instant}~{'0' * 32}" for instant in ("0001-01-01T00:00:00+00:00", "2026-01-01T00:00:00+23:59")]


@pytest.mark.parametrize("after", ["", "x", "1~2~3", "2026-01-01~x", "9" * 30, "-1", *PLACES])
@pytest.mark.parametrize("list", LISTS)
def test_another_place_is_refused(alice: Person, list: str, after: str):
    """Only links name places."""
    separator = "&" if "?" in list else "?"
    report = refused(alice.get(alice.account(f"{list}{separator}after={after.replace('+', '%2B')}&take=-1")))
    assert {(error["path"], error["code"]) for error in report["errors"]} == {
        ("after", "INVALID_VALUE"),
        ("take", "INVALID_VALUE"),
    }
