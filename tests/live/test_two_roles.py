"""The service runs as a role that cannot rewrite the history, set up as "Two roles" in docs/operators says."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.factories import account
from tests.services.clerk import errand, prepare, run_command
from tests.services.guide import commands, run
from tests.services.migrated import lay_tables
from tests.services.own_postgresql import own_postgresql
from tests.services.service import PROJECT, serving
from tests.services.worker import QUICK, delete, working

# And a column of each that nobody may change.
APPEND_ONLY = {
    "account_accountversion": "change",
    "currency_currencyversion": "change",
    "changes_changeset": '"user"',
    "repositories_accesschange": "changed_by",
}


@pytest.fixture(scope="module")
def roles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The addresses of a migrated database for its owner and for the role of the service."""
    folder = tmp_path_factory.mktemp("roles")
    with own_postgresql() as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("CREATE ROLE dimensions LOGIN")
            connection.execute("CREATE DATABASE dimensions OWNER dimensions")
        address = f"127.0.0.1:{server.port}/dimensions"
        owner = f"postgresql://dimensions@{address}"
        lay_tables(owner)
        path = f"{server.programs}:{os.environ['PATH']}"
        client = {"PGHOST": "127.0.0.1", "PGPORT": str(server.port), "PGUSER": "postgres", "PATH": path}
        (folder / "docs").symlink_to(PROJECT / "docs")
        for block in commands("Two roles"):
            run(block, folder, owner, **client)
        yield owner, f"postgresql://dimensions_service@{address}"


if os.environ.get("DATABASE_URL", "").startswith("postgres"):

    @pytest.mark.contract("C18")
    def test_the_service_adds_to_the_history_and_cannot_rewrite_it(roles: tuple[str, str], tmp_path: Path):
        """All of its work is done by the second role; the owner purges old versions."""
        owner, service_role = roles
        key = prepare(service_role)
        elements = "/dimensions/v1/northwind/account/elements"
        with (
            serving(service_role, key, tmp_path, **QUICK) as service,
            working(service_role, tmp_path, **QUICK) as worker,
        ):
            assert service.send("POST", elements, account("1000")).status == 201
            changed = {"descriptions": {"en": "Changed"}}
            assert service.send("PATCH", f"{elements}/1000", changed).status == 200
            body = {"post": [account("2000")], "put": [{**account("1000"), **changed}]}
            assert service.send("POST", f"{elements}-bulk", body).status == 200
            assert service.send("PUT", f"{elements}/2000", {**account("2000"), **changed}).status == 200
            assert delete(service, ["2000"]).ended()["status"] == "COMPLETED"
            assert "history_rewritable" not in worker.log.read_text()
        # A user who has written versions is deleted: the versions keep their name.
        errand(service_role, "from django.contrib.auth.models import User; User.objects.get().delete()")
        with psycopg.connect(service_role, autocommit=True) as connection:
            for table, column in APPEND_ONLY.items():
                assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() != (0,) or "curr" in table
                for statement in (
                    f"UPDATE {table} SET {column} = 'x'",
                    f"DELETE FROM {table}",
                    f"TRUNCATE {table}",
                    f"DROP TABLE {table}",
                ):
                    with pytest.raises(psycopg.errors.InsufficientPrivilege):
                        connection.execute(statement)
            actors = connection.execute(
                'SELECT DISTINCT "user", channel FROM changes_changeset '
                "JOIN account_accountversion ON change_set_id = changes_changeset.id ORDER BY channel"
            )
            assert actors.fetchall() == [("alice", "DELETION"), ("alice", "REST")]
        assert "currency: 0 of 0" in run_command(owner, "clean_old_history", "--days", "1")

    def test_a_worker_that_may_rewrite_the_history_says_so(roles: tuple[str, str], tmp_path: Path):
        """At its start, with the tables and where to read on."""
        with working(roles[0], tmp_path, **QUICK) as worker:
            worker.wait_for("history_rewritable")
            line = next(line for line in worker.log.read_text().splitlines() if "history_rewritable" in line)
            assert all(table in line for table in APPEND_ONLY)
