"""The save mode STRICT: the elements that others refer to have to exist."""

from typing import Any

import pytest

from account.serializers import ACCOUNT_WIRE
from currency.serializers import CURRENCY_WIRE
from tests.bulkops.save.bulk import elements, patch, refused, save, send
from tests.factories import account, currency
from tests.strategies import put

pytestmark = pytest.mark.contract("E2")

REFERENCES = [
    "conversion.referenceAccountForInitialBalance",
    "rules.accrual.debitAccrual.id",
    "rules.accrual.creditAccrual.id",
    "monthlySplittingRules.reference.referenceAccount.id",
    *(
        f"cashFlowPlanning.{group}.{side}.id"
        for group in ("variation", "receivablePayable", "liquidity", "other", "revaluationDevaluation")
        for side in ("debit", "credit")
    ),
    "cashFlowPlanning.other.additionalCreditAccrualAccount.id",
    "cashFlowPlanning.other.additionalDebitAccrualAccount.id",
]


def referring(id: str, target: str, *fields: str) -> dict[str, Any]:
    """An account that refers to another one in `fields`, or by default in one of them."""
    element = account(id)
    for field in fields or REFERENCES[:1]:
        put(element, field, target)
    return element


def strict(person, dimension="account", **body: Any) -> Any:
    return save(person, dimension, saveMode="STRICT", **body)


def unknown(person, dimension="account", **body: Any) -> list[tuple[str, str]]:
    """Where a strict save finds references to nothing."""
    report = refused(send(person, dimension, {"saveMode": "STRICT", **body}))
    assert {error["code"] for error in report["errors"]} == {"UNKNOWN_REFERENCE"}
    return [(error["path"], error["id"]) for error in report["errors"]]


def test_these_fields_refer_to_elements_of_this_service():
    """A field that is declared as a reference has to be checked here."""
    declared = {place.path: place.leaf.refers_to for place in ACCOUNT_WIRE.places.values() if place.leaf.refers_to}
    assert declared == dict.fromkeys(REFERENCES, "account")
    declared = {place.path: place.leaf.refers_to for place in CURRENCY_WIRE.places.values() if place.leaf.refers_to}
    assert declared == {"referenceCurrency.id": "currency"}


def test_a_reference_to_nothing_is_refused(alice):
    """The message names the missing id and what to do."""
    field = REFERENCES[-1]
    (error,) = refused(send(alice, "account", {"saveMode": "STRICT", "post": [referring("1", "gone", field)]}))[
        "errors"
    ]

    assert error["id"] == "1"
    assert (error["path"], error["code"]) == (f"/post/0/{field.replace('.', '/')}", "UNKNOWN_REFERENCE")
    assert f"{field} refers to the account 'gone'" in error["message"]
    assert "neither in the repository nor in this request" in error["message"]
    assert "LOOSE" in error["message"]
    assert elements(alice, "account") == []


def test_every_reference_to_nothing_is_reported(alice):
    """For one account and for several; in the order of the body."""
    save(alice, "account", post=[account("there"), account("old")])
    body = {
        "post": [referring("1", "gone", *REFERENCES), referring("2", "there", *REFERENCES)],
        "put": [referring("3", "gone")],
        "patch": [patch("old", rules={"accrual": {"debitAccrual": {"id": "gone too"}}})],
    }

    found = unknown(alice, **body)

    assert sorted(found[:-2]) == sorted((f"/post/0/{field.replace('.', '/')}", "1") for field in REFERENCES)
    assert found[-2:] == [
        ("/put/0/conversion/referenceAccountForInitialBalance", "3"),
        ("/patch/0/data/rules/accrual/debitAccrual/id", "old"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        {"post": [referring("1", "2", *REFERENCES), account("2")]},
        {"post": [account("2"), referring("1", "2", *REFERENCES)]},
        {"post": [referring("1", "1", *REFERENCES)]},
        {"post": [referring("1", "2")], "put": [referring("2", "1")]},
        {"put": [referring("1", "old")], "patch": [patch("old", type="DETAIL")]},
        {"patch": [patch("old", conversion={"referenceAccountForInitialBalance": "old"})]},
        {"put": [account("2")], "patch": [patch("old", conversion={"referenceAccountForInitialBalance": "2"})]},
    ],
    ids=[
        "later",
        "earlier",
        "to itself",
        "in a circle",
        "to a patched one",
        "patched to itself",
        "patched to a new one",
    ],
)
def test_a_reference_within_the_body_is_accepted(alice, body):
    """Whichever comes first."""
    save(alice, "account", post=[account("old")])

    strict(alice, **body)

    assert len(elements(alice, "account")) >= 1 + len(body.get("post", []))


def test_references_far_apart_in_a_body_are_found(alice):
    """Among more elements than are read together; only missing ones are reported."""
    chain = [referring(f"{number:04}", f"{number + 1:04}") for number in range(2_500)]

    assert unknown(alice, post=chain) == [("/post/2499/conversion/referenceAccountForInitialBalance", "2499")]

    assert len(strict(alice, post=[*chain, account("2500")])) == 2_501


def test_what_a_patch_leaves_is_looked_at_too(alice):
    """The result of the patch is what is saved; what it clears does not count."""
    save(alice, "account", post=[referring("1", "gone"), referring("2", "gone")])

    cleared = patch("1", conversion={"referenceAccountForInitialBalance": None})
    assert unknown(alice, patch=[cleared, patch("2", type="DETAIL")]) == [
        ("/patch/1/data/conversion/referenceAccountForInitialBalance", "2")
    ]

    strict(alice, patch=[cleared])
    save(alice, "account", patch=[patch("2", type="DETAIL")])


def test_references_that_are_not_set_are_not_looked_for(alice):
    """Left out, null, or with a description alone."""
    unset = account("3", rules={"accrual": {"debit": {"description": "none yet"}, "credit": {"id": None}}})

    strict(alice, post=[account("1"), account("2", cashFlowPlanning=None), unset])


@pytest.mark.contract("G2")
def test_what_another_repository_has_does_not_count(alice, bob):
    """Neither accounts nor currencies."""
    bob.send("POST", bob.account(db_id="contoso"), account("theirs"))
    bob.send("POST", bob.currency(db_id="contoso"), currency("theirs"))

    assert unknown(alice, post=[referring("1", "theirs")])
    assert unknown(alice, "currency", post=[currency("EUR", referenceCurrency={"id": "theirs"})])


def test_a_currency_is_not_an_account(alice):
    """Ids are searched for in the dimension that the field refers to."""
    save(alice, "currency", post=[currency("EUR")])

    assert unknown(alice, put=[referring("1", "EUR")])


@pytest.mark.parametrize("operation", ["post", "put", "patch"])
def test_reference_currencies_are_looked_for(alice, operation):
    """In the repository, in the body, and the currency itself."""
    if operation == "patch":
        save(alice, "currency", post=[currency("A"), currency("B")])

    def referring_to(id, target):
        reference = {"id": target, "coefficient": "1.1"}
        if operation == "patch":
            return patch(id, referenceCurrency=reference)
        return currency(id, referenceCurrency=reference)

    place = "/data" if operation == "patch" else ""
    body = {operation: [referring_to("A", "GONE"), referring_to("B", "B")]}
    assert unknown(alice, "currency", **body) == [(f"/{operation}/0{place}/referenceCurrency/id", "A")]

    strict(alice, "currency", **{operation: [referring_to("A", "B"), referring_to("B", "A")]})


@pytest.mark.parametrize("target", ["a\0b", "..", " x ", ""])
def test_a_reference_to_an_impossible_id_is_refused(alice, target):
    """It counts as not found, and not as a failure of the service."""
    report = refused(send(alice, "account", {"saveMode": "STRICT", "post": [referring("1", target)]}))

    assert [error["path"] for error in report["errors"]] == ["/post/0/conversion/referenceAccountForInitialBalance"]


@pytest.mark.contract("B1")
def test_references_of_elements_with_other_errors_are_reported_with_them(alice):
    """In every spelling, and of patches of what is not there."""
    save(alice, "account", post=[account("1")])
    unknown = {"rules": {"accrual": {"debit": {"id": "gone"}, "creditAccrual": {"id": "1"}}}}
    body = {
        "saveMode": "STRICT",
        "post": [account("2", nature="?", **unknown), account("3", **unknown)],
        "patch": [{"key": {"id": "none"}, "data": unknown}],
    }
    report = refused(send(alice, "account", body))
    assert [(error["path"], error["code"]) for error in report["errors"]] == [
        ("/post/0/nature", "INVALID"),
        ("/post/0/rules/accrual/debit/id", "UNKNOWN_REFERENCE"),
        ("/post/1/rules/accrual/debit/id", "UNKNOWN_REFERENCE"),
        ("/patch/0/key/id", "ELEMENT_NOT_FOUND"),
        ("/patch/0/data/rules/accrual/debit/id", "UNKNOWN_REFERENCE"),
    ]
