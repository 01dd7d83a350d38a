"""A distributed database: the command, and the shard that each statement visits."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection

from dimensions_site.repositories.models import Repository
from tests.bulkops.jobs.deletions import start, work_now
from tests.bulkops.plans.plans import applied, make
from tests.bulkops.save.bulk import patch
from tests.factories import Person, account, content, currency
from tests.services.citus import drop_everywhere, make_distributed
from tests.services.own_postgresql import server_programs
from tests.services.service import PROJECT, environment, manage

_NAME = "test_distribute"
_SHARD = re.compile(r"(?:account|currency|changes)_[a-z]+_(\d{6,})\b")

pytestmark = pytest.mark.contract("P1")


@contextmanager
def shards_of_statements() -> Iterator[dict[str, set[str]]]:
    """For each statement in the block, the shards that the cluster visits, each by its lowest hash."""
    visited: dict[str, set[str]] = {}
    notices: list[str] = []
    connection.ensure_connection()
    raw: Any = connection.connection
    with connection.cursor() as cursor:
        cursor.execute("SELECT shardid::text, shardminvalue FROM pg_dist_shard")
        lowest = dict(cursor.fetchall())
        cursor.execute("SET citus.log_remote_commands = on")

    def note(execute: Any, statement: str, parameters: Any, many: bool, context: Any) -> Any:
        notices.clear()
        try:
            return execute(statement, parameters, many, context)
        finally:
            if found := {lowest[id] for text in notices for id in _SHARD.findall(text)}:
                visited.setdefault(statement, set()).update(found)

    def listen(notice: Any) -> None:
        notices.append(notice.message_primary or "")

    raw.add_notice_handler(listen)
    with connection.execute_wrapper(note):
        yield visited
    raw.remove_notice_handler(listen)
    with connection.cursor() as cursor:
        cursor.execute("SET citus.log_remote_commands = off")


def test_each_statement_visits_one_shard(northwind: Repository, alice: Person):
    """Of reads, single writes, bulk saves, plans, deletions and the feed."""
    with shards_of_statements() as visited:
        for dimension, one in (("account", account("A")), ("currency", currency("A"))):
            path = partial(alice.elements, dimension)
            token = alice.get(path()).headers["Sync-Token"]
            assert alice.send("POST", path(), one).status_code == 201
            assert alice.send("PATCH", path("elements/A"), {"descriptions": {"de": "y"}}).status_code == 200
            for body in (
                {"post": [{**one, "id": "B"}], "put": [{**one, "descriptions": {"en": "changed"}}]},
                {"patch": [patch("B", descriptions={"en": "changed"})], "saveMode": "STRICT"},
                {"merge": [{**one, "id": "C"}, {"id": "B", "descriptions": {"fr": "z"}}]},
            ):
                content(alice.send("POST", path("elements-bulk"), body))
            plan = make(alice, dimension, bulk={"put": [{**one, "id": "D"}], "delete": [{"id": "C"}]}, maxDelete=1)
            applied(alice, dimension, plan)
            for rest in (
                "elements?skip=1&take=1&sort=-updateInfo.date",
                f"elements?asOf={token}",
                "elements-versions?id=A",
                f"elements-changes?since={token}",
                f"elements-compare?from={token}",
            ):
                content(alice.get(path(rest)))
            start(alice, ["A", "B"], dimension, query="?references=refuse")
        work_now()
    assert len(visited) >= 60
    assert {statement: found for statement, found in visited.items() if len(found) != 1} == {}


@pytest.fixture
def cluster() -> Iterator[str]:
    """The address of a database with the extension whose tables are on the coordinator."""
    yield make_distributed(_NAME, distribute=False)
    drop_everywhere(_NAME)


def schema(url: str) -> str:
    """The tables as a dump shows them."""
    dump = subprocess.run(
        [str(server_programs() / "pg_dump"), "--schema-only", url], check=True, capture_output=True, text=True
    )
    return re.sub(r"(?m)^\\(un)?restrict .*$", "", dump.stdout)


def refusal(url: str, *words: str) -> str:
    """What the command prints when it fails."""
    command = [sys.executable, str(PROJECT / "manage.py"), "distribute", *words]
    run = subprocess.run(command, cwd=PROJECT, env=environment(url), capture_output=True, text=True)
    assert run.returncode == 1
    return run.stderr


def test_the_tables_are_distributed_and_taken_back(cluster: str):
    """With what is in them; a repetition changes nothing, and in the end all is as before."""
    before = schema(cluster)
    with psycopg.connect(cluster, autocommit=True) as database:
        database.execute(
            "INSERT INTO changes_slot (repository_id, dimension, slot) VALUES (1, 'account', 3), (2, 'x', 4)"
        )
        for _ in range(2):
            manage(cluster, "distribute")
            assert database.execute("SELECT count(*) FROM citus_tables").fetchone() == (7,)
            assert database.execute("SELECT count(*) FROM changes_slot").fetchone() == (2,)
        for _ in range(2):
            manage(cluster, "distribute", "--undo")
            assert database.execute("SELECT count(*) FROM citus_tables").fetchone() == (0,)
            assert database.execute("SELECT count(*) FROM changes_slot").fetchone() == (2,)
    assert schema(cluster) == before


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("SELECT create_distributed_table('changes_slot', 'repository_id')", "Of the 7 tables only changes_slot"),
        ("DELETE FROM django_migrations WHERE app = 'account'", "earlier release, without account.0001"),
        (
            "INSERT INTO django_migrations (app, name, applied) VALUES ('account', '0999_x', now())",
            "newer release, with",
        ),
        ("CREATE VIEW large AS SELECT * FROM account_account", "the view large reads account_account"),
        (
            "CREATE TABLE notes (account bigint REFERENCES account_account)",
            "notes_account_fkey refers to account_account",
        ),
        (
            "CREATE TRIGGER own BEFORE DELETE ON account_account EXECUTE FUNCTION suppress_redundant_updates_trigger()",
            "the trigger own is on account_account",
        ),
        ("SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', false) FROM pg_dist_node", "No node"),
    ],
)
def test_what_is_in_the_way_is_refused(cluster: str, statement: str, reason: str):
    with psycopg.connect(cluster, autocommit=True) as database:
        database.execute(statement)
        before = database.execute("SELECT * FROM citus_tables").fetchall()
        assert reason in refusal(cluster)
        assert database.execute("SELECT * FROM citus_tables").fetchall() == before


@pytest.mark.django_db
def test_the_command_says_that_the_tables_are_distributed_already(capsys):
    call_command("distribute")
    assert capsys.readouterr().out == "The tables are distributed already.\n"
