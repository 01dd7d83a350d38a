"""Fills the database stage by stage: a few accounts over REST, and all others by multiplying them in SQL."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg

from tests.load.bench.addresses import Name
from tests.load.bench.bodies import bulk
from tests.load.bench.contestants import Contestant, running
from tests.load.bench.loading import tidy
from tests.load.growth.bodies import RARE, accounts
from tests.load.growth.stages import LARGE, OTHERS, Stage
from tests.services.clerk import errand
from tests.services.database import migrated_database

# Old versions are purged that others had replaced before that many days; each account was made, and changed once,
# longer ago.
KEPT_DAYS = 365
_MADE, _CHANGED = "now() - interval '800 days'", "now() - interval '400 days'"
# The rare word has as many hits at every stage: those of the base, and one in each of the other repositories.
_RARE_IN_OTHERS = 8
_PEOPLE = """
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
User.objects.create_user("alice")
for db_id in {tenants}:
    call_command("create_repository", db_id, name=db_id)
    call_command("grant_access", "alice", db_id, "manager")
browser = Client()
browser.force_login(User.objects.create_superuser("root"))
print(browser.cookies["sessionid"].value)
call_command("create_api_key", "alice", name="growth")
"""
_COLUMNS = """
SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'account_account'
AND column_name NOT IN ('id', 'repository_id', 'element_id', 'descriptions') ORDER BY ordinal_position
"""
# Each description contains the number; a number of the base is followed by a blank.
_MULTIPLY = """
INSERT INTO account_account (repository_id, element_id, descriptions, {columns})
SELECT %(repository)s, lpad(number::text, 7, '0'), replace(
    CASE WHEN number < %(rare)s THEN texts ELSE replace(texts, %(word)s, '') END,
    '"' || number %% %(base)s || ' ', '"' || number || ' ')::jsonb, {columns}
FROM generate_series(0, %(count)s - 1) AS number
JOIN (SELECT *, descriptions::text AS texts FROM growth_base) AS base
    ON base.element_id = lpad((number %% %(base)s)::text, 7, '0')
WHERE NOT EXISTS (SELECT FROM account_account AS there WHERE there.repository_id = %(repository)s
    AND there.element_id = lpad(number::text, 7, '0'))
ORDER BY number
"""
_LOGIC = """
INSERT INTO account_calculationlogic (repository_id, account_id, name, computes, formula)
SELECT account_account.repository_id, account_account.id, name, computes, formula FROM account_account
CROSS JOIN (SELECT name, computes, formula FROM account_calculationlogic LIMIT 1) AS logic
WHERE gross_amount_equal_ic_sum AND account_account.id > %s
"""
_SLOT = """
INSERT INTO changes_slot (repository_id, dimension, slot, number, last, committed_at, horizon)
VALUES (%(repository)s, 'account', 0, 1, %(id)s, {date}, 0)
ON CONFLICT (repository_id, dimension, slot) DO UPDATE SET number = changes_slot.number + 1, last = EXCLUDED.last
"""
_CHANGE_SET = """
INSERT INTO changes_changeset (id, repository_id, dimension, slot, number, "user", channel, committed_at, created,
    changed, deleted)
SELECT last, repository_id, dimension, slot, number, 'alice', 'IMPORT', {date}, 0, 0, 0
FROM changes_slot WHERE last = %(id)s
"""
_VERSIONS = """
INSERT INTO account_accountversion (id, repository_id, element_id, descriptions, {columns}, change, change_set_id)
SELECT id, repository_id, element_id, descriptions, {columns}, '{kind}', %(id)s
FROM account_account WHERE repository_id = %(repository)s AND id > %(after)s ORDER BY id
"""


@dataclass(frozen=True)
class Rig:
    """The database, with `base` accounts to be multiplied, and the service; `session` is that of a superuser."""

    url: str
    database: "psycopg.Connection"
    base: int
    service: Contestant
    session: Mapping[str, str]
    folder: Path

    @contextmanager
    def alone(self, **variables: str) -> Iterator[Contestant]:
        """Another service with the same database, freshly started, until the block ends."""
        with running(Name.SERVICE, self.url, self.service.credentials, self.folder, **variables) as service:
            yield service


@contextmanager
def prepared(server_url: str, folder: Path, base: int) -> Iterator[Rig]:
    """A new database of that PostgreSQL server with the repositories and the base, until the block ends."""
    with migrated_database(folder, server_url) as url, psycopg.connect(url, autocommit=True) as database:
        *_, session, _, key = errand(url, _PEOPLE.format(tenants=(LARGE, *OTHERS))).splitlines()
        with running(Name.SERVICE, url, {"Authorization": f"Api-Key {key}"}, folder) as service:
            service.call("POST", service.addresses.of("bulk", LARGE), bulk("post", accounts(base)))
            database.execute(f"UPDATE changes_changeset SET committed_at = {_MADE}")
            # Room within the table would take in what is saved later, and hide what the history grows by.
            database.execute("VACUUM FULL account_accountversion")
            database.execute("CREATE TABLE growth_base AS SELECT * FROM account_account")
            yield Rig(url, database, base, service, {"Cookie": f"sessionid={session}"}, folder)


def grow(rig: Rig, stage: Stage) -> None:
    """Bring each repository up to the accounts that it has at this stage, with two old versions of each new account.

    Accounts of before get one more version. So there is one for each account that need not be kept.
    """
    database = rig.database
    columns = ", ".join(name for (name,) in database.execute(_COLUMNS))
    # What was deleted at the stage before is there again, as if it had always been.
    database.execute("DELETE FROM account_accountversion WHERE id NOT IN (SELECT id FROM account_account)")
    (before,) = database.execute("SELECT max(id) FROM account_account").fetchone() or (0,)
    for tenant, count in stage.sizes():
        (repository,) = database.execute(
            "SELECT id FROM repositories_repository WHERE db_id = %s", [tenant]
        ).fetchone() or (0,)
        parameters = {"repository": repository, "count": count, "base": rig.base, "word": f", {RARE}"}
        parameters["rare"] = rig.base if tenant == LARGE else _RARE_IN_OTHERS
        database.execute(_MULTIPLY.format(columns=columns), parameters)
        for kind, date, after in (("+", _MADE, before), ("~", _CHANGED, 0)):
            placed = {"repository": repository, "id": uuid4(), "after": after}
            for statement in (_SLOT, _CHANGE_SET, _VERSIONS):
                database.execute(statement.format(columns=columns, kind=kind, date=date), placed)
    database.execute(_LOGIC, [before])
    tidy(database, analyse=True)


def forget_saved(rig: Rig, first: int) -> None:
    """Delete the accounts of the large repository from this number on, and their history, without a trace."""
    of_them = "repository_id = (SELECT id FROM repositories_repository WHERE db_id = %s) AND element_id >= %s"
    parameters = [LARGE, f"{first:07}"]
    for statement in (
        f"DELETE FROM account_calculationlogic WHERE account_id IN (SELECT id FROM account_account WHERE {of_them})",
        f"DELETE FROM account_account WHERE {of_them}",
        f"DELETE FROM account_accountversion WHERE {of_them}",
    ):
        rig.database.execute(statement, parameters)
