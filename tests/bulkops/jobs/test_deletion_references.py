"""A deletion that leaves what is in use, and every other way of deleting, which does not check it (contract L2)."""

from collections.abc import Iterable
from typing import Any
from unittest.mock import Mock

import pytest

from account.models import Account
from bulkops.jobs import deletion
from bulkops.jobs.refusals import LISTED_IN_USE, LISTED_USERS, find_refused
from bulkops.models import DataProcessing
from currency.models import Currency
from tests.bulkops.jobs.deletions import ASYNC, body, start, status_of, work_now
from tests.bulkops.save.bulk import save
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.dimensions_site.elements.reading.test_uses import DEBIT, INITIAL, PATHS, use, user
from tests.factories import Person, account, currency, read
from tests.storing import store_accounts, store_currencies

pytestmark = [pytest.mark.django_db, pytest.mark.contract("L2")]


def refusing(person: Person, ids: Iterable[str], dimension: str = "account") -> dict[str, Any]:
    """Delete with `references=refuse`; return the status at the end."""
    oid = start(person, ids, dimension, query="?references=refuse")
    work_now()
    return status_of(person, oid, dimension)


def stored(model: Any = Account) -> list[str]:
    return sorted(model.objects.values_list("element_id", flat=True))


def in_use(status: dict[str, Any]) -> dict[str, list[str]]:
    return {one["id"]: [use["id"] for use in one["usedBy"]] for one in status["inUse"]}


@pytest.fixture(params=[1, 2, 1_000])
def chunks(request, settings):
    """Lists of every length are cut into chunks."""
    settings.DELETION_CHUNK_SIZE = request.param


def test_what_something_outside_the_list_refers_to_stays(alice, northwind, chunks):
    """By whatever leaf; the status names what refers to it."""
    store_accounts(northwind, account("A"), account("B"), account("C"), user("X", DEBIT, "B"), user("Y", INITIAL, "B"))
    status = refusing(alice, ["A", "B", "C", "none"])
    assert stored() == ["B", "X", "Y"]
    assert status == {
        "status": "COMPLETED", "error": None, "requested": 4, "processed": 4, "deleted": 2, "notFound": ["none"],
        "refused": 1, "inUse": [{"id": "B", "usedBy": [use("X", DEBIT), use("Y", INITIAL)]}],
    }  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("unused", [0, 3])
def test_each_declared_reference_keeps_an_element(alice, northwind, path, unused):
    """Whether the references of what stays are read, because that is less than what is deleted, or looked up."""
    targets = ["T", *(f"N{n}" for n in range(unused))]
    store_accounts(northwind, *map(account, targets), user("U", path, "T"))
    status = refusing(alice, targets)
    assert (in_use(status), status["deleted"]) == ({"T": ["U"]}, unused)


def test_a_list_whose_elements_refer_to_each_other_is_deleted(alice, northwind, chunks):
    """In both directions, in a ring, and to themselves; whatever the order."""
    ring = [user(f"R{n}", DEBIT, f"R{(n + 1) % 5}") for n in range(5)]
    store_accounts(northwind, *ring, user("SELF", INITIAL, "SELF"), user("A", DEBIT, "B"), user("B", DEBIT, "A"))
    status = refusing(alice, stored())
    assert stored() == []
    assert (status["deleted"], status["refused"], status["inUse"]) == (8, 0, [])


def test_what_a_refused_element_refers_to_stays_too(alice, northwind, chunks):
    """And what that refers to: the outside reaches the whole chain, and nothing else."""
    chain = [user(f"C{n}", DEBIT, f"C{n + 1}") for n in range(6)]
    store_accounts(northwind, *chain, account("C6"), user("D1", DEBIT, "D2"), account("D2"), user("OUT", DEBIT, "C2"))
    ids = [id for id in reversed(stored()) if id != "OUT"]
    status = refusing(alice, ids)
    assert stored() == ["C2", "C3", "C4", "C5", "C6", "OUT"]
    assert in_use(status) == {"C2": ["OUT"], "C3": ["C2"], "C4": ["C3"], "C5": ["C4"], "C6": ["C5"]}
    assert (status["deleted"], status["processed"], status["requested"]) == (4, 9, 9)


def test_a_ring_that_is_reached_from_outside_stays_as_a_whole(alice, northwind, chunks):
    ring = [user(f"R{n}", DEBIT, f"R{(n + 1) % 3}") for n in range(3)]
    store_accounts(northwind, *ring, user("OUT", INITIAL, "R1"))
    assert refusing(alice, ["R0", "R1", "R2"])["refused"] == 3
    assert stored() == ["OUT", "R0", "R1", "R2"]


def test_currencies_are_kept_by_currencies(alice, northwind):
    store_currencies(northwind, currency("EUR"), currency("ITL", referenceCurrency={"id": "EUR"}))
    store_accounts(northwind, account("EUR"), user("X", DEBIT, "EUR"))
    status = refusing(alice, ["EUR"], "currency")
    assert in_use(status) == {"EUR": ["ITL"]}
    assert refusing(alice, ["EUR", "ITL"], "currency")["deleted"] == 2
    assert stored(Currency) == []
    assert stored() == ["EUR", "X"]


def test_an_id_that_does_not_exist_is_not_in_use_whatever_refers_to_it(alice, northwind, chunks):
    store_accounts(northwind, user("X", DEBIT, "gone"))
    status = refusing(alice, ["gone"])
    assert (status["notFound"], status["refused"], status["processed"]) == (["gone"], 0, 1)


@pytest.mark.contract("G2")
def test_references_of_another_repository_do_not_count(alice, northwind, contoso):
    store_accounts(northwind, account("A"))
    store_accounts(contoso, user("X", DEBIT, "A"))
    assert refusing(alice, ["A"])["deleted"] == 1


@pytest.mark.django_db(transaction=True)
def test_a_reference_from_before_its_chunk_keeps_an_element(alice, northwind, settings, monkeypatch):
    """It came after the whole list was checked."""
    settings.DELETION_CHUNK_SIZE = 1
    store_accounts(northwind, account("A"), account("B"), account("C"))
    oid = start(alice, ["A", "B", "C"], query="?references=refuse")

    def check(*arguments: Any) -> Any:
        found = find_refused(*arguments)
        if len(arguments) == 2:  # the whole list
            store_accounts(northwind, user("LATE", DEBIT, "B"))
        return found

    monkeypatch.setattr(deletion, "find_refused", check)
    work_now()
    status = status_of(alice, oid)
    assert stored() == ["B", "LATE"]
    assert (in_use(status), status["refused"], status["processed"]) == ({"B": ["LATE"]}, 1, 3)


def test_another_worker_checks_what_has_come_to_refer_to_an_element(alice, northwind, settings, monkeypatch):
    """It does not know in which state the list was checked, so it checks each chunk."""
    settings.DELETION_CHUNK_SIZE = 1
    store_accounts(northwind, account("A"), account("B"))
    oid = start(alice, ["A", "B"], query="?references=refuse")
    monkeypatch.setattr(deletion._Deletion, "_delete_chunk", lambda *_: False)
    work_now()
    monkeypatch.undo()
    store_accounts(northwind, user("LATE", DEBIT, "B"))
    DataProcessing.objects.update(claimed_by=None)
    work_now()
    assert stored() == ["B", "LATE"]
    assert status_of(alice, oid)["refused"] == 1


def test_chunks_are_checked_again_only_if_others_have_written(alice, northwind, settings, monkeypatch):
    """The deletion's own transactions add no references."""
    settings.DELETION_CHUNK_SIZE = 1
    store_accounts(northwind, account("A"), account("B"), account("C"))
    checks = Mock(wraps=find_refused)
    monkeypatch.setattr(deletion, "find_refused", checks)
    refusing(alice, ["A", "B", "C"])
    assert checks.call_count == 1


def test_the_status_is_bounded(alice, northwind):
    """A thousand elements in use, and ten users of each."""
    many = LISTED_USERS + 3
    elements = [account(f"T{n:04}") for n in range(LISTED_IN_USE + 5)]
    users = [user(f"U{n:04}", DEBIT, f"T{n:04}") for n in range(LISTED_IN_USE + 5)]
    more = [user(f"V{n:02}", INITIAL, "T0000") for n in range(many)]
    save(alice, "account", post=elements + users + more)
    status = refusing(alice, [one["id"] for one in elements])
    assert (status["refused"], len(status["inUse"])) == (LISTED_IN_USE + 5, LISTED_IN_USE)
    assert len(status["inUse"][0]["usedBy"]) == LISTED_USERS


@pytest.mark.contract("A7", "B1")
def test_other_values_are_refused(alice, northwind):
    answer = alice.send("POST", alice.account(f"{ASYNC}?references=no"), body(["A"]))
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_VALUE")
    both = alice.send("POST", alice.account(f"{ASYNC}?references=no&x=1"), body(["A"])).json()
    assert [one["path"] for one in both["errors"]] == ["x", "references"]


@pytest.mark.contract("H2")
def test_the_list_of_deletions_shows_it_too(alice, northwind):
    store_accounts(northwind, account("A"), user("X", DEBIT, "A"))
    refusing(alice, ["A"])
    (listed,) = read(alice.get(alice.account(ASYNC)))
    assert listed["parameters"][0]["inUse"] == [{"id": "A", "usedBy": [use("X", DEBIT)]}]


@pytest.mark.parametrize(
    ("way", "left"),
    [
        ("deletion, references=ignore", ["X"]),
        ("deletion, references=refuse", ["A", "X"]),
        ("page of the element", ["X"]),
        ("action, without the mark", ["X"]),
        ("action, with the mark", ["A", "X"]),
        ("file that replaces the chart", ["X"]),
    ],
)
def test_every_way_of_deleting_treats_references_as_documented(alice, northwind, way, left, import_accounts):
    """Only a deletion of many asks whether others refer to an element, and only with `references=refuse`."""
    store_accounts(northwind, account("A"), user("X", DEBIT, "A"))
    key = Account.objects.get(element_id="A").pk
    browser = browser_of(alice)
    chosen = {"action": "delete_elements", "_selected_action": [key], "select_across": "0", "confirmed": "1"}
    match way:
        case "deletion, references=ignore":
            start(alice, ["A"])
        case "deletion, references=refuse":
            start(alice, ["A"], query="?references=refuse")
        case "page of the element":
            assert browser.post(page(Account, "delete", key), {"post": "yes"}).status_code == 302
        case "action, without the mark":
            assert browser.post(page(Account), chosen).status_code == 302
        case "action, with the mark":
            assert browser.post(page(Account), {**chosen, "keep_used": "on"}).status_code == 302
        case _:
            assert import_accounts("id\nX\n", "--mode=sync", "--max-delete=5").status == 0
    work_now()
    assert stored() == left
