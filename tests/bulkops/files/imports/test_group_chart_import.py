"""The shipped group chart, imported and read back over REST, cell by cell."""

import csv
from typing import Any

import pytest
from django.core.management import call_command

from dimensions_site.demo.management.commands.fill_repository import GROUP_CHART
from tests.factories import read


def value_at(element: Any, path: str) -> Any:
    """The value at a wire path; None below a group that is null."""
    for name in path.split("."):
        element = element and element[name]
    return element


def cell(value) -> str:
    """A value of the wire as the text of a cell."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value


@pytest.mark.contract("C19", "H4")
def test_what_was_imported_is_read_back_exactly(alice, capsys):
    """Every cell of every row; an empty cell is null or, for the two fields that have one, the default."""
    call_command("import_accounts", "northwind", str(GROUP_CHART))
    with GROUP_CHART.open(encoding="utf-8", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    elements = {element["id"]: element for element in read(alice.get(alice.account()))}

    assert elements.keys() == rows.keys()
    defaults = {"rules.grossAmountEqualICSum": "false", "dataEntryAndReporting.class": "NONE"}
    differences = [
        (id, path, text, found)
        for id, row in rows.items()
        for path, text in row.items()
        if (found := cell(value_at(elements[id], path))) != (text or defaults.get(path, ""))
    ]
    assert differences == []
