"""Elements in wire form are imported like a PATCH of what is stored, and like a POST of what is not."""

import json

import pytest

from tests.bulkops.save.bulk import element
from tests.factories import account

pytestmark = pytest.mark.contract("H4")


@pytest.mark.contract("C15")
def test_members_are_merged_and_null_clears(import_accounts, alice):
    """A member that is left out stays; null clears a leaf or a group, and is kept in a map."""
    before = account(
        "1000",
        documentationLink="x",
        customAttributes={"a": "1", "b": "2"},
        restrictions={"ctpRestriction": {"id": "E1"}, "customDimension1": {"dimensionName": "D"}},
    )
    alice.send("POST", alice.account(), before)
    changes = {
        "id": "1000",
        "documentationLink": None,
        "customAttributes": {"a": None},
        "restrictions": {"ctpRestriction": None},
    }
    assert (
        import_accounts(json.dumps([changes])).output == "Imported into northwind: 0 created, 1 changed, 0 unchanged.\n"
    )
    now = element(alice, "account", "1000")
    assert now["documentationLink"] is None
    assert now["customAttributes"] == {"a": None, "b": "2"}
    assert now["restrictions"]["ctpRestriction"] is None
    assert now["restrictions"]["customDimension1"]["dimensionName"] == "D"


@pytest.mark.contract("B1", "C5", "C6")
def test_errors_name_the_line_and_the_field(import_accounts):
    """The line of NDJSON, the position in an array; every error of every element."""
    lines = [
        json.dumps(element)
        for element in (account("1"), account("2", nature="WRONG", natur="x"), account("1"), {"id": 7})
    ]
    for content in ("\n".join(lines), f"[{','.join(lines)}]"):
        outcome = import_accounts(content)
        assert [error.partition(":")[0] for error in outcome.errors] == [
            "line 2, natur",
            "line 2, nature",
            "line 3, id",
            "line 4, id",
            "line 4, descriptions",
            "line 4, nature",
            "line 4, type",
            "line 4, conversion.conversionType",
        ]
        assert outcome.errors[2] == "line 3, id: The id '1' is on line 1 already; it must appear only once."


def test_a_mapping_of_headings_is_refused(import_accounts):
    """There are none, and no option is ignored silently."""
    outcome = import_accounts("[]", "--map", "Konto=id")
    assert outcome.errors == [
        "line 1: The elements of this file have no headings that could be mapped. Leave the mapping out."
    ]
