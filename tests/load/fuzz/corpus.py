"""Valid requests for every route and method of both dimensions, and for what is beside them."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

from tests.load.fuzz.message import HOST, Message, Recipe
from tests.load.fuzz.tokens import TOKENS
from tests.services.service import PROJECT

PREFIXES = ("/dimensions/v1", "/api/aih/dimensions/v1")
ASYNC = "elements-bulk-delete-async"
# What the requests write; nothing of it is also there before.
IDS = [f"fuzz-{number}" for number in range(40)]
# Keys that come again, with the same bodies and with others.
_IDEMPOTENCY_KEYS = [f"fuzz-key-{number}" for number in range(200)]


class Corpus:
    """Requests of the client with that API key; `recipes` has one for each, by "METHOD route of dimension"."""

    def __init__(self, key: str) -> None:
        self._key = key
        self.recipes: dict[str, Recipe] = {}
        for dimension in ("currency", "account"):
            self._add(dimension, json.loads(Path(PROJECT, dimension, "examples.json").read_text()))
        for path in _COMPANIONS:
            self.recipes[f"GET {path}"] = partial(self._companion, path)
        self.recipes.update(TOKENS)

    def _add(self, dimension: str, examples: Mapping[str, Any]) -> None:
        def write(random: Random, id: str) -> dict[str, Any]:
            """An element that is as short as it may be, or has all that the examples show."""
            example = examples["create"]
            required = [name for name in _REQUIRED if name in example]
            kept = example if random.random() < 0.5 else {name: example[name] for name in required}
            return {**kept, "id": id, **({"oid": id} if "oid" in kept else {})}

        def save(random: Random) -> dict[str, Any]:
            ids = random.sample(IDS, 6)
            patch = {"key": {"id": ids[0]}, "data": examples["modify"]}
            parts = {
                "put": [write(random, id) for id in ids[1:]],
                "post": [write(random, f"fuzz-{random.randrange(10**6)}")],
                "patch": [patch],
            }
            chosen = random.sample(sorted(parts), random.randint(1, 3))
            return {"saveMode": random.choice(["LOOSE", "STRICT"]), **{part: parts[part] for part in chosen}}

        def plan(random: Random) -> dict[str, Any]:
            bulk = {name: value for name, value in save(random).items() if name != "saveMode"}
            sources: list[dict[str, Any]] = [
                {"snapshot": [write(random, name) for name in random.sample(IDS, 3)], "scope": random.choice(_FILTERS)},
                {"bulk": bulk | {"delete": [{"id": id(random)}]}},
                {"repository": "northwind"},
                {"asOf": "2026-01-01T00:00:00Z"},
                {"undo": _NOWHERE, "onConflict": "skip"},
            ]
            return random.choice(sources) | {"maxDelete": random.choice(["5%", "100%", 3])}

        def query(random: Random) -> str:
            words = {
                "filter": random.choice(_FILTERS),
                "sort": random.choice(_SORTS),
                "skip": str(random.randrange(4)),
                "take": str(random.randint(1, 20)),
            }
            chosen = [*random.sample(["filter", "sort", "skip"], random.randint(0, 3)), "take"]
            return "&".join(f"{name}={quote(words[name], safe='=,;-.')}" for name in chosen)

        def id(random: Random) -> str:
            return random.choice(IDS)

        routes: dict[str, Callable[[Random], tuple[str, Any]]] = {
            "GET elements": lambda random: (f"elements?{query(random)}", None),
            "POST elements": lambda random: ("elements", write(random, id(random))),
            "GET element": lambda random: (f"elements/{id(random)}", None),
            "PUT element": lambda random: (f"elements/{(name := id(random))}", write(random, name)),
            "PATCH element": lambda random: (f"elements/{id(random)}", {"descriptions": {"it": "Altro"}}),
            "GET elements-count": lambda random: (f"elements-count?{query(random)}", None),
            "GET elements-fetch": lambda random: (
                f"elements-fetch?properties={quote(examples['fetch']['properties'])}&{query(random)}",
                None,
            ),
            "GET elements-uses": lambda random: (f"elements-uses?id={id(random)}&id={id(random)}", None),
            "GET elements-changes": lambda random: ("elements-changes", None),
            "GET elements-changesets": lambda random: ("elements-changesets?filter=channel==REST&take=5", None),
            "GET elements-versions": lambda random: (f"elements-versions?id={id(random)}", None),
            "GET elements-compare": lambda random: ("elements-compare?from=2026-01-01T00:00:00Z", None),
            "POST elements-bulk": lambda random: (
                f"elements-bulk?dryRun={random.choice(['true', 'false'])}",
                save(random),
            ),
            "POST elements-bulk-minimal": lambda random: ("elements-bulk-minimal", save(random)),
            "GET plans": lambda random: (f"elements-plans?take={random.randint(1, 9)}", None),
            "POST plans": lambda random: ("elements-plans", plan(random)),
            "GET plan": lambda random: (f"elements-plans/{_NOWHERE}", None),
            "DELETE plan": lambda random: (f"elements-plans/{_NOWHERE}", None),
            "GET plan-changes": lambda random: (f"elements-plans/{_NOWHERE}/changes?action=created", None),
            "POST plan-apply": lambda random: (f"elements-plans/{_NOWHERE}/apply", {}),
            "POST plan-approve": lambda random: (f"elements-plans/{_NOWHERE}/approve", {"text": "As agreed"}),
            "POST plan-reject": lambda random: (f"elements-plans/{_NOWHERE}/reject", {"text": "Not needed"}),
            "GET deletions": lambda random: (f"{ASYNC}?skip=0&take={random.randint(1, 9)}", None),
            "POST deletions": lambda random: (ASYNC, [{"id": id(random)} for _ in range(random.randint(1, 9))]),
            "POST deletions-other-spelling": lambda random: (f"{ASYNC}h", [{"id": id(random)}]),
            "GET deletion": lambda random: (f"{ASYNC}/{_NOWHERE}", None),
            "GET deletions-other-spelling": lambda random: (f"{ASYNC}h?take={random.randint(1, 9)}", None),
            "GET deletion-other-spelling": lambda random: (f"{ASYNC}h/{_NOWHERE}", None),
            "DELETE deletion-other-spelling": lambda random: (f"{ASYNC}h/{_NOWHERE}", None),
            "DELETE deletion": lambda random: (f"{ASYNC}/{_NOWHERE}", None),
        }
        for name, route in routes.items():
            method = name.partition(" ")[0]
            self.recipes[f"{name} of {dimension}"] = self._recipe(method, dimension, route)

    def _recipe(self, method: str, dimension: str, route: Callable[[Random], tuple[str, Any]]) -> Recipe:
        def recipe(random: Random) -> Message:
            rest, body = route(random)
            path = f"{random.choice(PREFIXES)}/northwind/{dimension}/{rest}"
            sent = "HEAD" if method == "GET" and random.random() < 0.1 else method
            message = self._message(sent, path)
            if method in ("PUT", "PATCH") and random.random() < 0.3:
                message = message.with_headers(random.choice(_CONDITIONS))
            if method == "POST" and random.random() < 0.5:
                message = message.with_headers((b"Idempotency-Key", random.choice(_IDEMPOTENCY_KEYS).encode()))
            if body is None:
                return message
            text = json.dumps(body, ensure_ascii=random.random() < 0.5).encode()
            return message.with_headers((b"Content-Type", b"application/json")).with_body(text)

        return recipe

    def _companion(self, path: str, random: Random) -> Message:
        return self._message("GET", path)

    def _message(self, method: str, target: str) -> Message:
        return Message(method.encode(), target.encode(), (*HOST, (b"X-API-Key", self._key.encode())))


# The id of a job or a plan that is not there.
_NOWHERE = "0f3c6f1e-57a4-4a86-9a53-1d2b7c9e8f60"
_REQUIRED = ("descriptions", "nature", "type", "conversion", "decimalNumbers", "percentageDifference")
_CONDITIONS = (
    (b"If-Match", b"*"),
    (b"If-Match", b'"none", W/"weak"'),
    (b"If-None-Match", b"*"),
)
_FILTERS = (
    "id==fuzz-1",
    "id=in=(fuzz-1,fuzz-2)",
    "descriptions=ilike=fuzz",
    "descriptions.en!='Fuzz 1',id=gt=fuzz-2",
    "updateInfo.date=ge=2026-01-01;description=isnull=false",
)
_SORTS = ("id", "-id", "descriptions.en:desc,id")
# What is read beside the dimensions.
_COMPANIONS = (
    "/health/live", "/health/ready", "/openapi/currency.json", "/openapi/account.yaml",
    "/docs/account", "/", "/admin/login/", "/admin/", "/static/site/icon.svg", "/metrics",
)  # fmt: skip
