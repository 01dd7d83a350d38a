"""The examples in the OpenAPI documents are real responses of the service."""

import json
import re
from collections.abc import Callable, Mapping
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
from tests.bulkops.jobs.deletions import ASYNC, work_now
from tests.dimensions import DIMENSIONS, DOCUMENTS
from tests.factories import Caller, read

EXAMPLES = {
    name: json.loads((Path(apps.get_app_config(name).path) / "examples.json").read_text("utf-8")) for name in DIMENSIONS
}
# The ids of the two deletions in the examples, of which the first completes and the second is aborted.
DELETIONS = ("7d0c4a52-3f6e-4b0a-9c1d-5e8f2a61b7c3", "c2e95b18-84d7-4f3c-b6a0-19d3e7f40825")
# The examples send none, so that somebody who changes an id has sent another currency.
OID = re.compile(r'(?<="oid": ")[^"]+')
EXAMPLE_OID = "0b8f6f0c-6a52-4f0e-9a35-2f3c7a0d9e11"
TIMES_OF_CHANGES = re.compile(r'("(?:date|requestDateTime)": )"[^"]+?(\+0000|Z)"')


def play(alice: Caller, address: Callable[..., str], examples: Mapping[str, Any]) -> dict[str, Any]:
    """Send what the examples send, in an order in which one follows from the other, and return what is answered."""
    id = examples["create"]["request"]["id"]
    element = address(f"elements/{id}")
    answers = {
        "create": alice.send("POST", address(), examples["create"]["request"]),
        "retrieve": alice.get(element),
        "list": alice.get(address()),
        "count": alice.get(address("elements-count")),
        "fetch": alice.get(address("elements-fetch"), examples["fetch"]["query"]),
        "modify": alice.send("PATCH", element, examples["modify"]["request"]),
        "replace": alice.send("PUT", element, examples["replace"]["request"]),
        "save": alice.send("POST", address("elements-bulk"), examples["save"]["request"]),
        "change": alice.send("POST", address("elements-bulk"), examples["change"]["request"]),
        "merge": alice.send("POST", address("elements-bulk"), examples["merge"]["request"]),
        "start": alice.send("POST", address(ASYNC), examples["start"]["request"]),
    }
    work_now()
    answers["status"] = alice.get(answers["start"]["Location"])
    aborted = alice.send("POST", address(ASYNC), examples["start"]["request"])["Location"]
    answers["abort"] = alice.delete(aborted)
    answers["deletions"] = alice.get(address(ASYNC))
    return {action: on_the_example_day(read(response)) for action, response in answers.items()}


def on_the_example_day(answer: Any) -> Any:
    """The answer with the times of changes, the oids and the ids of deletions of the examples: each run has others."""
    text = TIMES_OF_CHANGES.sub(r'\1"2026-01-31T10:00:00.000\2"', OID.sub(EXAMPLE_OID, json.dumps(answer)))
    for number, oid in enumerate(DataProcessing.objects.order_by("pk").values_list("oid", flat=True)):
        text = text.replace(oid, DELETIONS[number])
    return json.loads(text)


@pytest.mark.contract("H3")
@pytest.mark.parametrize("dimension", EXAMPLES)
def test_every_example_is_what_the_service_answers(alice: Caller, dimension: str) -> None:
    """Each request among the examples gets the answer that is beside it."""
    examples = EXAMPLES[dimension]

    answers = play(alice, partial(alice.elements, dimension), examples)

    created = examples["create"]["answer"]
    shown = {action: example["answer"] for action, example in examples.items() if "answer" in example}
    assert answers == {**shown, "retrieve": created, "list": [created], "count": 1}


@pytest.mark.contract("H3")
@pytest.mark.parametrize("dimension", ["currency", "account"])
def test_every_example_works_in_the_repository_that_make_run_fills(alice: Caller, dimension: str) -> None:
    """What Swagger UI has filled in already: each read finds something, and each body is saved, one after the other."""
    call_command("fill_repository", "northwind", stdout=StringIO())
    address, examples = partial(alice.elements, dimension), EXAMPLES[dimension]
    element = address(f"elements/{examples['path']['id']}")

    answers = [
        alice.get(element),
        alice.get(address("elements-fetch"), examples["fetch"]["query"]),
        alice.send("POST", address(), examples["create"]["request"]),
        alice.send("POST", address("elements-bulk"), examples["save"]["request"]),
        alice.send("POST", address("elements-bulk"), examples["change"]["request"]),
        alice.send("POST", address("elements-bulk"), examples["merge"]["request"]),
        alice.send("PATCH", element, examples["modify"]["request"]),
        alice.send("PUT", element, examples["replace"]["request"]),
        alice.send("POST", address(ASYNC), examples["start"]["request"]),
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
