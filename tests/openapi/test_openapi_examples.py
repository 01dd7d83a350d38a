"""The examples in the OpenAPI documents are real responses of the service."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command

from bulkops.models import DataProcessing
from dimensions_site.api.openapi.documents import Document
from dimensions_site.demo.management.commands.run_demo import DB_ID
from dimensions_site.elements.dimension import dimension_named
from tests.bulkops.jobs.deletions import ASYNC, work_now
from tests.dimensions import DIMENSIONS, DOCUMENTS
from tests.factories import Person, read

EXAMPLES = {
    name: json.loads((Path(apps.get_app_config(name).path) / "examples.json").read_text("utf-8")) for name in DIMENSIONS
}
# The ids of the two deletions in the examples, of which the first completes and the second is aborted.
DELETIONS = ("7d0c4a52-3f6e-4b0a-9c1d-5e8f2a61b7c3", "c2e95b18-84d7-4f3c-b6a0-19d3e7f40825")
# The examples send none, so that somebody who changes an id has sent another currency.
OID = re.compile(r'(?<="oid": ")[^"]+')
EXAMPLE_OID = "0b8f6f0c-6a52-4f0e-9a35-2f3c7a0d9e11"
TIMES_OF_CHANGES = re.compile(r'("(?:date|requestDateTime)": )"[^"]+?(\+0000|Z)"')


def play(alice: Person, address: Callable[..., str], examples: Mapping[str, Any]) -> dict[str, Any]:
    """Send what the examples send, in an order in which one follows from the other.

    Returns the answers by the names of the operations, in which `{noun}` and `{nouns}` stand for the dimension.
    """
    element, bulk = address(f"elements/{examples['create']['id']}"), address("elements-bulk")
    answers = {
        "create{noun}": alice.send("POST", address(), examples["create"]),
        "get{noun}": alice.get(element),
        "list{nouns}": alice.get(address()),
        "count{nouns}": alice.get(address("elements-count")),
        "fetch{nouns}": alice.get(address("elements-fetch"), examples["fetch"]),
        "patch{noun}": alice.send("PATCH", element, examples["modify"]),
        "replace{noun}": alice.send("PUT", element, examples["replace"]),
        "save{nouns}": alice.send("POST", bulk, examples["save"]),
        "delete{nouns}": alice.send("POST", address(ASYNC), examples["start"]),
    }
    work_now()
    answers["get{noun}Deletion"] = alice.get(answers["delete{nouns}"]["Location"])
    aborted = alice.send("POST", address(ASYNC), examples["start"])["Location"]
    answers["abort{noun}Deletion"] = alice.delete(aborted)
    answers["list{noun}Deletions"] = alice.get(address(ASYNC))
    return {operation: on_the_example_day(read(response)) for operation, response in answers.items()}


def shown_answers(document: Mapping[str, Any], dimension: str, operations: Iterable[str]) -> dict[str, Any]:
    """Return the examples of answers in the OpenAPI `document`, by the names of `operations` as in `play`."""
    words = {"noun": dimension.title(), "nouns": f"{dimension_named(dimension).verbose_name_plural}".title()}
    documented = {part["operationId"]: part for path in document["paths"].values() for part in path.values()}
    shown = {}
    for name in operations:
        _status, answer = next(iter(documented[name.format(**words)]["responses"].items()))
        shown[name] = answer["content"]["application/json"]["example"]
    return shown


def on_the_example_day(answer: Any) -> Any:
    """The answer with the times of changes, the oids and the ids of deletions of the examples: each run has others."""
    text = TIMES_OF_CHANGES.sub(r'\1"2026-01-31T10:00:00.000\2"', OID.sub(EXAMPLE_OID, json.dumps(answer)))
    for number, oid in enumerate(DataProcessing.objects.order_by("pk").values_list("oid", flat=True)):
        text = text.replace(oid, DELETIONS[number])
    return json.loads(text)


@pytest.mark.contract("H3")
@pytest.mark.parametrize("dimension", EXAMPLES)
def test_every_example_is_what_the_service_answers(alice: Person, dimension: str) -> None:
    """Each request among the examples gets the answer that is beside it."""
    answers = play(alice, partial(alice.elements, dimension), EXAMPLES[dimension])

    assert answers == shown_answers(DOCUMENTS[dimension].content, dimension, answers)


@pytest.mark.contract("H3")
@pytest.mark.parametrize("dimension", ["currency", "account"])
def test_every_example_works_in_the_repository_that_make_run_fills(alice: Person, dimension: str) -> None:
    """What Swagger UI has filled in already: each read finds something, and each body is saved, one after the other."""
    call_command("fill_repository", "northwind", stdout=StringIO())
    address, examples = partial(alice.elements, dimension), EXAMPLES[dimension]
    element = address(f"elements/{examples['path']['id']}")

    answers = [
        alice.get(element),
        alice.get(address("elements-fetch"), examples["fetch"]),
        alice.send("POST", address(), examples["create"]),
        alice.send("POST", address("elements-bulk"), examples["save"]),
        alice.send("POST", address("elements-bulk"), examples["change"]),
        alice.send("POST", address("elements-bulk"), examples["merge"]),
        alice.send("PATCH", element, examples["modify"]),
        alice.send("PUT", element, examples["replace"]),
        alice.send("POST", address(ASYNC), examples["start"]),
        alice.get(address("elements-versions"), {"id": examples["path"]["id"]}),
    ]

    bodies = [read(answer) for answer in answers]
    assert [answer.status_code for answer in answers] == [200, 200, 201, 200, 200, 200, 200, 200, 202, 200]
    assert len(bodies[1]) > 100


@pytest.mark.contract("H3")
@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_nothing_is_filled_in_that_may_be_left_out(document: Document) -> None:
    """Swagger UI would send it with each call: the same `Idempotency-Key` again, or a filter that finds nothing."""
    parameters = document.content["components"]["parameters"].values()

    filled_in = {part["name"] for part in parameters if {"example", "default"} & part["schema"].keys()}
    assert filled_in == {part["name"] for part in parameters if part.get("required")} - {
        "dataProcessingId",
        "planId",
        "If-Match",
    }
    assert document.content["components"]["parameters"]["dbID"]["schema"]["example"] == DB_ID
