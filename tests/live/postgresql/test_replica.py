"""Elements are read from a replica that has everything written to their repository, otherwise from the primary."""

import json
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.request import urlopen

import psycopg
import pytest

from tests.lengths import tries
from tests.services.bulk_state import marked, rows
from tests.services.clerk import errand, prepare
from tests.services.own_postgresql import OwnServer, own_postgresql
from tests.services.own_replica import do, follow, own_replica, patient, pause, resume
from tests.services.service import Service, free_port, serving
from tests.services.worker import QUICK, delete, fill, wait_until, working

ACCOUNTS = "/dimensions/v1/northwind/account/elements"
OTHERS = "/dimensions/v1/contoso/account/elements"
LONG = "/dimensions/v1/long/account/elements"
# Enough that a list does not fit into the buffers between two programs: 20 MB.
COUNT = 6_000
READS = (
    f"{ACCOUNTS}/first",
    ACCOUNTS,
    f"{ACCOUNTS}?skip=0&take=10",
    f"{ACCOUNTS}?filter=descriptions=like=first",
    f"{ACCOUNTS}-count",
    f"{ACCOUNTS}-fetch?properties=id,descriptions",
    f"{ACCOUNTS}-changes",
    f"{ACCOUNTS}-changesets",
    f"{ACCOUNTS}-versions?id=first",
)
# Of the lock, or of what PostgreSQL cleaned up beside it; each may be counted for several queries.
CONFLICTS = "SELECT conflicts FROM pg_stat_database WHERE datname = current_database()"
RECEIVED = "SELECT pg_last_wal_receive_lsn() >= %s::pg_lsn"
READING = (
    "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() "
    "AND query LIKE '%%account_account%%'"
)
READ = re.compile(r'^dimensions_element_reads_total\{database="(\w+)"\} ([0-9.]+)', re.MULTILINE)


@dataclass(frozen=True)
class Stage:
    """A primary, its replica, and two web servers that know both, with the ports of their metrics."""

    primary: OwnServer
    replica: OwnServer
    services: tuple[Service, Service]
    metrics: tuple[int, int]

    @property
    def service(self) -> Service:
        """One of the web servers; the other one shares only the databases with it."""
        return self.services[0]

    def follow(self) -> None:
        """Wait until the replica has everything."""
        follow(self.primary, self.replica)

    def get(self, address: str) -> Any:
        """The response of both web servers to a GET, which is the same."""
        one, other = (service.send("GET", address) for service in self.services)
        assert (one.status, one.body) == (other.status, other.body)
        return one.json()

    def _reads(self) -> dict[str, float]:
        reads: dict[str, float] = {"primary": 0, "replica": 0}
        for port in self.metrics:
            with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                for database, count in READ.findall(answer.read().decode()):
                    reads[database] += float(count)
        return reads

    @contextmanager
    def reading_from(self, database: str) -> Iterator[None]:
        """What is read within the block is all read from that one of the two."""
        before = self._reads()
        yield
        after = self._reads()
        assert {name for name in after if after[name] > before[name]} == {database}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with ExitStack() as stack:
        primary = stack.enter_context(own_postgresql())
        key = prepare(primary.url)
        errand(
            primary.url, "from dimensions_site.repositories.models import Repository as R; R(db_id='contoso').save()"
        )
        fill(primary.url, "long", COUNT)
        replica = stack.enter_context(own_replica(primary))
        ports = (free_port(), free_port())
        services = [
            stack.enter_context(
                serving(
                    primary.url,
                    key,
                    tmp_path_factory.mktemp("web"),
                    REPLICA_URL=patient(replica),
                    METRICS_BIND=f"127.0.0.1:{port}",
                    WEB_CONCURRENCY="1",
                )
            )
            for port in ports
        ]
        yield Stage(primary, replica, (services[0], services[1]), ports)


@pytest.fixture(autouse=True)
def first(stage: Stage) -> Iterator[str]:
    """The account `first`, which the replica has; afterwards replica and web servers are as before."""
    address = f"{ACCOUNTS}/first"
    assert stage.service.send("PUT", address, marked("first", "new")).status in (200, 201)
    stage.follow()
    yield address
    if stage.replica.is_running:
        resume(stage.replica)
    else:
        stage.replica.start()
    stage.follow()
    wait_until(lambda: all(_is_asked(stage, service) for service in stage.services), "The replica is not asked")


def _is_asked(stage: Stage, service: Service) -> bool:
    try:
        with stage.reading_from("replica"):
            service.send("GET", f"{OTHERS}-count")
    except AssertionError:
        return False
    return True


def modify(service: Service, mark: str) -> None:
    assert service.send("PATCH", f"{ACCOUNTS}/first", {"documentationLink": mark}).status == 200


def test_elements_are_read_from_a_replica_that_has_them_all(stage: Stage):
    """By each of the routes that read elements."""
    for address in READS:
        with stage.reading_from("replica"):
            assert stage.get(address)


@pytest.mark.contract("C16", "D8")
def test_what_is_written_is_read_at_once_by_whomever(stage: Stage, first: str):
    """While the replica lags, everything is read from the primary, through each web server; then from the replica."""
    pause(stage.replica)
    modify(stage.service, "paused")
    with stage.reading_from("primary"):
        assert stage.get(first)["documentationLink"] == "paused"
        for address in READS:
            assert stage.get(address)
    resume(stage.replica)
    stage.follow()
    with stage.reading_from("replica"):
        assert stage.get(first)["documentationLink"] == "paused"


def test_others_go_on_reading_from_the_replica(stage: Stage):
    """What is written to one repository does not matter for another."""
    pause(stage.replica)
    modify(stage.service, "others")
    with stage.reading_from("replica"):
        assert stage.get(f"{OTHERS}-count") == 0


@pytest.mark.contract("E2")
def test_a_write_is_counted_once_when_it_is_saved_and_only_then(stage: Stage, first: str):
    """A bulk save counts as one; what is refused or changes nothing does not count."""

    def writes() -> int:
        return int(rows(stage.primary.url, "SELECT sum(number) FROM changes_slot")[0][0])

    before = writes()
    elements = {"post": [marked(f"many-{number}", "many") for number in range(300)]}
    for method, address, body, status, counted in (
        ("POST", f"{ACCOUNTS}-bulk", elements, 200, 1),
        ("POST", f"{ACCOUNTS}-bulk", elements, 400, 0),
        ("POST", ACCOUNTS, marked("first", "again"), 400, 0),
        ("PATCH", first, {"documentationLink": "counted"}, 200, 1),
        ("PATCH", first, {"documentationLink": "counted"}, 200, 0),
        ("PATCH", f"{ACCOUNTS}/unknown", {"documentationLink": "counted"}, 404, 0),
    ):
        assert stage.service.send(method, address, body).status == status
        assert writes() - before == counted, (method, address)
        before += counted


@pytest.mark.contract("F3")
def test_what_a_deletion_has_deleted_is_read_no_more(stage: Stage, tmp_path):
    """As soon as its status is completed, though the replica still has it."""
    assert stage.service.send("PUT", f"{ACCOUNTS}/leaving", marked("leaving", "x")).status == 201
    stage.follow()
    pause(stage.replica)
    with working(stage.primary.url, tmp_path, REPLICA_URL=patient(stage.replica), **QUICK):
        assert delete(stage.service, ["leaving"]).ended()["deleted"] == 1
    assert stage.get(f"{ACCOUNTS}-count?filter=id==leaving") == 0
    assert [service.send("GET", f"{ACCOUNTS}/leaving").status for service in stage.services] == [404, 404]


def test_what_an_import_has_saved_is_read(stage: Stage, tmp_path):
    """As soon as its status is completed, though the replica has nothing of it."""
    name = f"imported-{time.monotonic_ns()}"
    oid = errand(stage.primary.url, f"from tests.services.file_imports import begin; begin({name!r}, 300)")
    stage.follow()
    pause(stage.replica)
    with working(stage.primary.url, tmp_path, REPLICA_URL=patient(stage.replica), **QUICK):
        code = f"from tests.services.file_imports import print_outcome; print_outcome({oid!r}, {name!r})"
        outcome = errand(stage.primary.url, code)
    assert json.loads(outcome)["status"] == "COMPLETED"
    assert stage.get(f"/dimensions/v1/{name}/account/elements-count") == 300


@pytest.mark.contract("G1", "G3")
def test_the_primary_decides_about_access(stage: Stage):
    """A revoked key gives no access any more, though the replica has not received that."""
    made = "from django.core.management import call_command as c; c('create_api_key', 'alice', name='short')"
    key = errand(stage.primary.url, made).split()[-1]
    stage.follow()
    pause(stage.replica)
    assert stage.service.send("GET", f"{OTHERS}-count", X_API_Key=key).status == 200
    of_keys = "from dimensions_site.repositories.models import ApiKey; ApiKey.objects.filter(name='short')"
    errand(stage.primary.url, f"{of_keys}.update(revoked=True)")
    assert [service.send("GET", f"{OTHERS}-count", X_API_Key=key).status for service in stage.services] == [401, 401]


def test_without_the_replica_all_is_read_from_the_primary(stage: Stage, first: str):
    """It is killed, the readiness check reports it without failing, and it is tried again later."""
    stage.replica.stop()
    with stage.reading_from("primary"):
        assert stage.get(first)["documentationLink"] == "new"
        assert stage.get(ACCOUNTS)
    assert "replica_unavailable" in stage.service.log.read_text()
    ready = stage.service.send("GET", "/health/ready").json()
    assert ready["checks"]["replica"] == "unavailable; elements are read from the primary"
    assert ready["checks"]["database"] == "ok"
    stage.replica.start()
    wait_until(lambda: all(_is_asked(stage, service) for service in stage.services), "The replica is not asked")
    with stage.reading_from("replica"):
        assert stage.get(first)["documentationLink"] == "new"
    assert stage.service.send("GET", "/health/ready").json()["checks"]["replica"] == "ok"


@pytest.mark.contract("B3")
def test_a_query_that_the_replica_breaks_off_is_answered_by_the_primary(stage: Stage, first: str):
    """As it does with queries that block its replay; no client notices."""
    with psycopg.connect(stage.primary.url) as primary, ThreadPoolExecutor(1) as thread:
        # The replica locks the table, too.
        primary.execute("LOCK TABLE account_account IN ACCESS EXCLUSIVE MODE")
        stage.follow()
        answer = thread.submit(stage.service.send, "GET", first)
        cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        wait_until(lambda: _locked(stage), "Nobody waits for the replica")
        primary.rollback()
        rows(stage.replica.url, cancel)
        assert answer.result().json()["documentationLink"] == "new"


def _locked(stage: Stage) -> bool:
    return bool(rows(stage.replica.url, "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"))


@pytest.mark.contract("D7")
def test_a_long_list_is_streamed_from_the_replica(stage: Stage):
    """All of it, in one transaction, of which nothing is left afterwards, even if the client leaves halfway."""
    with stage.reading_from("replica"):
        assert len(stage.service.send("GET", LONG).json()) == COUNT
        connection = stage.service.connect()
        connection.request("GET", LONG, headers={"X-API-Key": stage.service.key})
        assert connection.getresponse().read(1_000)
        connection.close()
        assert len(stage.service.send("GET", LONG, Accept="text/csv").body.splitlines()) == COUNT + 1
    idle = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%%'"
    wait_until(lambda: rows(stage.replica.url, idle) == [(0,)], "A transaction is left")


@pytest.fixture
def impatient(stage: Stage) -> Iterator[OwnServer]:
    """The replica, which lets no query delay it."""
    do(stage.replica, "ALTER SYSTEM SET max_standby_streaming_delay = 0")
    do(stage.replica, "SELECT pg_reload_conf()")
    yield stage.replica
    do(stage.replica, "ALTER SYSTEM RESET max_standby_streaming_delay")
    do(stage.replica, "SELECT pg_reload_conf()")


@pytest.mark.contract("D7")
def test_a_list_that_is_in_the_way_of_the_replica_ends_without_its_end(stage: Stage, impatient: OwnServer):
    """A slow reader sees that it broke off, and does not take the part for the whole; a second request gets all."""
    before = rows(impatient.url, CONFLICTS)
    with stage.service.begin_to_read(LONG) as slow:
        slow.recv(1_000)
        wait_until(lambda: rows(impatient.url, READING) != [(0,)], "Nothing is read from the replica")
        # As a migration does. The replica has to lock the table, too, and the list is in its way.
        do(stage.primary, "ALTER TABLE account_account ADD COLUMN remark text")
        ((written,),) = rows(stage.primary.url, "SELECT pg_current_wal_flush_lsn()::text")
        wait_until(lambda: rows(impatient.url, RECEIVED, written) == [(True,)], "The replica gets nothing")
        assert not rest(slow).endswith(b"\r\n0\r\n\r\n")
    wait_until(lambda: rows(impatient.url, CONFLICTS) > before, "No conflict is counted")
    assert len(stage.service.send("GET", LONG).json()) == COUNT
    do(stage.primary, "ALTER TABLE account_account DROP COLUMN remark")


def rest(connection: socket.socket) -> bytes:
    """The last bytes that come."""
    end = b""
    with suppress(ConnectionResetError):
        while received := connection.recv(1 << 20):
            end = (end + received)[-100:]
    return end


@pytest.mark.contract("C13", "C15", "E2")
def test_every_client_reads_what_it_has_written_whatever_the_replica_does(stage: Stage):
    """Eight clients write and read through either web server while the replica pauses and resumes."""
    until = time.monotonic() + tries(3, long=6)

    def call(number: int) -> int:
        random, turn = Random(number), 0
        while turn == 0 or time.monotonic() < until:
            turn += 1
            writer, reader = random.choices(stage.services, k=2)
            mark, id = f"{number}-{turn}", f"program-{number}"
            assert writer.send("PUT", f"{ACCOUNTS}/{id}", marked(id, mark)).status in (200, 201)
            assert reader.send("GET", f"{ACCOUNTS}/{id}").json()["documentationLink"] == mark
            (found,) = reader.send("GET", f"{ACCOUNTS}?filter=id=={id}").json()
            assert found["documentationLink"] == mark
        return turn

    with ThreadPoolExecutor(8) as threads:
        calls = [threads.submit(call, number) for number in range(8)]
        while time.monotonic() < until:
            pause(stage.replica)
            time.sleep(0.3)
            resume(stage.replica)
            time.sleep(0.3)
        assert min(each.result() for each in calls) > 0
