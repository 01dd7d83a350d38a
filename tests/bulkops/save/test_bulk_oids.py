"""The oid of currencies in a bulk save: it is given once, stays, and is unique in its repository."""

import pytest

from tests.bulkops.save.bulk import elements, patch, places, refused, save, send
from tests.factories import currency


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
