"""schemathesis calls the operations of our documents in sequences: what one answers is what the next one asks for."""

from collections import Counter
from contextlib import suppress
from random import Random
from typing import Any

import hypothesis
import schemathesis
from hypothesis.errors import Flaky
from schemathesis.config import SchemathesisConfig
from schemathesis.core.transport import Response

from tests.load.fuzz.answers import Reply, complaint
from tests.load.fuzz.connection import TIMEOUT
from tests.services.service import Service

_DOCUMENTS = ("currency", "account")
_STEPS = 10
# The sequences find what is stored and write it, so they have a repository of their own.
REPOSITORY = "fabrikam"
# The client's key is sent with every call.
_CONFIGURATION = {"generation": {"with-security-parameters": False}}
# How many of the calls go there: in nearly any other repository they are only ever answered 404.
_OWN = 0.9


def _settings(calls: int) -> hypothesis.settings:
    """For at most about that many calls."""
    return hypothesis.settings(
        max_examples=max(1, calls // _STEPS),
        stateful_step_count=_STEPS,
        deadline=None,
        database=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )


class Sequences:
    """Makes about `count` calls in sequences of ten, half of them of each document; keeps what was answered."""

    def __init__(self, service: Service, count: int, seed: int) -> None:
        self.statuses: Counter[int] = Counter()
        self.findings: list[str] = []
        self._random = Random(seed)
        for number, document in enumerate(_DOCUMENTS, start=1):
            machine = self._machine(service, document)
            while (left := count * number // len(_DOCUMENTS) - self.statuses.total()) > 0:
                # What is stored grows, so a repeated sequence may continue differently.
                with suppress(Flaky):
                    hypothesis.seed(seed)(machine).run(settings=_settings(left))
                seed += 1

    def _machine(self, service: Service, document: str) -> Any:
        answer = service.send("GET", f"/openapi/{document}.json")
        assert answer.status == 200, answer
        schema = schemathesis.openapi.from_dict(answer.json(), config=SchemathesisConfig.from_dict(_CONFIGURATION))
        schema.config.update(base_url=f"http://127.0.0.1:{service.port}")
        methods = {
            "before_call": lambda _, case: self._enter(case),
            "get_call_kwargs": lambda _, case: {"headers": {"X-API-Key": service.key}, "timeout": TIMEOUT},
            "validate_response": lambda _, response, case, **named: self._note(response, case),
        }
        return type("Machine", (schema.as_state_machine(),), methods)

    def _enter(self, case: schemathesis.Case) -> None:
        if self._random.random() < _OWN:
            case.path_parameters["dbID"] = REPOSITORY

    def _note(self, response: Response, case: schemathesis.Case) -> None:
        self.statuses[response.status_code] += 1
        headers = {name.lower(): ", ".join(values) for name, values in response.headers.items()}
        reply = Reply(response.status_code, headers, response.content)
        finding = complaint(reply, case.formatted_path.encode(), to_head=case.method == "HEAD")
        if finding:
            self.findings.append(f"{finding}: {case.as_curl_command()}")
