"""The service and its worker behind PgBouncer in transaction mode, with fewer connections than they have threads.

PgBouncer uses the file of docs/deploy.
"""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPResponse
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import OperationalError
from django.db.utils import ConnectionHandler
from environ import Env

from dimensions_site.db.read_limits import is_cancellation, read_limit
from tests.bulkops.save.bulk import patch
from tests.factories import currency
from tests.lengths import tries
from tests.services.bulk_state import Counts, counts, marked, rows
from tests.services.clerk import errand, prepare
from tests.services.database import migrated_database
from tests.services.own_pgbouncer import Pool, own_pgbouncer
from tests.services.programs import calling, discrepancies
from tests.services.service import Service, serving
from tests.services.worker import QUICK, Deletion, RunningWorker, delete, fill, wait_until, working

ACCOUNTS = "/dimensions/v1/northwind/account/elements"
CURRENCIES = "/api/aih/dimensions/v1/northwind/currency/elements"
LONG = "/dimensions/v1/long/account/elements"
# Connections to PostgreSQL; the service and the worker have up to 14 to PgBouncer.
CONNECTIONS = 3
WRITES = 200
# Enough that a list does not fit into the buffers between two programs: 20 MB.
COUNT = 6_000
_IDLE = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%%'"
)
_BUSY = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()"
)
_OPEN = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@pytest.fixture(scope="module")
def prepared(untouched: tuple[str, str]) -> tuple[str, str]:
    """A database whose connections are those of these tests."""
    return untouched


@pytest.fixture(scope="module")
def pool(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pool]:
    with own_pgbouncer(tmp_path_factory.mktemp("pgbouncer"), prepared[0], CONNECTIONS) as running:
        yield running


@pytest.fixture(scope="module")
def service(pool: Pool, prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The web server, with all its connections through the pool."""
    with serving(pool.url, prepared[1], tmp_path_factory.mktemp("web"), **QUICK) as running:
        yield running


@pytest.fixture(scope="module")
def worker(pool: Pool, service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningWorker]:
    """A worker, with all its connections through the pool."""
    with working(pool.url, tmp_path_factory.mktemp("worker"), **QUICK) as running:
        yield running


@pytest.fixture(autouse=True)
def nothing_is_left_open(prepared: tuple[str, str]) -> Iterator[None]:
    """After each test no transaction is open, and there were never more connections than the pool may have."""
    yield
    wait_until(lambda: rows(prepared[0], _IDLE) == [(0,)], "Idle in a transaction")
    # The worker's and the clerk's own errands go past the pool, and have ended, though the database may not have
    # noticed it yet. The pool itself keeps its connections for minutes.
    wait_until(lambda: rows(prepared[0], _OPEN)[0][0] <= CONNECTIONS, "There are more connections")


def test_limits_of_waiting_are_those_without_a_pool(pool: Pool, prepared: tuple[str, str]):
    """The file of docs/deploy sets everything that the service requests when it connects."""
    asked = settings.DATABASE_OPTIONS["postgresql"]["options"]
    limits = re.findall(r"-c (\w+)=", asked)
    assert {"lock_timeout", "tcp_user_timeout"} <= set(limits)
    with psycopg.connect(prepared[0], options=asked) as direct:
        expected = {limit: direct.execute(f"SHOW {limit}").fetchall() for limit in limits}
    assert "0" not in {value for ((value,),) in expected.values()}
    assert {limit: rows(pool.url, f"SHOW {limit}") for limit in limits} == expected


@pytest.mark.contract("D7", "E2", "C18", "F2")
def test_what_many_clients_were_answered_is_stored_once(prepared: tuple[str, str], tmp_path: Path):
    """Twenty of them read, list, create, patch and save some, and one has elements deleted, all through the pool."""
    with (
        migrated_database(tmp_path, prepared[0]) as url,
        own_pgbouncer(tmp_path, url, CONNECTIONS) as pool,
        serving(pool.url, prepare(url), tmp_path, **QUICK) as service,
        working(pool.url, tmp_path, **QUICK),
    ):
        with calling(service) as record:
            wait_until(lambda: len(record.writes) > WRITES and len(record.deletions) > 1, "Too little is written")
        for address in record.deletions:
            assert Deletion(service, address).ended()["status"] == "COMPLETED"
        assert discrepancies(url, record) == []
        assert rows(url, _IDLE) == [(0,)]
    assert {write.status for write in record.writes} == {200, 201}


@pytest.mark.contract("D7")
def test_two_who_read_slowly_leave_a_connection_to_the_others(prepared: tuple[str, str], service, worker):
    """Meanwhile others create, patch, save many and delete; both lists are complete, and as of their beginning."""
    fill(prepared[0], "long", COUNT)
    with ExitStack() as stack:
        slow = [HTTPResponse(stack.enter_context(service.begin_to_read(LONG))) for _ in range(CONNECTIONS - 1)]
        for response in slow:
            response.begin()
            assert response.status == 200
        wait_until(lambda: rows(prepared[0], _BUSY) == [(len(slow),)], "They do not wait for their readers")
        assert service.send("POST", ACCOUNTS, marked("pooled", "first")).status == 201
        assert service.send("PATCH", f"{ACCOUNTS}/pooled", {"documentationLink": "second"}).status == 200
        body = {"post": [marked(f"pooled-{number}", "bulk") for number in range(500)]}
        assert service.send("POST", f"{ACCOUNTS}-bulk", body).status == 200
        assert delete(service, [f"{number:07}" for number in range(COUNT)], "long").ended()["deleted"] == COUNT
        assert service.send("GET", f"{LONG}-count").json() == 0
        assert [len(json.loads(response.read())) for response in slow] == [COUNT] * len(slow)
    assert service.send("GET", f"{ACCOUNTS}/pooled").json()["documentationLink"] == "second"


@pytest.mark.contract("E1", "E2")
def test_bulk_saves_take_turns_with_their_temporary_tables(prepared: tuple[str, str], service):
    """Each of them is one transaction, on one connection; more of them than connections come at once."""
    ids = [f"turn-{number}" for number in range(500)]
    bodies = [{"put": [marked(id, f"turn {turn}") for id in ids]} for turn in range(2 * CONNECTIONS)]
    with ThreadPoolExecutor(len(bodies)) as threads:
        answers = list(threads.map(lambda body: service.send("POST", f"{ACCOUNTS}-bulk", body).status, bodies))
    assert answers == [200] * len(bodies)
    stored = [counts(prepared[0], f"turn {turn}") for turn in range(len(bodies))]
    assert [found.versions for found in stored] == [len(ids)] * len(bodies)
    assert sorted(stored, key=lambda found: found.elements)[-1] == Counts(len(ids), len(ids), len(ids))
    body = {"patch": [patch(id, documentationLink="patched") for id in ids]}
    assert service.send("POST", f"{ACCOUNTS}-bulk?dryRun=true", body).headers["Preference-Applied"] == "dryRun"
    assert service.send("POST", f"{ACCOUNTS}-bulk", body).status == 200
    assert counts(prepared[0], "patched").elements == len(ids)


@pytest.mark.contract("F2")
def test_an_import_is_done_by_the_worker(prepared: tuple[str, str], pool: Pool, worker):
    """It is one transaction, during which its heartbeats are written on another connection."""
    oid = errand(pool.url, "from tests.services.file_imports import begin; begin('pooled', 3_000)")
    report = json.loads(
        errand(pool.url, f"from tests.services.file_imports import print_outcome; print_outcome({oid!r}, 'pooled')")
    )
    assert (report["status"], report["stored"], report["versions"]) == ("COMPLETED", 3_000, 3_000)


def test_requests_with_one_key_are_done_once(service):
    """The lock of a key is the transaction's."""
    body = currency("XTS")

    def create(_: int) -> object:
        return service.send("POST", CURRENCIES, body, Idempotency_Key="pooled").status

    with ThreadPoolExecutor(8) as threads:
        statuses = list(threads.map(create, range(8)))
    assert set(statuses) <= {201, 409}
    assert create(0) == 201
    assert service.send("GET", f"{CURRENCIES}-count?filter=id==XTS").json() == 1


def test_the_administration_shows_choices_while_others_write(pool: Pool, service):
    """A form queries the choices of its fields in chunks, outside of a transaction."""
    form = (
        "from django.test import Client; from django.contrib.auth.models import User; "
        "client = Client(SERVER_NAME='localhost'); client.force_login(User.objects.get()); "
        f"pages = range({tries(8, long=20)}); "
        "print({client.get('/admin/repositories/accessgrant/add/', secure=True).status_code for _ in pages})"
    )
    with calling(service):
        assert errand(pool.url, form).split("\n")[-2] == "{200}"


@pytest.mark.parametrize("way", ["directly", "through the pool"])
def test_questions_of_every_request_are_kept_by_the_database_itself_only(
    way: str, prepared: tuple[str, str], pool: Pool
):
    """What one transaction has prepared in a connection of the pool, the next one would miss in another."""
    url = prepared[0] if way == "directly" else pool.url
    asked = errand(
        url,
        "from django.db import connection; from django.contrib.auth.models import User; "
        "from dimensions_site.repositories.permissions import check_access; user = User.objects.get(); "
        "print({check_access(user, 'northwind', 'account').granted for _ in range(20)}); cursor = connection.cursor(); "
        "cursor.execute('SELECT count(*) FROM pg_prepared_statements'); print(cursor.fetchone())",
    )
    assert asked.split("\n")[-2] == ("(1,)" if way == "directly" else "(0,)")


@pytest.mark.django_db
def test_a_long_read_is_cancelled_through_the_pool(pool: Pool):
    """The pool passes it on to the PostgreSQL connection that works for this one; afterwards that one is usable."""
    address = {**Env.db_url_config(pool.url), "ENGINE": "dimensions_site.db.postgresql"}
    behind = ConnectionHandler({"default": {**settings.DATABASES["default"], **address}})["default"]
    with read_limit(0.3), behind.cursor() as cursor:
        for _ in range(CONNECTIONS + 1):
            with pytest.raises(OperationalError) as error:
                cursor.execute("SELECT pg_sleep(60)")
            assert is_cancellation(error.value)
    with psycopg.connect(pool.url) as other:
        assert other.execute("SELECT 1").fetchone() == (1,)
    behind.close()
