"""The examples in the OpenAPI documents are what the service answers."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps

from tests.factories import Caller, read

EXAMPLES = {
    name: json.loads((Path(apps.get_app_config(name).path) / "examples.json").read_text("utf-8"))
    for name in ("currency", "account")
}


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
    }
    return {action: on_the_example_day(read(response)) for action, response in answers.items()}


def on_the_example_day(answer: Any) -> Any:
    """The answer with another time of its last change, the only thing in it that differs from day to day."""
    for element in answer if isinstance(answer, list) else [answer]:
        if isinstance(element, dict) and "date" in element.get("updateInfo", {}):
            element["updateInfo"]["date"] = "2026-01-31T10:00:00.000+0000"
    return answer


@pytest.mark.contract("H3")
@pytest.mark.parametrize("dimension", EXAMPLES)
def test_every_example_is_what_the_service_answers(alice: Caller, dimension: str) -> None:
    """Each request among the examples gets the answer that stands beside it."""
    examples = EXAMPLES[dimension]

    answers = play(alice, getattr(alice, dimension), examples)

    created = examples["create"]["answer"]
    shown = {action: example["answer"] for action, example in examples.items()}
    assert answers == {**shown, "retrieve": created, "list": [created], "count": 1}
