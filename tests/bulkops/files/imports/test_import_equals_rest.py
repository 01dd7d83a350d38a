"""An import does what REST does: the elements and the errors are the same."""

import csv
from typing import Any

import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bulkops.files.formats.rows import ElementRow, FileShape, Source
from bulkops.files.imports.importing import Importer
from bulkops.files.imports.options import Options
from bulkops.files.imports.reports import ImportRefused
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.demo.management.commands.fill_repository import GROUP_CHART
from dimensions_site.repositories.models import Repository
from dimensions_site.text.files import Format
from tests.bulkops.save.bulk import element, path, without
from tests.dimensions import DIMENSIONS
from tests.dimensions_site.elements.writing.json_writing import nearly
from tests.factories import Person, account, json_bytes, read
from tests.storing import taken_back
from tests.strategies import elements, json_values, patches

# The result: the element, or the place and the code of each error.
Result = dict[str, Any] | list[tuple[str, str]]

wrong_values = json_values | st.sampled_from(
    ("", " ", "NONE", "x" * 129, 21, 1.5, 10**30, {}, {"en": None}, {"id": "1"})
)
searching = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
)


def sent(alice: Person, dimension: str, method: str, rest: str, data: Any) -> Result:
    """The result of `data` over REST."""
    with taken_back():
        response = alice.send(method, path(alice, dimension, rest), json_bytes(data))
        answer = read(response)
        if response.status_code == 400:
            return [(error["path"], error["code"]) for error in answer["errors"]]
        assert response.status_code in (200, 201)
        return without(answer, "oid")


def imported(alice: Person, repository: Repository, dimension: str, data: Any) -> Result:
    """The result of `data` in an import."""
    source = Source(FileShape(Format.NDJSON), None, lambda: iter([ElementRow(1, json_bytes(data))]), lambda: 1.0)
    importer = Importer(DIMENSIONS[dimension], repository, Actor(SYSTEM, Channel.IMPORT), Options())
    with taken_back():
        try:
            importer.run(source)
        except ImportRefused as refusal:
            return [(row.failure.path, row.failure.code) for row in refusal.report.failures]
        return without(element(alice, dimension, data["id"]), "oid")


@pytest.mark.contract("C5", "C8", "C15", "H4")
@searching
@given(st.sampled_from(sorted(DIMENSIONS)), st.data())
def test_a_stored_element_is_changed_as_by_patch(alice, northwind, dimension, data):
    """Valid changes and invalid ones."""
    wire = DIMENSIONS[dimension].wire
    stored = {**data.draw(elements(wire), label="stored"), "id": "1"}
    changes = data.draw(
        patches(wire).flatmap(lambda patch: nearly(patch, wrong_values) | st.just(patch)), label="changes"
    )
    changes["id"] = "1"
    with taken_back():
        assert alice.send("POST", path(alice, dimension, "elements"), json_bytes(stored)).status_code == 201
        by_rest = sent(alice, dimension, "PATCH", "elements/1", changes)
        assert imported(alice, northwind, dimension, changes) == by_rest


@pytest.mark.contract("C5", "C8", "H4")
@searching
@given(st.sampled_from(sorted(DIMENSIONS)), st.data())
def test_a_new_element_is_created_as_by_post(alice, northwind, dimension, data):
    """Valid ones and invalid ones."""
    wire = DIMENSIONS[dimension].wire
    payload = data.draw(elements(wire).flatmap(lambda one: nearly(one, wrong_values) | st.just(one)), label="element")
    payload["id"] = "1"
    by_rest = sent(alice, dimension, "POST", "elements", payload)
    assert imported(alice, northwind, dimension, payload) == by_rest


@pytest.mark.contract("B1", "H4")
@pytest.mark.parametrize("wrong", [{"": 1}, {"conversion": {"": 1}}])
def test_a_member_without_a_name_is_named_as_by_post(alice, northwind, wrong):
    """Such as `conversion.""`."""
    payload = account("1", **wrong)
    assert imported(alice, northwind, "account", payload) == sent(alice, "account", "POST", "elements", payload)


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
