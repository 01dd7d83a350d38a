"""Callers who keep their connections are shared among the web processes, and none waits for one that hangs."""

import os
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from tests.live.certificates import make_certificate
from tests.live.hasty_worker import GentleWorker, SharingWorker
from tests.live.service import Service, free_port, serving
from tests.live.worker import wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="counts connections in /proc")
GENTLE = {"GUNICORN_CMD_ARGS": "--worker-class tests.live.hasty_worker.GentleWorker --keep-alive 120"}
REQUEST = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
CALLERS = 12
# Processes look at each other's figures without waiting for each other, so one may take a connection too many.
FEWEST = 4


@pytest.fixture
def gentle(prepared: tuple[str, str], tmp_path: Path) -> Iterator[Service]:
    """The service with two processes that both take connections, and keep them."""
    with serving(*prepared, tmp_path, WEB_CONCURRENCY="2", **GENTLE) as service:
        wait_until(lambda: both_take(service), "The second process takes nobody")
        yield service


def both_take(service: Service) -> bool:
    """Whether there are two processes, and of two callers each one has one."""
    with callers(service, 2):
        return shares(service) == [1, 1]


@contextmanager
def callers(service: Service, count: int) -> Iterator[Sequence[socket.socket]]:
    """So many callers who come at the same moment, get an answer, and keep their connections until the block ends."""
    with ExitStack() as stack:
        connections = [
            stack.enter_context(socket.create_connection(("127.0.0.1", service.port), timeout=60)) for _ in range(count)
        ]
        for connection in connections:
            connection.sendall(REQUEST)
        assert all(connection.recv(4_096).startswith(b"HTTP/1.1 200") for connection in connections)
        yield connections
    wait_until(lambda: sum(shares(service)) == 0, "Connections stay open")


def shares(service: Service) -> list[int]:
    """How many connections to its port each process has, the one with the fewest first."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    port = f"{service.port:04X}"
    links = {f"socket:[{row[9]}]" for row in rows if row[1].endswith(port) and not row[2].endswith(":0000")}
    return sorted(len(links & opened(pid)) for pid in service.workers())


def opened(pid: int) -> set[str]:
    """What files the process has open, as the system names them; none when it has ended."""
    links = set()
    with suppress(OSError):
        for file in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                links.add(str(file.readlink()))
    return links


def test_callers_who_come_together_are_shared(gentle: Service):
    """Each time, though gunicorn alone would let the first process that wakes up take all that are there."""
    for _ in range(5):
        with callers(gentle, CALLERS):
            fewer, _ = shares(gentle)
            assert fewer >= FEWEST


def test_a_newcomer_goes_to_the_process_that_has_fewer(gentle: Service):
    """One after another: neither ever has two more than the other."""
    with ExitStack() as stack:
        for _ in range(CALLERS):
            stack.enter_context(callers_who_stay(gentle))
            fewer, more = shares(gentle)
            assert more - fewer <= 1


@contextmanager
def callers_who_stay(service: Service) -> Iterator[None]:
    """One more caller, whose end nobody waits for."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
        connection.sendall(REQUEST)
        assert connection.recv(4_096).startswith(b"HTTP/1.1 200")
        yield


def test_nobody_waits_for_a_process_that_hangs(gentle: Service):
    """It has fewer connections, and takes none: the other one takes all."""
    hanging, _ = gentle.workers()
    os.kill(hanging, signal.SIGSTOP)
    try:
        with callers(gentle, CALLERS):
            assert shares(gentle) == [0, CALLERS]
        assert gentle.send("GET", "/health/live").status == 200
    finally:
        os.kill(hanging, signal.SIGCONT)


def test_a_new_process_gets_the_newcomers(prepared: tuple[str, str], tmp_path: Path):
    """One after another, until it has as many as the one that was there before."""
    sharing = {"GUNICORN_CMD_ARGS": "--worker-class tests.live.hasty_worker.SharingWorker --keep-alive 120"}
    with serving(*prepared, tmp_path, WEB_CONCURRENCY="2", **sharing) as service:
        wait_until(lambda: both_take(service), "The second process takes nobody")
        old, _ = service.workers()
        os.kill(old, signal.SIGSTOP)
        with ExitStack() as stack:
            for _ in range(CALLERS):
                stack.enter_context(callers_who_stay(service))
            os.kill(old, signal.SIGKILL)
            wait_until(lambda: goes_to_the_new_one(service), "There is no new process")
            for _ in range(CALLERS):
                time.sleep(SharingWorker.seconds_for_others)
                stack.enter_context(callers_who_stay(service))
            fewer, _ = shares(service)
            assert fewer >= CALLERS * 3 // 4


def goes_to_the_new_one(service: Service) -> bool:
    """Whether there is one, and somebody who comes is alone with it."""
    with callers_who_stay(service):
        return shares(service)[0] == 1


@pytest.mark.parametrize("how", ["killed", "reloaded"])
def test_processes_that_have_ended_do_not_count(gentle: Service, how: str):
    """They had no connections, and would have the fewest for ever."""
    before = set(gentle.workers())
    if how == "killed":
        os.kill(min(before), signal.SIGKILL)
    else:
        os.kill(gentle.pid, signal.SIGHUP)
    gone = before if how == "reloaded" else {min(before)}
    wait_until(lambda: not gone & set(gentle.workers()) and both_take(gentle), "Nobody takes their place")
    start = time.monotonic()
    for _ in range(5):
        with callers(gentle, CALLERS):
            fewer, _ = shares(gentle)
            assert fewer >= FEWEST
    # Nobody was left to them, each time, for as long as they may take.
    assert time.monotonic() - start < 5 * GentleWorker.seconds_for_others


def test_a_process_may_be_told_to_end_while_it_leaves_somebody_to_others(prepared: tuple[str, str], tmp_path: Path):
    """It ends as at any other moment, and whoever comes is answered."""
    ending = {"GUNICORN_CMD_ARGS": "--worker-class tests.live.hasty_worker.EndingWorker --keep-alive 120"}
    with serving(*prepared, tmp_path, WEB_CONCURRENCY="2", **ending) as service, ExitStack() as stack:
        before = set(service.workers())
        while before <= set(service.workers()):
            stack.enter_context(callers_who_stay(service))
            time.sleep(0.05)  # it takes some time to end
        log = service.log.read_text()
        assert "Worker exiting" in log
        assert "Exception" not in log


def test_callers_who_go_before_they_have_said_anything_count_once(prepared: tuple[str, str], tmp_path: Path):
    """Watchers that only look whether the port of TLS is open; gunicorn counts the end of such a connection twice.

    The process that they were with would then have fewer connections than none, and get all callers.
    """
    certificate, port = make_certificate(tmp_path), free_port()
    safe = {
        "TLS_BIND": f"127.0.0.1:{port}",
        "TLS_CERTFILE": str(certificate.file),
        "TLS_KEYFILE": str(certificate.key),
        **GENTLE,
    }
    with serving(*prepared, tmp_path, WEB_CONCURRENCY="2", **safe) as service:
        wait_until(lambda: both_take(service), "The second process takes nobody")
        before = service.workers()
        # One of the two gets nearly all of them if they count twice, and after them all who call.
        for _ in range(2 * CALLERS):
            go_without_a_word(port)
        with callers(service, CALLERS):
            fewer, _ = shares(service)
            assert fewer >= FEWEST
        assert service.workers() == before


def go_without_a_word(port: int) -> None:
    """Connect, say that nothing will come, and return when the other side has closed the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(64):
            pass  # it complains first, in the words of TLS
