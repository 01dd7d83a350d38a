"""An unresponsive host delays only some clients, and none for long."""

import base64
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest
from django.db import connection

from dimensions_site.elements.reading.replicas import available
from tests.services.service import serving

PATH = "/dimensions/v1/northwind/account/elements-count"
ALICE = {"X_API_Key": "", "Authorization": f"Basic {base64.b64encode(b'alice:alice-password').decode()}"}
ALONE = {"WEB_CONCURRENCY": "1"}
THREADS = 4


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """Whoever connects here is never answered."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        listener.setblocking(False)
        yield listener


def programs(listener: socket.socket) -> list[socket.socket]:
    """The connections that were made since."""
    found = []
    while True:
        try:
            found.append(listener.accept()[0])
        except BlockingIOError:
            return found


@pytest.mark.contract("G1")
def test_a_call_asks_a_silent_cache_once(prepared: tuple[str, str], silent: socket.socket, tmp_path: Path):
    """It would try several times, each of which takes a second, and so would the calls after it."""
    port = silent.getsockname()[1]
    with serving(*prepared, tmp_path, CACHE_URL=f"redis://127.0.0.1:{port}", **ALONE) as service:
        assert service.send("GET", PATH, **ALICE).status == 200
        (asking,) = programs(silent)
        asking.close()
        assert service.log.read_text().count("cache_unavailable") == 1


def test_of_a_replica_that_was_lost_one_thread_at_a_time_asks(monkeypatch: pytest.MonkeyPatch):
    """If everybody retried, the whole service would wait for it again and again."""
    kind = type(available)
    monkeypatch.setattr(kind, "is_lost", True)
    monkeypatch.setattr(kind, "not_before", 0.0)
    together = Barrier(THREADS)

    def ask() -> bool:
        together.wait()
        return available.may_be_asked()

    with ThreadPoolExecutor(THREADS) as threads:
        tried = [threads.submit(ask) for _ in range(THREADS)]
        assert sorted(trial.result() for trial in tried) == [False] * (THREADS - 1) + [True]
        assert not available.may_be_asked()
        available.find()
        found = [threads.submit(ask) for _ in range(THREADS)]
        assert all(trial.result() for trial in found)


if connection.vendor == "postgresql":

    @pytest.mark.contract("H3")
    def test_the_health_of_the_service_does_not_wait_for_a_silent_replica(
        prepared: tuple[str, str], silent: socket.socket, tmp_path: Path
    ):
        """Its clients, such as load balancers, seldom wait as long as it takes to give the replica up."""
        url = f"postgresql://alice@127.0.0.1:{silent.getsockname()[1]}/replica"
        with serving(*prepared, tmp_path, REPLICA_URL=url, **ALONE) as service:
            ready = service.send("GET", "/health/ready").json()
            (asking,) = programs(silent)
            with closing(asking):
                asking.setblocking(False)
                assert asking.recv(1_000)
                with pytest.raises(BlockingIOError):  # it still waits
                    asking.recv(1)
            assert ready["checks"]["replica"] == "unavailable; elements are read from the primary"
            assert service.send("GET", PATH).status == 200
