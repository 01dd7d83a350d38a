"""Fills the database of the benchmark: the same accounts for all three contestants."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson
import psycopg

from tests.load.bench import floor
from tests.load.bench.addresses import MEASURED, PATCHED, SAVED, Name
from tests.load.bench.bodies import accounts, bulk
from tests.load.bench.contestants import Contestant, running
from tests.load.bench.plain.schema import SCHEMA
from tests.services.clerk import errand
from tests.services.database import migrated_database
from tests.services.service import PROJECT, environment

# Beside the measured accounts there are as many in each of these.
OTHERS = (PATCHED, "adatum", "tailspin", "wingtip")
_BATCH = 10_000
# A manager by a grant in each repository: the role is looked up at each call.
_PEOPLE = """
from django.contrib.auth.models import User
from django.core.management import call_command
User.objects.create_user("alice")
for db_id in {tenants}:
    call_command("create_repository", db_id, name=db_id)
    call_command("grant_access", "alice", db_id, "manager")
call_command("create_api_key", "alice", name="benchmark")
"""
_PLAIN_PEOPLE = """
from django.contrib.auth.models import User
from django.core.management import call_command
from rest_framework.authtoken.models import Token
call_command("migrate", run_syncdb=True, verbosity=0)
print(Token.objects.create(user=User.objects.create_user("alice")).key)
"""


@dataclass(frozen=True)
class Ready:
    """A filled database, and the credentials for each contestant."""

    url: str
    credentials: Mapping[Name, Mapping[str, str]]

    @contextmanager
    def started(self, folder: Path) -> Iterator[Mapping[Name, Contestant]]:
        """All contestants, until the block ends."""
        with ExitStack() as stack:
            yield {name: stack.enter_context(self.alone(name, folder)) for name in Name}

    @contextmanager
    def alone(self, name: Name, folder: Path, **variables: str) -> Iterator[Contestant]:
        """Only this contestant, freshly started, until the block ends."""
        with running(name, self.url, self.credentials[name], folder, **variables) as contestant:
            yield contestant


@contextmanager
def filled_database(server_url: str, folder: Path, count: int) -> Iterator[Ready]:
    """A new database of that PostgreSQL server, with that many accounts in each repository, until the block ends.

    The service gets them by bulk saves over REST, the others copies of what it has then.
    """
    with migrated_database(folder, server_url) as url:
        tenants = sorted([MEASURED, *OTHERS])
        ready = Ready(url, {Name.FLOOR: {}, Name.SERVICE: _service_people(url), Name.PLAIN: _plain_people(url)})
        with ready.alone(Name.SERVICE, folder) as service, psycopg.connect(url, autocommit=True) as database:
            database.execute(floor.SCHEMA)
            bodies = [
                bulk("post", accounts(min(_BATCH, count - first), first=first)) for first in range(0, count, _BATCH)
            ]
            for tenant in tenants:
                for body in bodies:
                    service.call("POST", service.addresses.of("bulk", tenant), body)
                _copy_to_floor(database, service, tenant)
            _copy_to_plain(database)
        yield ready


def tidy(database: "psycopg.Connection", *, analyse: bool = False) -> None:
    """What the server does by itself sooner or later, done now, so that it does not happen during a measurement."""
    database.execute("VACUUM ANALYZE" if analyse else "VACUUM")
    database.execute("CHECKPOINT")


def empty(database: "psycopg.Connection") -> None:
    """Delete all accounts of the repository that is saved into, and their history."""
    of_it = f"repository_id = (SELECT id FROM repositories_repository WHERE db_id = '{SAVED}')"
    database.execute(
        f"DELETE FROM account_calculationlogic WHERE account_id IN (SELECT id FROM account_account WHERE {of_it})"
    )
    database.execute(f"DELETE FROM account_account WHERE {of_it}")
    database.execute(f"DELETE FROM account_accountversion WHERE {of_it}")
    database.execute(f"DELETE FROM floor.accounts WHERE tenant = '{SAVED}'")
    database.execute(f"DELETE FROM {SCHEMA}.plain_account WHERE tenant = '{SAVED}'")


def _service_people(url: str) -> Mapping[str, str]:
    tenants = sorted([MEASURED, *OTHERS, SAVED])
    key = errand(url, _PEOPLE.format(tenants=tenants)).split()[-1]
    return {"Authorization": f"Api-Key {key}"}


def _plain_people(url: str) -> Mapping[str, str]:
    with psycopg.connect(url, autocommit=True) as database:
        database.execute(f"CREATE SCHEMA {SCHEMA}")
    words = ("shell", "--no-imports", "-c", _PLAIN_PEOPLE, "--settings=tests.load.bench.plain.settings")
    command = [sys.executable, "-m", "django", *words]
    done = subprocess.run(
        command, cwd=PROJECT, env=environment(url), check=True, stdout=subprocess.PIPE, encoding="utf-8"
    )
    return {"Authorization": f"Token {done.stdout.split()[-1]}"}


def _copy_to_floor(database: "psycopg.Connection", service: Contestant, tenant: str) -> None:
    with database.cursor().copy("COPY floor.accounts FROM STDIN") as copy:
        for line in service.answer("ndjson", tenant).splitlines():
            document = orjson.loads(line)
            copy.write_row((tenant, document["id"], document["nature"], orjson.dumps(document).decode()))


def _copy_to_plain(database: "psycopg.Connection") -> None:
    """The columns have the same names there; only the tenant is a text and no key."""
    found = database.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_schema = %s AND table_name = 'plain_account' "
        "AND column_name NOT IN ('id', 'tenant')",
        [SCHEMA],
    )
    columns = ", ".join(name for (name,) in found)
    database.execute(
        f"INSERT INTO {SCHEMA}.plain_account (tenant, {columns}) SELECT db_id, {columns} FROM account_account "
        "JOIN repositories_repository AS repository ON repository.id = repository_id ORDER BY db_id, element_id"
    )
