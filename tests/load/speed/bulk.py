"""How fast many large accounts are saved in one call, beside what the database alone takes for the same rows.

    DATABASE_URL=postgresql://… python -m tests.load.speed.bulk 10000 100000

prints a table. The floor is the upsert of the same prepared rows by one process: COPY into a temporary table and INSERT
… ON CONFLICT on PostgreSQL, executemany … ON CONFLICT on SQLite, into a table of the same shape with the same
indexes. The service's results are those of a client on the same machine: they hold sending the body, checking it, the
history, and reading the answer to its end. Memory is the web process's peak above idle (Linux).
"""

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.load.memory import SINGLE, Peak
from tests.services.big_bodies import accounts
from tests.services.clerk import errand, prepare
from tests.services.database import migrated_database
from tests.services.service import Service, serving

DB_ID = "northwind"
PATH = f"/dimensions/v1/{DB_ID}/account/elements-bulk"
_TIMEOUT = 1800


@dataclass(frozen=True)
class Measurement:
    """What one call took: seconds, the lengths of body and answer in bytes, and the memory at its peak in KiB."""

    seconds: float
    body: int
    answer: int
    peak: int


def body(operation: str, elements: Iterator[Any]) -> bytes:
    """The bulk body with that one operation."""
    return f'{{"{operation}":[{",".join(json.dumps(each, ensure_ascii=False) for each in elements)}]}}'.encode()


def call(
    service: Service, sent: bytes, query: str = "", path: str = PATH, refusal: int = 0, **headers: str
) -> Measurement:
    """Send a bulk body, or another one to `path`, and read the answer through. The service is a `SINGLE` one.

    The call succeeds, or has the status of the `refusal`.
    """
    peak = Peak(service)
    connection = HTTPConnection("127.0.0.1", service.port, timeout=_TIMEOUT)
    start = time.perf_counter()
    try:
        described = {"X-API-Key": service.key, "Content-Type": "application/json"}
        described |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("POST", f"{path}{query}", sent, described)
        response = connection.getresponse()
        first = response.read(2_000)
        assert response.status in ((refusal,) if refusal else (200, 201)), first
        answer = len(first)
        while piece := response.read(65536):
            answer += len(piece)
    finally:
        connection.close()
    return Measurement(time.perf_counter() - start, len(sent), answer, peak.above_idle())


def main(counts: Sequence[int]) -> None:
    """Measure every kind of call for each number of accounts, on the database that DATABASE_URL names the kind of."""
    for count in counts:
        with (
            TemporaryDirectory() as folder,
            migrated_database(Path(folder), os.environ.get("DATABASE_URL", "")) as url,
            serving(url, prepare(url), Path(folder), **SINGLE) as service,
        ):
            _measure(service, url, count)


def _measure(service: Service, url: str, count: int) -> None:
    warm_up = body("put", accounts(100, first=10_000_000))
    call(service, warm_up)
    floor = raw_upsert_seconds(url, count)
    post = body("post", accounts(count))
    _print(url, "dry run", count, call(service, post, "?dryRun=true"), floor["insert"])
    _print(url, "post", count, call(service, post), floor["insert"])
    _print(url, "put, unchanged", count, call(service, body("put", accounts(count))), floor["update"])
    _print(url, "put, changed", count, call(service, body("put", accounts(count, changed=True))), floor["update"])
    patches = ({"key": {"id": each["id"]}, "data": {"documentationLink": "x"}} for each in accounts(count))
    _print(url, "patch", count, call(service, body("patch", patches)), floor["update"])


def raw_upsert_seconds(url: str, count: int) -> dict[str, float]:
    """What the database alone takes for the rows of `accounts(count)`."""
    code = f"from tests.load.speed.raw_upsert import measure; measure({count})"
    return dict(json.loads(errand(url, code)))


def _print(url: str, name: str, count: int, measurement: Measurement, floor: float) -> None:
    sys.stdout.write(
        f"{url.partition(':')[0]:10} {name:15} {count:8,} accounts {measurement.body / 1e6:7.1f} MB"
        f" {measurement.seconds:7.2f} s {count / measurement.seconds:9,.0f} /s, raw upsert {floor:6.2f} s, ratio"
        f" {measurement.seconds / floor:5.2f}, {measurement.peak / 1024:7.1f} MiB above idle ="
        f" {measurement.peak * 1024 / measurement.body:5.2f} of the body\n"
    )
    sys.stdout.flush()


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])
