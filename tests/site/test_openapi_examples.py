"""The examples in the OpenAPI documents are what the service answers."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps

from bulkops.models import DataProcessing
from tests.bulkops.deletions import ASYNC, work_now
from tests.factories import Caller, read

EXAMPLES = {
    name: json.loads((Path(apps.get_app_config(name).path) / "examples.json").read_text("utf-8"))
    for name in ("currency", "account")
}
# The ids of the two deletions in the examples, of which the first completes and the second is aborted.
DELETIONS = ("7d0c4a52-3f6e-4b0a-9c1d-5e8f2a61b7c3", "c2e95b18-84d7-4f3c-b6a0-19d3e7f40825")
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
        "start": alice.send("POST", address(ASYNC), examples["start"]["request"]),
    }
    work_now()
    answers["status"] = alice.get(answers["start"]["Location"])
    aborted = alice.send("POST", address(ASYNC), examples["start"]["request"])["Location"]
    answers["abort"] = alice.delete(aborted)
    answers["deletions"] = alice.get(address(ASYNC))
    return {action: on_the_example_day(read(response)) for action, response in answers.items()}


def on_the_example_day(answer: Any) -> Any:
    """The answer with the times of changes and the ids of deletions that the examples have: they are never the same."""
    text = TIMES_OF_CHANGES.sub(r'\1"2026-01-31T10:00:00.000\2"', json.dumps(answer))
    for number, oid in enumerate(DataProcessing.objects.order_by("pk").values_list("oid", flat=True)):
        text = text.replace(oid, DELETIONS[number])
    return json.loads(text)


@pytest.mark.contract("H3")
@pytest.mark.parametrize("dimension", EXAMPLES)
def test_every_example_is_what_the_service_answers(alice: Caller, dimension: str) -> None:
    """Each request among the examples gets the answer that stands beside it."""
    examples = EXAMPLES[dimension]

    answers = play(alice, getattr(alice, dimension), examples)

    created = examples["create"]["answer"]
    shown = {action: example["answer"] for action, example in examples.items()}
    assert answers == {**shown, "retrieve": created, "list": [created], "count": 1}
