"""Tags of a map that mean one language: the second is refused, in whichever way an element is written."""

from typing import Any

import pytest

from dimensions_site.elements.dimension import dimension_named
from tests.bulkops.plans.plans import make, send
from tests.bulkops.save.bulk import DIMENSIONS, patch, path, refused
from tests.bulkops.save.bulk import send as save
from tests.factories import MAKERS, Person, read

pytestmark = pytest.mark.contract("C3")

ENGLISH = {"en": "Cash", "en-GB": "Cash"}
FIELDS = {"account": ("descriptions", "alternativeDescriptions"), "currency": ("descriptions",)}


def errors(response: Any) -> list[tuple[str, str]]:
    return [(error["path"].replace("/", "."), error["code"]) for error in refused(response)["errors"]]


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize(("tag", "other"), [("EN", "en"), ("eN", "en"), ("en_GB", "en-GB"), ("EN_gb", "en-GB")])
def test_a_tag_that_differs_only_in_case_or_punctuation_is_refused(alice: Person, dimension: str, tag: str, other: str):
    """In one map, and beside a stored one that a change leaves; the message names the other."""
    make_one, elements = MAKERS[dimension], alice.elements(dimension)
    for field in FIELDS[dimension]:
        one = alice.elements(dimension, f"elements/{field}")
        both = make_one(field, **{field: {**ENGLISH, tag: "Cash"}})
        new = {"id": field, field: {tag: "Cash"}}
        place = f"{field}.{tag}"
        for method, address in (("POST", elements), ("PUT", one)):
            response = alice.send(method, address, both)
            assert errors(response) == [(place, "SAME_LANGUAGE")]
            assert f"'{other}'" in response.json()["detail"]
        for name in ("post", "put", "merge"):
            assert errors(save(alice, dimension, {name: [both]})) == [(f".{name}.0.{place}", "SAME_LANGUAGE")]
        assert errors(send(alice, dimension, snapshot=[both])) == [(f".snapshot.0.{place}", "SAME_LANGUAGE")]

        assert alice.send("PUT", one, make_one(field, **{field: ENGLISH})).status_code in (200, 201)
        before = alice.get(one)
        assert errors(alice.send("PATCH", one, {field: {tag: "Cash"}})) == [(place, "SAME_LANGUAGE")]
        assert errors(save(alice, dimension, {"merge": [new]})) == [(f".merge.0.{place}", "SAME_LANGUAGE")]
        whole = make_one(field, **{field: {tag: "Cash"}})
        assert errors(save(alice, dimension, {"merge": [whole]})) == [(f".merge.0.{place}", "SAME_LANGUAGE")]
        response = save(alice, dimension, {"patch": [patch(field, **{field: {tag: "Cash"}})]})
        assert errors(response) == [(f".patch.0.data.{place}", "SAME_LANGUAGE")]
        table = f"id,{field}.{tag}\n{field},Cash\n"
        response = alice.generic("POST", path(alice, dimension), table, content_type="text/csv")
        assert [error["code"] for error in refused(response)["errors"]] == ["SAME_LANGUAGE"]
        assert alice.get(one)["ETag"] == before["ETag"]


def test_the_name_of_a_default_language_is_a_tag_like_others(alice: Person):
    """`description` means the tag as the repository writes it."""
    response = alice.send("POST", alice.currency(), MAKERS["currency"]("1", descriptions={"EN": "A"}, description="B"))
    assert errors(response) == [("descriptions.en", "SAME_LANGUAGE")]


@pytest.mark.contract("C5")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_an_element_that_has_both_already_stays_usable(alice: Person, northwind: Any, dimension: str):
    """`PUT` takes what `GET` answers, alone and among many; changing other fields and removing one of both works."""
    make_one, one = MAKERS[dimension], alice.elements(dimension, "elements/1000")
    alice.send("PUT", one, make_one("1000", descriptions={"en": "Cash"}))
    both = {"en": "Cash", "EN": "Upper"}
    dimension_named(dimension).model.of(northwind).update(descriptions=both)  # from before the rule
    old = read(alice.get(one))
    assert old["descriptions"] == both
    assert alice.send("PUT", one, old).status_code == 200
    for name in ("put", "merge"):
        response = save(alice, dimension, {name: [old]})
        read(response)
        assert (response.status_code, response["X-Unchanged"]) == (200, "1")
    assert read(alice.send("PATCH", one, {"descriptions": {"EN": "New"}}))["descriptions"] == both | {"EN": "New"}
    assert errors(alice.send("PATCH", one, {"descriptions": {"En": "New"}})) == [("descriptions.En", "SAME_LANGUAGE")]
    assert read(alice.send("PUT", one, make_one("1000", descriptions={"EN": "One"})))["descriptions"] == {"EN": "One"}
    # PostgreSQL answers the tags in another order than they were sent in.
    again = old | {"descriptions": both}
    assert errors(alice.send("PUT", one, again)) == [("descriptions.EN", "SAME_LANGUAGE")]
    assert make(alice, dimension, snapshot=[make_one("1000", descriptions={"EN": "One"})])["unchanged"] == 1
