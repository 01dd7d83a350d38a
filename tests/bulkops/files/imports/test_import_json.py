"""Elements in wire form are imported like a PATCH of what is stored, and like a POST of what is not."""

import json

import pytest

from tests.factories import account

pytestmark = pytest.mark.contract("H4")


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
    assert outcome.errors == ["line 1: This file has no headings that could be mapped. Leave the mapping out."]
