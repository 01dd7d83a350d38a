"""Clients that write at the same moment, through real processes and threads."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.factories import account, currency
from tests.services.service import Answer, Service

ACCOUNTS = "/dimensions/v1/northwind/account/elements"
CURRENCIES = "/api/aih/dimensions/v1/northwind/currency/elements"
PROGRAMS = 20
ROUNDS = 3


def at_once(service: Service, requests: list[tuple[str, str, Any]], **headers: str) -> list[Answer]:
    """The answers to requests (method, address, body) that are all sent at the same moment."""
    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(lambda request: service.send(*request, **headers), requests))


def statuses(answers: list[Answer]) -> Counter[int]:
    return Counter(answer.status for answer in answers)


@pytest.mark.contract("C13")
@pytest.mark.parametrize(
    ("path", "element"), [(ACCOUNTS, account), (CURRENCIES, currency)], ids=["accounts", "currencies"]
)
def test_of_many_creations_of_one_id_exactly_one_succeeds(service: Service, path: str, element):
    """The others learn that the element exists, and nobody gets a 5xx."""
    for turn in range(ROUNDS):
        answers = at_once(service, [("POST", path, element(f"created-{turn}"))] * PROGRAMS)
        assert statuses(answers) == {201: 1, 400: PROGRAMS - 1}
        assert {answer.json()["code"] for answer in answers if answer.status == 400} == {"ALREADY_EXISTS"}


@pytest.mark.contract("C14")
def test_of_many_replacements_of_a_new_id_one_inserts(service: Service):
    """201 for the one that inserted, 200 for those that replaced."""
    for turn in range(ROUNDS):
        elements = [account(f"put-{turn}", descriptions={"en": f"{program}"}) for program in range(PROGRAMS)]
        answers = at_once(service, [("PUT", f"{ACCOUNTS}/put-{turn}", element) for element in elements])
        assert statuses(answers) == {201: 1, 200: PROGRAMS - 1}


@pytest.mark.contract("C15")
def test_patches_of_different_leaves_lose_nothing(service: Service):
    """Leaves of columns, of groups and inside bundles, written by many at once; entries of maps: bulk races."""
    leaves: list[tuple[str, ...]] = [
        *[("restrictions", f"customDimension{number}", "dimensionName") for number in range(1, 6)],
        *[("consolidation", "bankingData", "ebaSignalingSubAccount", leaf) for leaf in ("id", "description")],
        *[
            ("cashFlowPlanning", group, side, "id")
            for group in ("variation", "receivablePayable", "liquidity", "other", "revaluationDevaluation")
            for side in ("debit", "credit")
        ],
        ("rules", "accrual", "debitAccrual", "id"),
        ("conversion", "referenceAccountForInitialBalance"),
        ("documentationLink",),
    ]
    assert len(leaves) == PROGRAMS
    service.send("POST", ACCOUNTS, account("patched-leaves"))
    address = f"{ACCOUNTS}/patched-leaves"
    for turn in range(ROUNDS):
        values = [f"{turn}-{program}" for program in range(PROGRAMS)]
        patches = [nested(leaf, value) for leaf, value in zip(leaves, values, strict=True)]
        assert statuses(at_once(service, [("PATCH", address, patch) for patch in patches])) == {200: PROGRAMS}
        element = service.send("GET", address).json()
        assert [at(element, leaf) for leaf in leaves] == values


def nested(path: tuple[str, ...], value: str) -> object:
    head, *rest = path
    return {head: nested(tuple(rest), value) if rest else value}


def at(element: Any, path: tuple[str, ...]) -> object:
    for name in path:
        element = element[name]
    return element
