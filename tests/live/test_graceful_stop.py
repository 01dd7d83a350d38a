"""SIGTERM to the web server: running responses are completed, and no new client is accepted."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.services.bulk_state import Counts, counts, marked
from tests.services.clerk import prepare
from tests.services.database import migrated_database
from tests.services.holding_worker import HoldingWorker
from tests.services.long_reads import BASE, HEAVY, LIGHT, fill_heavily
from tests.services.service import PROJECT, Answer, Service, environment, free_port, serving
from tests.services.worker import is_alive, wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the processes in /proc")
LIST = "/dimensions/v1/northwind/account/elements"
# Accounts of a bulk save that takes some moments.
SOME = 2_000


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A database with so many texts that a list of them fits into no buffer: 18 MB."""
    folder = tmp_path_factory.mktemp("long lists")
    with migrated_database(folder, os.environ.get("DATABASE_URL", "")) as url:
        key = prepare(url)
        fill_heavily(url)
        yield url, key


def bulk(service: Service, mark: str) -> Answer:
    """Save some accounts; the mark is the id of the request, too."""
    body = {"post": [marked(f"{mark}-{number}", mark) for number in range(SOME)]}
    return service.send("POST", f"{LIST}-bulk", body, X_Request_ID=mark)


@contextmanager
def reading(service: Service) -> Iterator[HTTPConnection]:
    """A client that has requested the long list."""
    connection = HTTPConnection("127.0.0.1", service.port, timeout=60)
    try:
        connection.request("GET", f"{BASE}/elements", headers={"X-API-Key": service.key})
        yield connection
    finally:
        connection.close()


def status_of(service: Service) -> int:
    """With which status the server has ended, as soon as it has; who started it can still wait for it."""
    wait_until(lambda: not is_alive(service.pid), "It does not end")
    ended = os.waitid(os.P_PID, service.pid, os.WEXITED | os.WNOWAIT)
    assert ended is not None
    return ended.si_status


def refuses(service: Service) -> bool:
    with socket.socket() as program:
        return program.connect_ex(("127.0.0.1", service.port)) != 0


@pytest.mark.contract("D7", "E2")
def test_what_has_begun_is_answered_to_its_end(prepared: tuple[str, str], tmp_path: Path):
    """A long list that is read slowly and a bulk save; new clients are refused at once, and the status is 0."""
    talkative = {"LOG_LEVEL": "DEBUG"}
    with (
        serving(*prepared, tmp_path, **talkative) as service,
        reading(service) as reader,
        ThreadPoolExecutor(1) as pool,
    ):
        response = reader.getresponse()
        text = response.read(100_000)
        saving = pool.submit(bulk, service, "begun-bulk-save")
        wait_until(lambda: "begun-bulk-save" in service.log.read_text(), "Nothing is saved")
        os.kill(service.pid, signal.SIGTERM)
        wait_until(lambda: refuses(service), "New clients get in", timeout=25)
        assert is_alive(service.pid)
        assert saving.result().status == 200
        assert len(json.loads(text + response.read())) == LIGHT + HEAVY
        assert status_of(service) == 0
        assert counts(prepared[0], "begun-bulk-save") == Counts(SOME, SOME, SOME)


@pytest.mark.contract("E2")
def test_what_takes_too_long_is_broken_off_and_leaves_nothing(prepared: tuple[str, str], tmp_path: Path):
    """A supervisor waits no longer for a server than the server's own limit."""
    hasty = {"GUNICORN_CMD_ARGS": "--graceful-timeout 1 --worker-class tests.services.holding_worker.HoldingWorker"}
    with serving(*prepared, tmp_path, **hasty) as service, ThreadPoolExecutor(1) as pool:
        saving = pool.submit(bulk, service, "late")
        wait_until((tmp_path / HoldingWorker.HELD).exists, "Nothing is saved")
        begin = time.monotonic()
        os.kill(service.pid, signal.SIGTERM)
        assert status_of(service) == 0
        assert time.monotonic() - begin < 25  # usually it is half a minute
        assert saving.exception() is not None
    assert counts(prepared[0], "late") == Counts(0, 0, 0)


def test_a_client_with_a_kept_connection_loses_no_request(prepared: tuple[str, str], tmp_path: Path):
    """Each request sent on it is answered, and the last response announces the end of the connection."""
    # Otherwise it would be closed whenever this process did not get a processor for five seconds.
    patient = {"GUNICORN_CMD_ARGS": "--keep-alive 120"}
    with serving(*prepared, tmp_path, **patient) as service:
        connection = HTTPConnection("127.0.0.1", service.port, timeout=60)
        statuses = []
        for number in range(2_000):
            if number == 20:
                os.kill(service.pid, signal.SIGTERM)
            connection.request("GET", f"{LIST}-count", headers={"X-API-Key": service.key})
            response = connection.getresponse()
            response.read()
            statuses.append(response.status)
            if response.getheader("Connection") == "close":
                break
        assert set(statuses) == {200}
        assert 20 < len(statuses) < 2_000
        wait_until(lambda: refuses(service), "New clients get in", timeout=25)  # at the sockets of all its processes


# The project's configuration, and SIGTERM to the service just before it starts its second worker, after which gunicorn
# would wait for up to a tenth of a second.
ENDED_AT_THE_START = """
exec(Path(PROJECT, "gunicorn.conf.py").read_text())

def pre_fork(server, worker):
    if worker.age == 2:
        random.random = lambda: 0
        os.kill(os.getpid(), signal.SIGTERM)
"""


def test_a_worker_that_is_just_starting_keeps_nobody_waiting(prepared: tuple[str, str], tmp_path: Path):
    """It does not listen to signals yet; the others have nothing to do."""
    configuration = tmp_path / "gunicorn.conf.py"
    imports = f"import os, random, signal\nfrom pathlib import Path\nPROJECT = {str(PROJECT)!r}\n"
    configuration.write_text(imports + ENDED_AT_THE_START)
    command = [sys.executable, "-m", "gunicorn", "-c", str(configuration), "dimensions_site.wsgi"]
    variables = environment(prepared[0], PORT=str(free_port()))
    done = subprocess.run(command, cwd=tmp_path, env=variables, stderr=subprocess.DEVNULL, timeout=25, check=False)
    assert done.returncode == 0
