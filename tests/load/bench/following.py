"""How fast a client follows what changes, reads the chart as it was, and compares: only the service can."""

import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from tests.load.bench.addresses import MEASURED, SAVED
from tests.load.bench.bodies import accounts, bulk, identifier
from tests.load.bench.contestants import Contestant
from tests.load.bench.load import drain, rate, request

ROWS = ("poll", "compare", "changes", "as-of", "as-of-10", "compare-two")
_ELEMENTS = f"/dimensions/v1/{SAVED}/account/elements"
_FEW = 100
_OFTEN = 10


def followed(service: Contestant, count: int, connections: int, seconds: float) -> Iterator[tuple[str, float]]:
    """The measurements of `ROWS`, in a repository of `count` accounts that this fills and changes."""
    half = count // 2
    _save(service, count, half, changed=False)
    start = _token(service)
    yield "poll", _rate(service, "-changes", connections, seconds, since=start)
    _patch(service, _FEW)
    yield "compare", _rate(service, "-compare", connections, seconds, **{"from": start})
    yield "compare-two", count / _drained(service, "-compare", fromRepository=MEASURED)
    before = _token(service)
    _save(service, half, half, changed=True)
    yield "changes", half / _drained(service, "-changes", since=before)
    before = _token(service)
    _patch(service, count // 100)
    yield "as-of", count / _drained(service, "", asOf=before)
    for turn in range(_OFTEN):
        _save(service, count, half, changed=turn % 2 == 0)
    yield "as-of-10", count / _drained(service, "", asOf=start)


def _save(service: Contestant, count: int, size: int, *, changed: bool) -> None:
    for first in range(0, count, size):
        body = bulk("put", accounts(size, first=first, changed=changed))
        service.call("POST", service.addresses.of("bulk", SAVED), body)


def _patch(service: Contestant, count: int) -> None:
    data = {"documentationLink": f"https://example.com/{time.time_ns()}"}
    patches: Iterator[Mapping[str, Any]] = (
        {"key": {"id": identifier(number)}, "data": data} for number in range(count)
    )
    service.call("POST", service.addresses.of("bulk", SAVED), bulk("patch", patches))


def _token(service: Contestant) -> str:
    return service.header("Sync-Token", f"{_ELEMENTS}?take=1")


def _rate(service: Contestant, route: str, connections: int, seconds: float, **query: str) -> float:
    asked = request("GET", f"{_ELEMENTS}{route}?{urlencode(query)}", service.credentials)
    return rate(service.port, [asked], connections=connections, seconds=seconds).per_second


def _drained(service: Contestant, route: str, **query: str) -> float:
    asked = request("GET", f"{_ELEMENTS}{route}?{urlencode(query)}", service.credentials, last=True)
    return drain(service.port, asked)
