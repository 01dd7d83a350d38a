"""Bulk bodies with errors: each one is reported with its place, and nothing is saved."""

import json
from typing import Any

import pytest

from account.models import Account, AccountVersion, CalculationLogic
from tests.bulkops.save.bulk import DIMENSIONS, elements, patch, places, refused, save, send, without
from tests.bulkops.save.error_kinds import KINDS, STORED, Kind
from tests.factories import MAKERS, account, currency


def body_of(**texts: list[str]) -> str:
    """A bulk body of the JSON texts of elements."""
    return "{" + ",".join(f'"{name}":[{",".join(elements)}]' for name, elements in texts.items()) + "}"


def check(error: dict[str, str], kind: Kind, place: str, id: str) -> None:
    """Check that a reported error is the one that the kind causes."""
    assert (error["path"], error["code"]) == (place + kind.place, kind.code), kind.name
    assert ("id" in error) == kind.has_id, kind.name
    if kind.has_id and kind.name not in ("existing id", "no such element"):
        assert error["id"].startswith(id), kind.name


def stored() -> tuple[int, ...]:
    """How many rows of each kind there are."""
    return tuple(kind.objects.count() for kind in (Account, AccountVersion, CalculationLogic))


@pytest.mark.contract("B1", "E2")
def test_of_ten_thousand_elements_every_error_is_reported(alice):
    """500 errors of all these kinds, in the order of the body, each with its pointer; nothing is saved."""
    save(alice, "account", post=[STORED, *({**STORED, "id": f"patch-{number}"} for number in range(3_000))])
    before = stored()
    counts = {"post": 4_000, "put": 3_000, "patch": 3_000}
    texts = {
        operation: [
            json.dumps(patch(f"patch-{n}", type="DETAIL") if operation == "patch" else account(f"{operation}-{n}"))
            for n in range(count)
        ]
        for operation, count in counts.items()
    }
    kinds = {operation: [kind for kind in KINDS if kind.operation == operation] for operation in counts}
    wanted = []
    taken_once = False
    for operation, errors in (("post", 200), ("put", 150), ("patch", 150)):
        for number in range(errors):
            kind = kinds[operation][number % len(kinds[operation])]
            if kind.name == "existing id":
                if taken_once:
                    kind = kinds[operation][0]
                taken_once = True
            position = number * 17 % counts[operation] + 3
            wanted.append((operation, position, kind))
            texts[operation][position] = kind.text(f"{operation}-{position}")
    order = list(counts)
    wanted.sort(key=lambda item: (order.index(item[0]), item[1]))

    report = refused(send(alice, "account", body_of(**texts)))

    assert report["errorCount"] == len(report["errors"]) == len(wanted) == 500
    assert report["detail"] == "The request has 500 errors; each is listed in `errors`."
    for error, (operation, position, kind) in zip(report["errors"], wanted, strict=True):
        check(error, kind, f"/{operation}/{position}", f"{operation}-{position}")
    assert stored() == before


@pytest.mark.contract("B1", "E2")
def test_an_absent_object_has_the_errors_of_an_empty_one_in_each_element(alice):
    """Left out, null or empty, before and after one another."""
    absent: list[dict[str, Any]] = [{}, {"conversion": None}, {"conversion": {}}, {}]
    wrong = [without(account(f"{number}"), "conversion") | given for number, given in enumerate(absent)]

    report = refused(send(alice, "account", {"post": [account("complete"), *wrong]}))

    assert places(report) == [(f"/post/{number}/conversion/conversionType", "REQUIRED") for number in range(1, 5)]


@pytest.mark.contract("B1", "E2", "E1")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_an_id_that_stands_twice_is_refused(alice, dimension):
    """Within an operation, across operations, in an invalid element too; the message names the first place."""
    maker = MAKERS[dimension]
    save(alice, dimension, post=[maker("old")])
    faulty = maker("new", descriptions={"en": ""})
    body = {
        "post": [faulty, maker("new")],
        "put": [maker("new"), maker("old"), maker("old")],
        "merge": [maker("old")],
        "patch": [patch("old"), patch("new")],
    }

    report = refused(send(alice, dimension, body))

    assert places(report) == [
        ("/post/0/descriptions", "BLANK"),
        ("/post/1/id", "REPEATED"),
        ("/put/0/id", "REPEATED"),
        ("/put/2/id", "REPEATED"),
        ("/merge/0/id", "REPEATED"),
        ("/patch/0/key/id", "REPEATED"),
        ("/patch/1/key/id", "ELEMENT_NOT_FOUND"),
        ("/patch/1/key/id", "REPEATED"),
    ]
    messages = [error["message"] for error in report["errors"] if error["code"] == "REPEATED"]
    assert ["/put/1/id" in message or "/post/0/id" in message for message in messages] == [True] * 6
    assert [error["id"] for error in report["errors"]] == ["new", "new", "new", "old", "old", "old", "new", "new"]


@pytest.mark.contract("B1", "E2")
def test_more_than_a_thousand_errors_are_counted(alice):
    """The first thousand are listed, in the order of the body, whenever they were found; the others are counted."""
    save(alice, "account", post=[account(f"{number:04}") for number in range(1_100)])
    before = stored()
    taken = [account(f"{number:04}") for number in range(1_100)]
    wrong = [account(f"new-{number}", type="X", nature="Y") for number in range(700)]

    report = refused(send(alice, "account", {"post": [*taken[:300], *wrong, *taken[300:]]}))

    listed = report["errors"]
    assert report["errorCount"] == 1_100 + 2 * 700
    assert "The request has 2,500 errors" in report["detail"]
    assert len(listed) == 1_000
    assert [error["path"] for error in listed[:300]] == [f"/post/{number}/id" for number in range(300)]
    assert [int(error["path"].split("/")[2]) for error in listed[300:]] == [300 + n // 2 for n in range(700)]
    assert stored() == before


@pytest.mark.contract("B1", "E2")
def test_errors_of_the_body_and_of_its_elements_are_one_report(alice):
    """A wrong mode, an unknown member, an operation that is not an array: the elements are checked all the same."""
    body = {"saveMode": "strict", "pots": [], "put": {}, "post": [account("1", nature="?"), account("2"), account("2")]}
    report = refused(send(alice, "account", body))
    assert [(error["path"], error["code"]) for error in report["errors"]] == [
        ("/pots", "UNKNOWN_MEMBER"),
        ("/saveMode", "INVALID"),
        ("/put", "INVALID"),
        ("/post/0/nature", "INVALID"),
        ("/post/2/id", "REPEATED"),
    ]
    assert Account.objects.count() == 0


@pytest.mark.contract("C2", "E2")
@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        ({"put": [currency("A", oid="other")]}, "/put/0/oid", "IMMUTABLE"),
        ({"patch": [patch("A", oid="other")]}, "/patch/0/data/oid", "IMMUTABLE"),
        ({"put": [currency("A", oid="b")]}, "/put/0/oid", "IMMUTABLE"),
        ({"merge": [currency("A", oid="other")]}, "/merge/0/oid", "IMMUTABLE"),
        ({"merge": [currency("NEW", oid="a")]}, "/merge/0/oid", "ALREADY_EXISTS"),
        ({"post": [currency("NEW", oid="a")]}, "/post/0/oid", "ALREADY_EXISTS"),
        ({"put": [currency("NEW", oid="a")]}, "/put/0/oid", "ALREADY_EXISTS"),
        ({"post": [currency("C", oid="c")], "put": [currency("D", oid="c")]}, "/put/0/oid", "REPEATED"),
        # The owner of the oid is in the same body, without it.
        ({"post": [currency("NEW", oid="a")], "put": [currency("A")]}, "/post/0/oid", "ALREADY_EXISTS"),
        (
            {"post": [currency("NEW", oid="a")], "patch": [patch("A", decimalNumbers=3)]},
            "/post/0/oid",
            "ALREADY_EXISTS",
        ),
    ],
)
def test_an_oid_that_is_different_or_taken_is_refused(alice, body, path, code):
    """An oid never changes, and no other element in the repository or in the body has it."""
    save(alice, "currency", post=[currency("A", oid="a"), currency("B", oid="b")])
    before = elements(alice, "currency")

    report = refused(send(alice, "currency", body))

    assert places(report) == [(path, code)]
    assert elements(alice, "currency") == before


@pytest.mark.contract("B1", "C2", "E2")
def test_an_oid_that_is_taken_or_repeated_comes_with_the_other_errors_of_its_element(alice):
    """In each operation, whichever of the elements has the others; a client that repairs all of them succeeds."""
    save(alice, "currency", post=[currency("A", oid="a")])
    wrong = {"decimalNumbers": 99}
    body = {
        "post": [
            currency("A", oid="a", **wrong),
            currency("C", oid="a", **wrong),
            currency("D", oid="d", **wrong),
            currency("E", oid="d", **wrong),
            currency("", oid="a"),
            currency("D", oid="a"),
            currency("F", oid="f" * 65),
        ],
        "put": [currency("G", oid="a", **wrong), currency("H", oid="d"), currency("I", oid="a", colour="red")],
        "merge": [currency("J", oid="a", **wrong), currency("K", oid="d", **wrong)],
    }

    report = refused(send(alice, "currency", body))

    decimals = "decimalNumbers", "INVALID"
    found = {
        "post/0": [decimals, ("id", "ALREADY_EXISTS"), ("oid", "ALREADY_EXISTS")],
        "post/1": [decimals, ("oid", "REPEATED")],
        "post/2": [decimals],
        "post/3": [decimals, ("oid", "REPEATED")],
        "post/4": [("id", "INVALID"), ("oid", "REPEATED")],
        "post/5": [("id", "REPEATED"), ("oid", "REPEATED")],
        "post/6": [("oid", "INVALID")],
        "put/0": [decimals, ("oid", "REPEATED")],
        "put/1": [("oid", "REPEATED")],
        "put/2": [("colour", "UNKNOWN_MEMBER"), ("oid", "REPEATED")],
        "merge/0": [decimals, ("oid", "REPEATED")],
        "merge/1": [decimals, ("oid", "REPEATED")],
    }
    wanted = {(f"/{place}/{name}", code) for place, errors in found.items() for name, code in errors}
    assert wanted == set(places(report))
    assert report["errorCount"] == len(wanted)


@pytest.mark.contract("B1", "C2", "E2")
@pytest.mark.parametrize("operation", ["post", "put", "merge"])
@pytest.mark.parametrize("wrong", [{"decimalNumbers": 99}, {"id": ""}, {"colour": "red"}])
def test_an_oid_of_another_element_comes_with_the_other_errors_of_a_new_one(alice, operation, wrong):
    """Also if its own id is wrong."""
    save(alice, "currency", post=[currency("A", oid="a")])
    report = refused(send(alice, "currency", {operation: [currency("N", oid="a") | wrong]}))
    assert {path.rpartition("/")[2] for path, _ in places(report)} == {"oid", *wrong}
    assert {error.get("id", "") for error in report["errors"]} == {wrong.get("id", "N")}


@pytest.mark.contract("B1", "C13", "C2")
def test_an_element_that_exists_has_both_its_id_and_its_oid_refused(alice):
    """As when it is sent alone: another id would not help it."""
    save(alice, "currency", post=[currency("A", oid="a")])
    report = refused(send(alice, "currency", {"post": [currency("A", oid="a")]}))
    alone = refused(alice.send("POST", alice.currency(), currency("A", oid="a")))
    assert places(report) == [(f"/post/0/{path}", code) for path, code in places(alone)]
    assert [code for _, code in places(report)] == ["ALREADY_EXISTS"] * 2


@pytest.mark.contract("B1", "E2")
def test_a_patch_with_a_wrong_entry_is_checked_as_a_whole(alice):
    """Its changes, and whether there is such an element, beside what is wrong with the entry itself."""
    save(alice, "account", post=[account("1")])
    wrong = {"nature": "X"}
    body = {
        "patch": [
            {"key": {"id": 1}, "data": wrong},
            {"key": {}, "data": wrong},
            {"data": wrong},
            {"key": {"id": "none"}, "data": {"type": "?"}, "more": 1},
            {"key": {"id": "nothing", "more": 1}},
            {"key": {"id": "1"}, "data": {"descriptions": {"en": "", "de": " "}}, "more": 1},
            {"key": {"id": "1"}, "data": []},
        ]
    }

    assert places(refused(send(alice, "account", body))) == [
        ("/patch/0/key/id", "INVALID"),
        ("/patch/0/data/nature", "INVALID"),
        ("/patch/1/key/id", "REQUIRED"),
        ("/patch/1/data/nature", "INVALID"),
        ("/patch/2/key", "REQUIRED"),
        ("/patch/2/data/nature", "INVALID"),
        ("/patch/3/more", "UNKNOWN_MEMBER"),
        ("/patch/3/key/id", "ELEMENT_NOT_FOUND"),
        ("/patch/3/data/type", "INVALID"),
        ("/patch/4/key/more", "UNKNOWN_MEMBER"),
        ("/patch/4/data", "REQUIRED"),
        ("/patch/4/key/id", "ELEMENT_NOT_FOUND"),
        ("/patch/5/more", "UNKNOWN_MEMBER"),
        ("/patch/5/data/descriptions", "BLANK"),
        ("/patch/6/data", "INVALID"),
        ("/patch/6/key/id", "REPEATED"),
    ]


@pytest.mark.contract("B1", "E2")
@pytest.mark.parametrize("id", ["", 2, None, "1"])
def test_an_unknown_reference_comes_with_a_wrong_id(alice, id):
    """One that is missing, or that another element of the body has."""
    refers = {"rules": {"accrual": {"debitAccrual": {"id": "nowhere"}}}}
    body = {"saveMode": "STRICT", "post": [account("1"), {**account("2", **refers), "id": id}]}
    [wrong, unknown] = refused(send(alice, "account", body))["errors"]
    assert wrong["path"] == "/post/1/id"
    assert (unknown["path"], unknown["code"]) == ("/post/1/rules/accrual/debitAccrual/id", "UNKNOWN_REFERENCE")
    assert "id" not in unknown
