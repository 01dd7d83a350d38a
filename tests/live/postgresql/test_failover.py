"""A standby takes over, and the service, which has the addresses of both hosts, goes on without a restart."""

import subprocess
import sys
import time
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.lengths import IS_LONG
from tests.live.postgresql.test_hosts import skip_where_no_hosts_can_be_built
from tests.services.bulk_state import marked
from tests.services.clerk import prepare
from tests.services.deployment import skip_without
from tests.services.own_postgresql import own_postgresql, run
from tests.services.own_replica import follow, own_replica
from tests.services.service import PROJECT, Service, serving
from tests.services.worker import wait_until

pytestmark = pytest.mark.contract("P4")
ACCOUNTS = "/dimensions/v1/northwind/account/elements"
LIMIT = 30


def test_the_service_goes_on_at_the_standby_when_the_primary_is_gone(tmp_path: Path):
    """It writes at whichever host takes writes, and what was answered is there."""
    with own_postgresql() as primary:
        key = prepare(primary.url)
        with own_replica(primary) as standby:
            hosts = ",".join(f"127.0.0.1:{server.port}" for server in (standby, primary))
            url = f"postgresql://postgres@{hosts}/postgres?target_session_attrs=read-write&connect_timeout=60"
            with serving(url, key, tmp_path) as service:
                assert write(service, "before") == 201
                follow(primary, standby)
                primary.stop()
                begin = time.monotonic()
                run([str(standby.programs / "pg_ctl"), "promote", "--pgdata", f"{standby.folder}/data", "--silent"])
                wait_until(lambda: write(service, "after") in (201, 400), "Nothing is written", timeout=LIMIT)
                assert time.monotonic() - begin < LIMIT
                assert {element["id"] for element in service.send("GET", ACCOUNTS).json()} == {"before", "after"}
            primary.start()  # its own block ends it


def write(service: Service, id: str) -> int:
    """The status of a POST of an account; 0 without an answer."""
    try:
        return service.send("POST", ACCOUNTS, marked(id, id)).status
    except (OSError, HTTPException):
        return 0


if IS_LONG:  # it takes ten minutes; make failover

    def test_patroni_lets_the_standby_take_over_within_half_a_minute():
        """Ten times, killed and cut off in turn, while clients call."""
        skip_where_no_hosts_can_be_built()
        for program in ("patroni", "etcd"):
            skip_without(program)
        command = [sys.executable, "-m", "tests.load.hosts.failover"]
        done = subprocess.run(command, cwd=PROJECT, check=False, capture_output=True, encoding="utf-8")
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-5_000:]}"
        assert done.stdout.count("served again after") == 10
