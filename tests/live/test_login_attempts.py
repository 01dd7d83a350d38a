"""Wrong passwords at the running service, with two web processes behind a proxy."""

import base64
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.services.own_redis import own_redis
from tests.services.service import Answer, Service, free_port, serving

pytestmark = pytest.mark.contract("G1")

PATH = "/dimensions/v1/northwind/account/elements-count"
ATTEMPTS, REFUSALS, THREADS, PROCESSES = 5, 15, 8, 2
DAY, LONGEST_TEST = 86400, 60  # seconds
# The proxy, which is the test, says from which address a call comes.
SETTINGS = {
    "WEB_CONCURRENCY": str(PROCESSES),
    "WEB_THREADS": str(THREADS // PROCESSES),
    "LOGIN_ATTEMPTS": str(ATTEMPTS),
    "TRUSTED_PROXIES": "127.0.0.1",
    "THROTTLE_REFUSED": f"{REFUSALS}/day",
}


@pytest.fixture(autouse=True)
def no_midnight() -> None:
    """Refusals are counted by the day of the clock, so a test that would run past its end begins after it."""
    left = DAY - time.time() % DAY
    if left < LONGEST_TEST:
        time.sleep(left)


@pytest.fixture(scope="module")
def guarded(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Two processes with four threads each, and no Redis."""
    with serving(*prepared, tmp_path_factory.mktemp("guarded"), **SETTINGS) as service:
        yield service


def call(service: Service, name: str, password: str, address: str) -> Answer:
    credentials = base64.b64encode(f"{name}:{password}".encode()).decode()
    return service.send("GET", PATH, X_API_Key="", Authorization=f"Basic {credentials}", X_Forwarded_For=address)


def test_an_attacker_is_locked_out_by_all_processes_and_the_right_client_continues(guarded: Service):
    """After five wrong passwords, whichever process checked them; a forged header in front changes nothing."""
    assert call(guarded, "alice", "alice-password", "192.0.2.1").status == 200
    answers = [call(guarded, "alice", f"wrong {number}", "192.0.2.66") for number in range(12)]
    assert [answer.status for answer in answers] == [401] * (ATTEMPTS - 1) + [429] * 8
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 900
    for forged in ("192.0.2.1, 192.0.2.66", "198.51.100.7, 192.0.2.66"):
        assert call(guarded, "alice", "alice-password", forged).status == 429
    for _ in range(8):
        assert call(guarded, "alice", "alice-password", "192.0.2.1").status == 200
        assert guarded.send("GET", PATH, X_Forwarded_For="192.0.2.66").status == 200  # with her key


def test_concurrent_login_attempts_are_counted_each(guarded: Service):
    """No more are checked than are allowed, and one for each thread that had begun before."""
    with ThreadPoolExecutor(THREADS) as attackers:
        attempts = [attackers.submit(call, guarded, "rita", f"wrong {number}", "192.0.2.67") for number in range(30)]
        statuses = Counter(attempt.result().status for attempt in attempts)
    assert set(statuses) == {401, 429}
    assert statuses[401] < ATTEMPTS + THREADS
    assert call(guarded, "rita", "wrong", "192.0.2.67").status == 429


def test_many_names_from_one_address_are_slowed_down_too(guarded: Service):
    """Each process checks the same number of passwords from one address, whatever the names are."""
    with ThreadPoolExecutor(THREADS) as attackers:
        attempts = [attackers.submit(call, guarded, f"name {number}", "wrong", "192.0.2.68") for number in range(80)]
        answers = [attempt.result() for attempt in attempts]
    codes = Counter(answer.json()["code"] for answer in answers)
    assert set(codes) == {"AUTHENTICATION_FAILED", "TOO_MANY_REFUSALS"}
    assert codes["AUTHENTICATION_FAILED"] <= PROCESSES * REFUSALS + THREADS
    assert all("Retry-After" in answer.headers for answer in answers if answer.status == 429)
    assert call(guarded, "alice", "alice-password", "192.0.2.1").status == 200


def test_with_redis_all_processes_count_together(prepared: tuple[str, str], tmp_path: Path):
    """Exactly as many refusals as the rate says, though eight threads of two processes count at the same moment."""
    port = free_port()
    settings = {**SETTINGS, "CACHE_URL": f"redis://127.0.0.1:{port}"}
    with own_redis(tmp_path, port), serving(*prepared, tmp_path, **settings) as service:

        def come(number: int) -> int:
            return service.send("GET", PATH, X_API_Key=f"wrong {number}", X_Forwarded_For="192.0.2.69").status

        with ThreadPoolExecutor(THREADS) as attackers:
            statuses = Counter(attackers.map(come, range(80)))
        assert statuses == {401: REFUSALS, 429: 80 - REFUSALS}
        assert service.send("GET", PATH, X_Forwarded_For="192.0.2.69").status == 200
