"""Bulk bodies with faults: each one is reported where it stands, and nothing is saved."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from account.models import Account, CalculationLogic
from currency.models import Currency
from tests.bulkops.bulk import DIMENSIONS, elements, patch, path, places, refused, save, send
from tests.factories import account, currency

pytestmark = pytest.mark.contract("B1", "E2")

# An account of that id is there before, with a validity and the calculation logic.
TAKEN = "taken"
STORED = account(
    TAKEN,
    dataEntryAndReporting={"validity": {"startDate": "2026-01-01", "endDate": "2026-12-31"}},
    rules={"grossAmountEqualICSum": True},
)


@dataclass(frozen=True)
class Kind:
    """A kind of fault: an element that has it, where below the element it stands, and what is said.

    The element is JSON text where JSON itself is at fault; `id` makes it one of its own.
    """

    name: str
    operation: str
    element: Callable[[str], Any]
    place: str
    code: str
    message: str
    tells_id: bool = True

    def text(self, id: str) -> str:
        element = self.element(id)
        return element if isinstance(element, str) else json.dumps(element)


def whole(name: str, fields: dict[str, Any], place: str, code: str, message: str, operation: str = "post") -> Kind:
    """A kind of fault in a field of a whole account."""
    return Kind(name, operation, lambda id: account(id, **fields), place, code, message)


def changing(name: str, data: dict[str, Any], place: str, code: str, message: str) -> Kind:
    """A kind of fault in a patch of an account that is there."""
    return Kind(name, "patch", lambda id: patch(id, **data), f"/data{place}", code, message)


def validity(start: str, end: str) -> dict[str, Any]:
    return {"dataEntryAndReporting": {"validity": {"startDate": start, "endDate": end}}}


def lacking(id: str, *names: str) -> dict[str, Any]:
    return {name: value for name, value in account(id).items() if name not in names}


NATURES = "one of BALANCE_SHEET, PROFIT_AND_LOSS, GUARANTIES_AND_COMMITMENTS, OTHER_VARIATIONS, OTHER_STOCKS"

KINDS = [
    whole("wrong enum", {"nature": "X"}, "/nature", "INVALID", f'nature cannot be "X"; it has to be {NATURES}.'),
    whole(
        "wrong type", {"documentationLink": 5}, "/documentationLink", "INVALID", "a text of at most 2,000 characters"
    ),
    whole("a group of another type", {"rules": 5}, "/rules", "INVALID", "rules cannot be 5; it has to be an object."),
    whole("too long", {"documentationLink": "x" * 2_001}, "/documentationLink", "INVALID", "at most 2,000 characters"),
    whole("unknown member", {"colour": "red"}, "/colour", "UNKNOWN_MEMBER", "no field 'colour' here"),
    whole(
        "unknown member of a group",
        {"rules": {"validationChecks": {"colour": 1}}},
        "/rules/validationChecks/colour",
        "UNKNOWN_MEMBER",
        "no field 'colour' here",
    ),
    whole("a name with a slash", {"a/~b": 1}, "/a~1~0b", "UNKNOWN_MEMBER", "no field 'a/~b' here"),
    whole(
        "blank descriptions", {"descriptions": {"en": " "}}, "/descriptions", "BLANK", "with at least one that is not"
    ),
    whole(
        "bad language",
        {"descriptions": {"en": "Cash", "e": "x"}},
        "/descriptions/e",
        "INVALID_KEY",
        '"e" cannot be a name in descriptions; a language is written like en or de-CH.',
    ),
    whole(
        "bad entry of a map",
        {"customAttributes": {"region": 1}},
        "/customAttributes/region",
        "INVALID",
        "region cannot be 1; it has to be a text of at most 1,000 characters, or null.",
    ),
    whole(
        "bad date",
        {"dataEntryAndReporting": {"validity": {"startDate": "31.12.2026"}}},
        "/dataEntryAndReporting/validity/startDate",
        "INVALID",
        'startDate cannot be "31.12.2026"; it has to be a date or a time such as 2026-01-31',
    ),
    whole(
        "end before start",
        validity("2026-02-01", "2026-01-01"),
        "/dataEntryAndReporting/validity/endDate",
        "INVALID",
        "it has to be startDate, which is 2026-02-01T00:00:00.000+0000, or later",
    ),
    whole(
        "a boolean as text",
        {"rules": {"grossAmountEqualICSum": "true"}},
        "/rules/grossAmountEqualICSum",
        "INVALID",
        'grossAmountEqualICSum cannot be "true"; it has to be true or false.',
    ),
    whole(
        "a reference of another type",
        {"restrictions": {"ctpRestriction": "C1"}},
        "/restrictions/ctpRestriction",
        "INVALID",
        'ctpRestriction cannot be "C1"; it has to be an object.',
    ),
    Kind(
        "missing",
        "post",
        lambda id: lacking(id, "nature"),
        "/nature",
        "REQUIRED",
        "nature is missing; it has to be one of BAL",
    ),
    Kind(
        "group of a required field left out",
        "post",
        lambda id: lacking(id, "conversion"),
        "/conversion/conversionType",
        "REQUIRED",
        "conversionType is missing; it has to be one of PROFIT_AND_LOSS, AVERAGE",
    ),
    Kind("id with a control character", "post", lambda id: account(f"{id}\t"), "/id", "INVALID", "an id of 1 to 128"),
    Kind("id missing", "put", lambda id: lacking(id, "id"), "/id", "REQUIRED", "id is missing", tells_id=False),
    Kind("id of another type", "put", lambda id: {**account(), "id": 1}, "/id", "INVALID", "id cannot be 1", False),
    Kind("too long an id", "put", lambda id: account(id + "x" * 128), "/id", "INVALID", "an id of 1 to 128 characters"),
    whole("null group of a required field", {"conversion": None}, "/conversion/conversionType", "REQUIRED", "", "put"),
    whole("required field null", {"type": None}, "/type", "NULL", "type cannot be null; it has to be", "put"),
    Kind("no object", "put", lambda id: 5, "", "INVALID", "cannot be 5; it has to be an object", tells_id=False),
    Kind("null", "post", lambda id: None, "", "NULL", "cannot be null; it has to be an object", tells_id=False),
    Kind("a list", "put", lambda id: [account(id)], "", "INVALID", "it has to be an object", tells_id=False),
    Kind(
        "duplicate key",
        "post",
        lambda id: json.dumps(account(id))[:-1] + ', "type": "NORMAL"}',
        "/type",
        "DUPLICATE_KEY",
        'the key "type" stands more than once',
    ),
    Kind(
        "duplicate key inside",
        "put",
        lambda id: json.dumps(account(id))[:-1] + ', "rules": {"accrual": {"debit": {"id": "1", "id": "2"}}}}',
        "/rules/accrual/debit/id",
        "DUPLICATE_KEY",
        'the key "id" stands more than once',
    ),
    Kind(
        "NUL",
        "put",
        lambda id: json.dumps(account(id, customAttributes={"a": "?"})).replace("?", r"\u0000"),
        "/customAttributes/a",
        "INVALID_CHARACTER",
        "U+0000",
    ),
    Kind(
        "a very long number",
        "post",
        lambda id: json.dumps(account(id, documentationLink="?")).replace('"?"', "9" * 500),
        "/documentationLink",
        "INVALID_NUMBER",
        "a number may have up to 400 characters",
    ),
    Kind(
        "too deep",
        "post",
        lambda id: json.dumps(account(id, documentationLink="?")).replace('"?"', "[" * 60 + "]" * 60),
        "",
        "TOO_DEEP",
        "nested deeper than 50 levels",
    ),
    Kind(
        "existing id", "post", lambda id: account(TAKEN), "/id", "ALREADY_EXISTS", "already an element with the id 'tak"
    ),
    Kind("no such element", "patch", lambda id: patch(f"no {id}"), "/key/id", "ELEMENT_NOT_FOUND", "to patch"),
    Kind("no key", "patch", lambda id: {"data": {}}, "/key", "REQUIRED", "key is missing; it has to be", False),
    Kind("no data", "patch", lambda id: {"key": {"id": id}}, "/data", "REQUIRED", "data is missing; it has to"),
    Kind("key of another type", "patch", lambda id: {"key": id, "data": {}}, "/key", "INVALID", "an object", False),
    Kind("null key", "patch", lambda id: {"key": None, "data": {}}, "/key", "NULL", "key cannot be null", False),
    Kind("no id", "patch", lambda id: {"key": {}, "data": {}}, "/key/id", "REQUIRED", "id is missing", False),
    Kind(
        "more than an id",
        "patch",
        lambda id: {"key": {"id": id, "oid": 1}, "data": {}},
        "/key/oid",
        "UNKNOWN_MEMBER",
        "no field 'oid' here",
    ),
    Kind(
        "data of another type",
        "patch",
        lambda id: {"key": {"id": id}, "data": []},
        "/data",
        "INVALID",
        "an object with the fields to change",
    ),
    Kind(
        "more than an entry", "patch", lambda id: patch(id) | {"id": id}, "/id", "UNKNOWN_MEMBER", "no field 'id' here"
    ),
    Kind("no entry", "patch", lambda id: '"text"', "", "INVALID", "it has to be an object", False),
    changing(
        "clearing what is required",
        {"nature": None},
        "/nature",
        "NULL",
        f"nature cannot be null; it has to be {NATURES}",
    ),
    changing("clearing its group", {"conversion": None}, "/conversion/conversionType", "REQUIRED", "is missing"),
    changing("clearing the last text", {"descriptions": {"en": None, "de": ""}}, "/descriptions", "BLANK", "not blank"),
    changing("another id", {"id": "other"}, "/id", "IMMUTABLE", 'id cannot be "other"; of this element it is "'),
    changing(
        "wrong value", {"type": "X"}, "/type", "INVALID", 'type cannot be "X"; it has to be one of NORMAL, DETAIL'
    ),
    changing("unknown change", {"rules": {"colour": 1}}, "/rules/colour", "UNKNOWN_MEMBER", "no field 'colour' here"),
    changing(
        "end before the stored start",
        {"dataEntryAndReporting": {"validity": {"endDate": "2025-12-31"}}},
        "/dataEntryAndReporting/validity/endDate",
        "INVALID",
        "it has to be startDate, which is 2026-01-01T00:00:00.000+0000, or later",
    ),
    Kind(
        "duplicate change",
        "patch",
        lambda id: f'{{"key": {{"id": "{id}"}}, "data": {{"type": "NORMAL", "type": "DETAIL"}}}}',
        "/data/type",
        "DUPLICATE_KEY",
        'the key "type" stands more than once',
    ),
]


def prepare(caller, operation, id):
    """Store what a patch of that id is for."""
    if operation == "patch":
        save(caller, "account", post=[{**STORED, "id": id}])


def body_of(**texts: list[str]) -> str:
    """A bulk body of the JSON texts of elements."""
    return "{" + ",".join(f'"{name}":[{",".join(elements)}]' for name, elements in texts.items()) + "}"


def check(error: dict[str, str], kind: Kind, place: str, id: str) -> None:
    """See that a reported fault is the one that the kind makes."""
    assert (error["path"], error["code"]) == (place + kind.place, kind.code), kind.name
    assert kind.message in error["message"], kind.name
    assert ("id" in error) == kind.tells_id, kind.name
    if kind.tells_id and kind.name not in ("existing id", "no such element"):
        assert error["id"].startswith(id), kind.name


def stored() -> tuple[int, ...]:
    """How many rows of each kind there are."""
    return tuple(kind.objects.count() for kind in (Account, Account.history.model, CalculationLogic))


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_each_kind_of_fault_is_told_where_it_stands(alice, kind):
    """Between two good elements; pointer, id, code, and a sentence with the value and what would be right."""
    save(alice, "account", post=[STORED])
    for id in ("a", "x", "z"):
        prepare(alice, kind.operation, id)
    before = stored()
    good = patch if kind.operation == "patch" else account
    texts = [json.dumps(good("a")), kind.text("x"), json.dumps(good("z"))]

    (error,) = refused(send(alice, "account", body_of(**{kind.operation: texts})))["errors"]

    check(error, kind, f"/{kind.operation}/1", "x")
    assert stored() == before


def test_of_ten_thousand_elements_every_fault_is_told(alice):
    """500 faults of all these kinds, in the order of the body, each with its pointer; nothing is saved."""
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
    for operation, faults in (("post", 200), ("put", 150), ("patch", 150)):
        for number in range(faults):
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


def test_several_faults_of_one_element_are_all_told(alice):
    """Those of its fields, a conflict of spellings, and that its id is there already."""
    save(alice, "account", post=[STORED])
    element = account(
        TAKEN, type="X", colour=1, bankingData={"consolidation": {"wrong": 1}}, **{"conversion-conversionType": "NONE"}
    )

    report = refused(send(alice, "account", {"post": [element]}))

    assert sorted(places(report)) == [
        ("/post/0/bankingData/consolidation/wrong", "UNKNOWN_MEMBER"),
        ("/post/0/colour", "UNKNOWN_MEMBER"),
        ("/post/0/conversion-conversionType", "CONFLICTING_SPELLINGS"),
        ("/post/0/id", "ALREADY_EXISTS"),
        ("/post/0/type", "INVALID"),
    ]
    assert {error["id"] for error in report["errors"]} == {TAKEN}


@pytest.mark.contract("E1")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_an_id_that_stands_twice_is_refused(alice, dimension):
    """Within an operation, across operations, in a faulty element too; the message tells where it stood first."""
    maker = {"currency": currency, "account": account}[dimension]
    save(alice, dimension, post=[maker("old")])
    faulty = maker("new", descriptions={"en": ""})
    body = {
        "post": [faulty, maker("new")],
        "put": [maker("new"), maker("old"), maker("old")],
        "patch": [patch("old"), patch("new")],
    }

    report = refused(send(alice, dimension, body))

    assert places(report) == [
        ("/post/0/descriptions", "BLANK"),
        ("/post/1/id", "REPEATED"),
        ("/put/0/id", "REPEATED"),
        ("/put/2/id", "REPEATED"),
        ("/patch/0/key/id", "REPEATED"),
        ("/patch/1/key/id", "ELEMENT_NOT_FOUND"),
        ("/patch/1/key/id", "REPEATED"),
    ]
    messages = [error["message"] for error in report["errors"] if error["code"] == "REPEATED"]
    assert ["/put/1/id" in message or "/post/0/id" in message for message in messages] == [True] * 5
    assert [error["id"] for error in report["errors"]] == ["new", "new", "new", "old", "old", "new", "new"]


def test_more_than_a_thousand_faults_are_counted(alice):
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


@pytest.mark.contract("B3")
def test_a_body_that_is_no_text_is_refused_as_a_whole(alice):
    """Half of a character, which no text holds: it is told where."""
    texts = [json.dumps(account("1")), json.dumps(account("2", documentationLink="?")).replace("?", r"\ud83d")]

    (error,) = refused(send(alice, "account", body_of(post=texts)))["errors"]

    assert (error["path"], error["code"]) == ("", "INVALID_CHARACTER")
    assert "U+D83D at line 1, column " in error["message"]


def test_many_faults_of_one_element_are_counted(alice):
    """In an element as in a patch; wherever they are found."""
    save(alice, "account", post=[account("old")])
    members = ",".join(f'"{number}":1' for number in range(700))
    twice = f"{members},{members}"
    new = f"{json.dumps(account('new'))[:-1]},{twice}}}"
    change = f'{{"key":{{"id":"old"}},"data":{{{twice}}}}}'

    report = refused(send(alice, "account", body_of(post=[new], patch=[change])))

    assert (len(report["errors"]), report["errorCount"]) == (1_000, 1_400)


@pytest.mark.parametrize("mode", ["strict", "", None, 1])
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_another_mode_is_refused(alice, dimension, mode):
    """It names what was sent and the modes that there are."""
    maker = {"currency": currency, "account": account}[dimension]

    (error,) = refused(send(alice, dimension, {"saveMode": mode, "post": [maker()]}))["errors"]

    assert (error["path"], error["code"]) == ("/saveMode", "INVALID")
    assert f"saveMode cannot be {json.dumps(mode)}; it has to be one of LOOSE, STRICT." in error["message"]
    assert elements(alice, dimension) == []


# --- Currencies --------------------------------------------------------------------------------


@pytest.mark.contract("C2", "C4", "C10")
@pytest.mark.parametrize(
    ("fields", "place", "code", "message"),
    [
        (
            {"decimalNumbers": 21},
            "/decimalNumbers",
            "INVALID",
            "cannot be 21; it has to be a whole number from 0 to 20",
        ),
        ({"decimalNumbers": -1}, "/decimalNumbers", "INVALID", "cannot be -1"),
        ({"decimalNumbers": "2"}, "/decimalNumbers", "INVALID", 'cannot be "2"'),
        ({"decimalNumbers": 2.5}, "/decimalNumbers", "INVALID", "cannot be 2.5"),
        ({"decimalNumbers": None}, "/decimalNumbers", "NULL", "cannot be null"),
        (
            {"percentageDifference": "1,5"},
            "/percentageDifference",
            "INVALID",
            'cannot be "1,5"; it has to be a decimal',
        ),
        ({"percentageDifference": "1" * 16}, "/percentageDifference", "INVALID", "at most 15 digits before"),
        ({"percentageDifference": True}, "/percentageDifference", "INVALID", "cannot be true"),
        ({"preferred": "yes"}, "/preferred", "INVALID", 'preferred cannot be "yes"; it has to be true or false'),
        (
            {"referenceCurrency": {"coefficient": "1.2.3"}},
            "/referenceCurrency/coefficient",
            "INVALID",
            'coefficient cannot be "1.2.3"',
        ),
        ({"xbrlContent": "x" * 1_001}, "/xbrlContent", "INVALID", "at most 1,000 characters"),
        (
            {"description": "Dollar", "descriptions": {"en": "Euro"}},
            "/description",
            "CONFLICTING_SPELLINGS",
            "description means the language en",
        ),
        ({"description": 5}, "/description", "INVALID", "description cannot be 5"),
        ({"descriptions": {"en": "", "de": ""}}, "/descriptions", "BLANK", "with at least one that is not blank"),
        ({"descriptions": 5}, "/descriptions", "INVALID", "descriptions cannot be 5"),
        ({"oid": ""}, "/oid", "INVALID", "an oid of 1 to 64 characters"),
        ({"oid": "x" * 65}, "/oid", "INVALID", "an oid of 1 to 64 characters"),
        ({"oid": 1}, "/oid", "INVALID", "oid cannot be 1"),
        ({"oid": None}, "/oid", "NULL", "oid cannot be null"),
    ],
)
def test_the_faults_of_currencies_are_told_for_each_operation(alice, fields, place, code, message):
    """In new, replaced and patched ones."""
    save(alice, "currency", post=[currency("A"), currency("B")])
    before = (elements(alice, "currency"), Currency.history.count())
    body = {
        "post": [currency("NEW"), currency("BAD", **fields)],
        "put": [currency("A", **fields)],
        "patch": [patch("B", **fields)],
    }

    report = refused(send(alice, "currency", body))

    assert places(report) == [(f"/post/1{place}", code), (f"/put/0{place}", code), (f"/patch/0/data{place}", code)]
    assert [error["id"] for error in report["errors"]] == ["BAD", "A", "B"]
    assert all(message in error["message"] for error in report["errors"])
    assert (elements(alice, "currency"), Currency.history.count()) == before


@pytest.mark.contract("G2")
def test_what_another_repository_has_is_not_found(alice, bob):
    """Nor told."""
    bob.send("POST", bob.account(db_id="contoso"), account("theirs"))

    report = refused(alice.send("POST", path(alice, "account"), {"patch": [patch("theirs", type="DETAIL")]}))

    assert places(report) == [("/patch/0/key/id", "ELEMENT_NOT_FOUND")]


@pytest.mark.contract("B1", "E2")
def test_faults_of_the_body_and_of_its_elements_are_one_report(alice):
    """A wrong mode, an unknown member, an operation that is no array: the elements are looked at all the same."""
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
