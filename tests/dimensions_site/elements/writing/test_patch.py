"""Modifying elements in part."""

import json
from typing import Any

import pytest

from tests.account.samples import FULL, MINIMAL
from tests.bulkops.save.bulk import refused
from tests.factories import account, read


def patched(alice, before: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """The account that is left when an account is patched."""
    assert alice.send("POST", alice.account(), before).status_code == 201
    response = alice.send("PATCH", alice.account("elements/1000"), patch)
    assert response.status_code == 200, response.content
    element: dict[str, Any] = read(response)
    assert read(alice.get(alice.account("elements/1000"))) == element
    del element["updateInfo"]
    return element


@pytest.mark.contract("C15")
@pytest.mark.parametrize(
    ("patch", "path"),
    [
        ({"nature": None}, "nature"),
        ({"type": None}, "type"),
        ({"conversion": None}, "conversion.conversionType"),
        ({"conversion": {"conversionType": None}}, "conversion.conversionType"),
        ({"conversion-conversionType": None}, "conversion.conversionType"),
        ({"descriptions": None}, "descriptions"),
        ({"descriptions": {"en": None, "de": " "}}, "descriptions"),
    ],
)
def test_required_fields_cannot_be_cleared(alice, patch, path):
    """The error names the field; nothing of the patch is stored."""
    before = read(alice.send("POST", alice.account(), account()))

    response = alice.send("PATCH", alice.account("elements/1000"), {"documentationLink": "x", **patch})

    assert response.status_code == 400
    assert [error["path"] for error in response.json()["errors"]] == [path]
    assert read(alice.get(alice.account("elements/1000"))) == before


@pytest.mark.contract("A6", "C15")
@pytest.mark.parametrize(
    ("patch", "status"),
    [
        ({}, 404),
        ({"type": "DETAIL"}, 404),
        ({"descriptions": {"en": None}}, 404),
        (account("7"), 404),
        ({"type": "X"}, 400),
        ({"colour": 1}, 400),
        ([], 400),
    ],
)
def test_a_patch_of_an_unknown_element_is_refused(alice, patch, status):
    """404, unless the patch would be invalid for any element: 400 comes first."""
    assert alice.send("PATCH", alice.account("elements/7"), patch).status_code == status
    assert read(alice.get(alice.account())) == []


MERGE_PATCH = "application/merge-patch+json"


def merge_patch(alice, patch: Any, **sent: Any) -> Any:
    """The answer to a merge patch of the account 1000."""
    text = patch if isinstance(patch, str) else json.dumps(patch)
    return alice.generic("PATCH", alice.account("elements/1000"), text, **{"content_type": MERGE_PATCH, **sent})


@pytest.mark.contract("C15")
def test_a_merge_patch_removes_entries_of_maps(alice):
    """RFC 7396. Other fields and groups are always there, and get null as by any patch."""
    alice.send("POST", alice.account(), FULL)
    patch = {
        "descriptions": {"it": None, "es": None, "none": None, "de": "Kasse"},
        "customAttributes": {"Owner of the account": None},
        "documentationLink": None,
        "dataEntryAndReporting": {"class": None},
        "rules": {"accrual": None},
        "CtpElement": None,
    }
    response = merge_patch(alice, patch)
    assert response.status_code == 200, response.content
    element = read(response)
    assert element["descriptions"] == {"en": "Cash", "de": "Kasse"}
    assert element["customAttributes"] == {"Region": None}
    assert (element["documentationLink"], element["restrictions"]["ctpRestriction"]) == (None, None)
    assert element["dataEntryAndReporting"]["class"] is None
    assert element["rules"]["accrual"] == {"debitAccrual": None, "creditAccrual": None}
    assert element["rules"]["validationChecks"] == FULL["rules"]["validationChecks"]
    assert read(alice.get(alice.account("elements/1000"))) == element


@pytest.mark.contract("C15")
@pytest.mark.parametrize("text", ['{{"customAttributes": {}}}', '{{"customAttributes": {},\n "type": "\\u0044ETAIL"}}'])
def test_a_merge_patch_makes_a_map_without_null(alice, text):
    """Of an element that has none, too; whether the fast decoder reads it or not."""
    alice.send("POST", alice.account(), MINIMAL)
    response = merge_patch(alice, text.format('{"a": null, "b": "B"}'))
    assert read(response)["customAttributes"] == {"b": "B"}
    assert read(merge_patch(alice, text.format("null")))["customAttributes"] is None


@pytest.mark.contract("C15", "B1")
def test_a_merge_patch_removes_nothing_that_is_required(alice):
    """All errors at once, and nothing is changed."""
    alice.send("POST", alice.account(), MINIMAL)
    report = refused(merge_patch(alice, {"nature": None, "descriptions": {"en": None, "de": None}, "id": None}))
    assert {error["path"] for error in report["errors"]} == {"id", "descriptions", "nature"}
    assert refused(merge_patch(alice, "[]"))["code"] == "INVALID"
    report = refused(merge_patch(alice, {"nothing": None, "rules": {"nothing": None}}))
    assert [error["code"] for error in report["errors"]] == ["UNKNOWN_MEMBER"] * 2


@pytest.mark.contract("A6", "C15")
@pytest.mark.parametrize(("text", "status"), [(None, 404), ("Bank", 400)])
def test_a_merge_patch_of_an_unknown_element_may_remove(alice, text, status):
    """One tag of a language may replace the other; only both together would be invalid for any element."""
    assert merge_patch(alice, {"descriptions": {"de": text, "DE": "Kasse"}}).status_code == status


@pytest.mark.contract("C15", "A4")
def test_a_path_names_the_formats_of_its_patches(alice):
    """`Accept-Patch` (RFC 5789) comes with OPTIONS and with the refusal of another format, which names it, too."""
    alice.send("POST", alice.account(), MINIMAL)
    types = "application/json, application/merge-patch+json"
    assert alice.options(alice.account("elements/1000"))["Accept-Patch"] == types
    assert "Accept-Patch" not in alice.options(alice.account())
    response = merge_patch(alice, "{}", content_type="application/json-patch+json")
    assert (response.status_code, response["Accept-Patch"]) == (415, types)
    assert "application/json or application/merge-patch+json" in response.json()["detail"]
    for method, path in (("PUT", "elements/1000"), ("POST", "elements"), ("POST", "elements-bulk")):
        response = alice.generic(method, alice.account(path), "{}", content_type=MERGE_PATCH)
        assert (response.status_code, MERGE_PATCH in response.json()["detail"].partition("; ")[2]) == (415, False)
        assert response.headers.get("Accept-Post", "application/json").startswith("application/json")
