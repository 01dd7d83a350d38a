"""A service with two tenants: one attacks, and the other reads and writes meanwhile."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from http.client import HTTPException
from pathlib import Path

from tests.services.clerk import errand, prepare
from tests.services.database import migrated_database
from tests.services.fronted import fronted
from tests.services.service import Answer, Service, serving
from tests.services.worker import RunningWorker, working

# The shipped rates, and nginx on this machine as the proxy that says from where a call comes.
VARIABLES = {
    "WEB_CONCURRENCY": "2",
    "WEB_THREADS": "4",
    "TRUSTED_PROXIES": "127.0.0.1",
    "THROTTLE_CALLS": "60000/minute",
    "THROTTLE_BULK": "6000/minute",
    "THROTTLE_ADMIN": "300/minute",
}
_PAUSE = 0.02


@dataclass(frozen=True)
class Scale:
    """The amounts of an attack."""

    seconds: float
    elements: int
    rows: int
    attribute_names: int
    shared_texts: int
    silent: int
    bulk: int
    login_attempts: int
    # In bytes, decompressed.
    body_sizes: tuple[int, ...]


FULL = Scale(10, 211, 100_000, 3_000_000, 1_900_000, 1_000, 100_000, 150, (63 * 1024**2, 512 * 1024**2))
SHORT = Scale(0.3, 4, 500, 50_000, 10_000, 200, 2_000, 4, (1024**2,))


@dataclass(frozen=True)
class Scene:
    """A running service as the attacker and as the other tenant call it, and the attacker's credentials."""

    scale: Scale
    database: str
    # As its processes are; it may be called through nginx.
    attacker: Service
    other: Service
    worker: RunningWorker
    # The attacker's cookie in the administration, their repository's name in the form of imports, and a page.
    session: str
    target: str
    largest: str


@contextmanager
def scene(folder: Path, server_url: str, scale: Scale, *, behind_nginx: bool) -> Iterator[Scene]:
    """The service with its worker and both tenants."""
    with ExitStack() as running:
        url = running.enter_context(migrated_database(folder, server_url))
        prepare(url)
        known = json.loads(errand(url, f"from tests.load.attacks.people import settle; settle({scale.elements})"))
        key = known["attacker"]
        if behind_nginx:
            service = running.enter_context(fronted(url, key, folder, **VARIABLES))
        else:
            service = running.enter_context(serving(url, key, folder, **VARIABLES))
        worker = running.enter_context(working(url, folder))
        other = replace(service, key=known["other"])
        session = f"sessionid={known['session']}"
        yield Scene(scale, url, service, other, worker, session, known["target"], known["largest"])


@dataclass
class Meanwhile:
    """How long the other tenant's calls took, in seconds, and which of them were not answered as they should be."""

    reads: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)


@contextmanager
def living(other: Service) -> Iterator[Meanwhile]:
    """The other tenant, who reads an account and saves a currency again and again, until the block ends."""
    seen, over = Meanwhile(), threading.Event()

    def read() -> Answer:
        return other.send("GET", "/dimensions/v1/contoso/account/elements/1000")

    def write() -> Answer:
        body = {"descriptions": {"en": "Euro"}, "decimalNumbers": len(seen.writes) % 20, "percentageDifference": "0"}
        return other.send("PUT", "/api/aih/dimensions/v1/contoso/currency/elements/EUR", body)

    def live() -> None:
        while not over.is_set():
            _time(seen.reads, seen, read)
            _time(seen.writes, seen, write)
            time.sleep(_PAUSE)

    thread = threading.Thread(target=live)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def _time(durations: list[float], seen: Meanwhile, call: Callable[[], Answer]) -> None:
    begin = time.monotonic()
    try:
        status = call().status
    except (OSError, HTTPException):
        status = 0
    durations.append(time.monotonic() - begin)
    if status not in (200, 201):
        seen.failed[f"{status or 'no answer'}"] += 1


def repeatedly(clients: int, seconds: float, call: Callable[[int], object]) -> Counter[str]:
    """Have that many clients call for so long, each at least once; return how often what was answered.

    `call` gets a number of its own each time, and returns a status.
    """
    outcomes: Counter[str] = Counter()
    until = time.monotonic() + seconds

    def work(client: int) -> None:
        number = client
        while number == client or time.monotonic() < until:
            try:
                outcome = str(call(number))
            except (OSError, HTTPException):
                outcome = "no answer"
            outcomes[outcome] += 1
            number += clients

    with ThreadPoolExecutor(clients) as threads:
        for each in [threads.submit(work, client) for client in range(clients)]:
            each.result()
    return outcomes
