"""Metrics of several processes, one of which is killed, in one response; on a separate port only."""

import json
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.live.test_exposure import ANYWHERE
from tests.live.test_start import COMMANDS, start
from tests.services.clerk import errand
from tests.services.deployment import started, wait_for
from tests.services.front import SECRET_KEY
from tests.services.service import Answer, Service, free_port, serving
from tests.services.worker import delete, fill, is_alive, wait_until, working

# Where gunicorn.conf.py has them made.
FOLDERS = Path("/dev", "shm")
COUNT = "/api/aih/dimensions/v1/northwind/currency/elements-count"
ROUTE = "/api/aih/dimensions/v1/<str:db_id>/currency/elements-count"


def ask(port: int, address: str = "/metrics", method: str = "GET", **headers: str) -> Answer:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, address, headers=headers)
        response = connection.getresponse()
        return Answer(response.status, dict(response.getheaders()), response.read())
    finally:
        connection.close()


def metrics_at(port: int) -> dict[tuple[str, ...], float]:
    """Each metric by its name and the values of its labels; Prometheus' own parser reads them."""
    answer = ask(port)
    assert answer.status == 200
    families = text_string_to_metric_families(answer.body.decode())
    return {
        (sample.name.removeprefix("dimensions_"), *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
    }


@pytest.fixture
def port() -> int:
    return free_port()


@dataclass(frozen=True)
class Observed:
    """A service whose metrics are served on the port."""

    service: Service
    port: int


@pytest.fixture(scope="module")
def observed(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Observed]:
    """Two processes; what they have counted for other tests counts, too."""
    port = free_port()
    variables = {"METRICS_BIND": f"127.0.0.1:{port}", "WEB_CONCURRENCY": "2"}
    with serving(*prepared, tmp_path_factory.mktemp("observed"), **variables) as running:
        yield Observed(running, port)


def test_what_all_processes_have_counted_is_added_up_also_when_one_was_killed(observed: Observed):
    """Whichever process answers Prometheus."""
    service, port = observed.service, observed.port
    calls = 40
    key = ("http_requests_total", "GET", ROUTE, "200")
    duration = ("http_request_duration_seconds_count", "GET", ROUTE)
    before = metrics_at(port)
    for _ in range(calls):
        assert service.send("GET", COUNT).status == 200
    first, second = service.workers()
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: len(set(service.workers()) - {first, second}) == 1, "No process takes its place")
    for _ in range(calls):
        assert service.send("GET", COUNT).status == 200
    assert {metrics_at(port)[key] - before.get(key, 0) for _ in range(10)} == {2 * calls}
    assert metrics_at(port)[duration] - before.get(duration, 0) == 2 * calls
    assert metrics_at(port)["http_requests_in_progress",] == 0
    assert metrics_at(port)["database_up",] == 1


def test_a_request_that_dies_with_its_process_is_not_in_progress_for_ever(observed: Observed):
    """Its process can no longer count its end."""
    service, port = observed.service, observed.port
    with socket.create_connection(("127.0.0.1", service.port)) as waiting:
        body = b'{"id": "EUR"'  # and no more of it
        head = f"POST {COUNT.removesuffix('-count')} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {service.key}\r\n"
        waiting.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n".encode() + body)
        wait_until(lambda: metrics_at(port)["http_requests_in_progress",] == 1, "The request is not in progress")
        killed = set(service.workers())
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: len(set(service.workers()) - killed) == 2, "No process takes their place")
        wait_until(lambda: metrics_at(port)["http_requests_in_progress",] == 0, "The request is in progress for ever")


def test_nothing_but_metrics_is_answered_on_that_port_and_metrics_nowhere_else(observed: Observed):
    """Whatever host a client names, and with the best credentials."""
    service, port = observed.service, observed.port
    for address in ("/", "/health/live", "/admin/", COUNT, "/metrics/"):
        assert ask(port, address, **{"X-API-Key": service.key}).status == 404
    assert ask(port, method="POST").status == 404
    assert "other machines" not in service.log.read_text()  # only this one gets there
    for host in (f"127.0.0.1:{service.port}", f"127.0.0.1:{port}", f"localhost:{port}"):
        answer = service.send("GET", "/metrics", Host=host)
        assert answer.status == 404
        assert b"dimensions_" not in answer.body


def test_a_client_through_a_unix_socket_cannot_name_that_port(prepared: tuple[str, str], tmp_path: Path, port: int):
    """There gunicorn takes the port of the server from the header Host."""
    path = str(tmp_path / "web.socket")
    changed = {"DATABASE_URL": prepared[0], "SECRET_KEY": SECRET_KEY, "METRICS_BIND": f"127.0.0.1:{port}"}
    changed |= {"BIND": f"unix:{path}", "ALLOWED_HOSTS": "127.0.0.1"}
    with started("dimensions-web.service", tmp_path, changed) as process:
        wait_for(path, process)
        assert metrics_at(port)["database_up",] == 1
        with socket.socket(socket.AF_UNIX) as program:
            program.connect(path)
            program.sendall(f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
            answer = b"".join(iter(lambda: program.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b"dimensions_" not in answer


def test_the_folder_of_the_metrics_is_removed_with_the_service(
    prepared: tuple[str, str], service: Service, tmp_path: Path, port: int
):
    """And without the setting there is no endpoint.

    The log names an address that other machines may reach, and the remedy: a firewall may protect it.
    """
    assert "PROMETHEUS" not in environment_of(service.workers()[0])
    assert not open_metrics(service.workers()[0])
    address = f"{ANYWHERE}:{port}"
    with serving(*prepared, tmp_path, METRICS_BIND=address) as observed:
        log = observed.log.read_text()
        assert f"METRICS_BIND is {address}, which other machines may reach" in log
        assert "Let a firewall admit Prometheus alone, or bind to 127.0.0.1 or a unix socket" in log
        wait_until(lambda: bool(open_metrics(observed.workers()[0])), "Nothing is counted")
        (folder,) = {file.parent for file in open_metrics(observed.workers()[0])}
        assert folder.stat().st_mode & 0o077 == 0
    assert not folder.exists()


def test_a_start_that_fails_leaves_no_folder(tmp_path: Path, port: int):
    """A supervisor retries again and again."""
    folders = set(FOLDERS.glob("dimensions-metrics-*"))
    outcome = start(COMMANDS["web"], tmp_path, METRICS_BIND=f"127.0.0.1:{port}", DEBUG="1")
    assert "DEBUG is '1'" in outcome.stderr
    # Services of other tests may have come meanwhile: those work in their folders.
    wait_until(lambda: set(FOLDERS.glob("dimensions-metrics-*")) <= folders | folders_in_use(), "A folder is left")


def environment_of(pid: int) -> str:
    return Path(f"/proc/{pid}/environ").read_text()


def open_metrics(pid: int) -> set[Path]:
    """The files with metrics that a process has mapped into its memory (Linux)."""
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return {Path(line.split()[-1]) for line in lines if "dimensions-metrics-" in line}


def folders_in_use() -> set[Path]:
    """The folders of all processes that count."""
    found: set[Path] = set()
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            found |= {file.parent for file in open_metrics(int(place.name))}
    return found


# --- The worker --------------------------------------------------------------------------------


def test_the_worker_shows_the_rows_of_its_jobs(prepared: tuple[str, str], service: Service, tmp_path: Path, port: int):
    """Those that its processes deleted, on a separate port."""
    url = prepared[0]
    ids = fill(url, "northwind", 25)
    # Other tests leave deletions that no worker has begun, in the same database.
    errand(url, "from bulkops.models import DataProcessing as D; D.objects.filter(status='RUNNING').delete()")
    with working(url, tmp_path, WORKER_METRICS_BIND=f"127.0.0.1:{port}", DELETION_CHUNK_SIZE="10") as worker:
        for part in (ids[:15], ids[15:]):
            assert delete(service, [*part, "no-such-account"]).ended()["status"] == "COMPLETED"
        assert metrics_at(port) == {("worker_rows_written_total", "deletion"): 25}
        assert ask(port, "/").status == 404
        lines = map(json.loads, worker.log.read_text().splitlines())
        completed = [line for line in lines if line["event"] == "processing_completed"]
        assert [(line["rows_written"], line["user"], line["repository"], line["dimension"]) for line in completed] == [
            (15, "alice", "northwind", "account"),
            (10, "alice", "northwind", "account"),
        ]
        assert worker.stop() == 0
    assert is_free(port)


def test_the_worker_s_metrics_end_with_its_first_process(prepared: tuple[str, str], tmp_path: Path, port: int):
    """Otherwise the next worker could not listen there."""
    with working(prepared[0], tmp_path, WORKER_METRICS_BIND=f"127.0.0.1:{port}") as worker:
        wait_until(lambda: not is_free(port), "Nobody listens")
        processes = worker.processes()
        worker.process.send_signal(signal.SIGKILL)
        worker.process.wait(60)
        wait_until(lambda: not any(is_alive(pid) for pid in processes), "Some process lives on")
        assert is_free(port)


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


# --- Errors ------------------------------------------------------------------------------------


def test_an_invalid_address_is_refused(tmp_path: Path):
    outcome = start(COMMANDS["web"], tmp_path, METRICS_BIND="::1:9464")
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(
        "The service is not configured: METRICS_BIND is '::1:9464'; it has to be an address"
    )


def test_the_port_of_the_service_is_refused(tmp_path: Path):
    """Otherwise nobody could know who reads the metrics."""
    outcome = start(COMMANDS["web"], tmp_path, METRICS_BIND="127.0.0.1:8123", BIND="0.0.0.0:8123")
    assert outcome.stderr == (
        "The service is not configured: METRICS_BIND is '127.0.0.1:8123'; it has to have a port of its own.\n"
    )


def test_a_port_that_is_taken_keeps_the_worker_from_starting(tmp_path: Path, port: int):
    """With a sentence: the worker and the web server of one machine need two ports."""
    with socket.create_server(("127.0.0.1", port)):
        outcome = start(COMMANDS["worker"], tmp_path, WORKER_METRICS_BIND=f"127.0.0.1:{port}")
    assert outcome.returncode == 1
    assert outcome.stderr == (
        f"The service is not configured: WORKER_METRICS_BIND is '127.0.0.1:{port}': Address already in use.\n"
    )


def test_an_address_of_ipv6_stands_in_brackets(prepared: tuple[str, str], tmp_path: Path, port: int):
    try:
        socket.create_server(("::1", port), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("This machine has no IPv6.")
    with serving(*prepared, tmp_path, METRICS_BIND=f"[::1]:{port}"), socket.create_connection(("::1", port)) as program:
        program.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert b"dimensions_database_up 1.0" in b"".join(iter(lambda: program.recv(65536), b""))
