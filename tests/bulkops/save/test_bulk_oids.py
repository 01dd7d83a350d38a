"""The oid of currencies in a bulk save: it is given once, stays, and is unique in its repository."""

import uuid

import pytest

from tests.bulkops.save.bulk import element, elements, patch, places, refused, save, send
from tests.factories import currency


@pytest.mark.contract("C2", "E1")
def test_a_currency_without_an_oid_gets_a_new_one(alice):
    """Each has a separate UUID, for put as for post; a given one is kept."""
    save(alice, "currency", post=[currency("A"), currency("B", oid="mine")], put=[currency("C"), currency("D")])

    oids = {each["id"]: each["oid"] for each in elements(alice, "currency")}
    assert oids["B"] == "mine"
    assert len({str(uuid.UUID(oids[id])) for id in "ACD"}) == 3


@pytest.mark.contract("C2", "E1")
def test_the_oid_of_an_existing_currency_stays(alice):
    """Whether it is sent again or left out."""
    save(alice, "currency", post=[currency("A", oid="a"), currency("B"), currency("C")])
    before = {each["id"]: each["oid"] for each in elements(alice, "currency")}

    save(
        alice,
        "currency",
        put=[currency("A", decimalNumbers=3), currency("B", oid=before["B"], decimalNumbers=3)],
        patch=[patch("C", decimalNumbers=3)],
    )

    assert {each["id"]: each["oid"] for each in elements(alice, "currency")} == before
    assert {each["decimalNumbers"] for each in elements(alice, "currency")} == {3}


@pytest.mark.contract("C2", "E2")
@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        ({"put": [currency("A", oid="other")]}, "/put/0/oid", "IMMUTABLE"),
        ({"patch": [patch("A", oid="other")]}, "/patch/0/data/oid", "IMMUTABLE"),
        ({"put": [currency("A", oid="b")]}, "/put/0/oid", "IMMUTABLE"),
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


@pytest.mark.contract("C2", "G2")
def test_an_oid_of_another_repository_is_free(alice, bob):
    """So are its ids."""
    bob.send("POST", bob.currency(db_id="contoso"), currency("EUR", oid="shared"))

    save(alice, "currency", post=[currency("EUR", oid="shared")])

    assert element(alice, "currency", "EUR")["oid"] == "shared"
