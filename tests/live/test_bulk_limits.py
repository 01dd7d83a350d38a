"""Bulk saves through a real server: compressed and chunked bodies, and the limits that operators set."""

import gzip
import json
from collections.abc import Iterator

import pytest

from tests.factories import account, json_bytes
from tests.services.service import Service, serving

BULK = "/dimensions/v1/northwind/account/elements-bulk"
COUNT = "/dimensions/v1/northwind/account/elements-count"
BODY_SIZE, ELEMENTS = 100_000, 50


@pytest.fixture(scope="module")
def limited(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service whose operator has set low limits."""
    limits = {"API_MAX_BULK_BODY_SIZE": str(BODY_SIZE), "API_MAX_BULK_ELEMENTS": str(ELEMENTS)}
    with serving(*prepared, tmp_path_factory.mktemp("limited"), WEB_CONCURRENCY="1", **limits) as running:
        yield running


def body(name: str, count: int, text: str = "x") -> bytes:
    return json_bytes({"put": [account(f"{name}-{number}", documentationLink=text) for number in range(count)]})


@pytest.mark.contract("B3")
@pytest.mark.parametrize("compressed", [False, True], ids=["as it is", "compressed"])
def test_a_body_sent_in_chunks_is_read_like_any_other(service: Service, compressed: bool):
    """Compressed or not; the response is complete."""
    sent = body(f"chunked-{compressed}", 300)
    pieces = gzip.compress(sent) if compressed else sent
    chunks = iter([pieces[start : start + 5_000] for start in range(0, len(pieces), 5_000)])

    answer = service.send("POST", BULK, chunks, **({"Content_Encoding": "gzip"} if compressed else {}))

    assert answer.status == 200
    assert int(answer.headers["Content-Length"]) == len(answer.body)
    assert [element["id"] for element in answer.json()] == [element["id"] for element in json.loads(sent)["put"]]


@pytest.mark.contract("B3")
def test_a_larger_body_than_the_operator_accepts_is_413(limited: Service):
    """Announced, in chunks, and compressed; the largest that is accepted is saved."""
    before = limited.send("GET", COUNT).json()
    fitting = body("fitting", 40)
    fitting += b" " * (BODY_SIZE - len(fitting))
    larger = fitting + b" "

    for answer in (
        limited.send("POST", BULK, larger),
        limited.send("POST", BULK, iter([larger[:60_000], larger[60_000:]])),
        limited.send("POST", BULK, gzip.compress(larger), Content_Encoding="gzip"),
    ):
        assert (answer.status, answer.json()["code"]) == (413, "BODY_TOO_LARGE")
        assert "100,000 bytes" in answer.json()["detail"]
    assert limited.send("GET", COUNT).json() == before

    assert limited.send("POST", BULK, fitting).status == 200
    assert limited.send("GET", COUNT).json() == before + 40


@pytest.mark.contract("E1")
def test_more_elements_than_the_operator_accepts_are_refused(limited: Service):
    """The message has the limit."""
    assert limited.send("POST", BULK, body("many", ELEMENTS)).status == 200

    refused = limited.send("POST", BULK, body("many", ELEMENTS + 1))

    assert (refused.status, refused.json()["code"]) == (400, "TOO_MANY_ELEMENTS")
    assert "more than 50 elements" in refused.json()["detail"]
