"""Many elements are written in a few readings of the table, also where PostgreSQL knows nothing of the repository.

Its statistics are those of the other repositories: this one was loaded after they were gathered, and is too small to
have them gathered again. The rows that PostgreSQL itself says it has read in the test's transaction are counted.
SQLite is not asked to gather any, and looks up each id.
"""

import pytest
from django.db import connection

from dimensions_site.repositories.models import Repository
from tests.bulkops.jobs.deletions import start, status_of, work_now
from tests.bulkops.save.bulk import patch, save
from tests.factories import MAKERS, json_bytes

SIZE = 1_500
OTHERS = 8
SENT = 300
# Looked up, locked, compared, checked for clashes, written, copied to the history, returned: for some of it PostgreSQL
# reads the repository, or all of a table as small as this one. When it reads the repository for each element, it reads
# 450,000 rows; and 35,000 to 45,000 when it walks through the table for the history and the answer.
FEW_READINGS = 2 * SIZE * (OTHERS + 1)
CHANGE: dict[str, dict[str, object]] = {"account": {"documentationLink": "x"}, "currency": {"decimalNumbers": 4}}
BOTH = pytest.mark.parametrize("dimension", MAKERS)


def rows_read(dimension: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = %s",
            [f"{dimension}_{dimension}"],
        )
        (rows,) = cursor.fetchone()
    return int(rows)


@pytest.fixture
def unknown(alice, northwind, dimension: str) -> str:
    """A dimension with elements of Northwind, about which there are no statistics."""
    create, table = MAKERS[dimension], f"{dimension}_{dimension}"
    ids = [f"{number}" for number in range(SIZE)]
    save(alice, dimension, post=[create(id) for id in ids])
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT string_agg(quote_ident(column_name), ',') FROM information_schema.columns "
            "WHERE table_name = %s AND column_name NOT IN ('id', 'repository_id')",
            [table],
        )
        (columns,) = cursor.fetchone()
        for number in range(OTHERS):
            other = Repository.objects.create(db_id=f"other{number}", name="Other")
            cursor.execute(
                f"INSERT INTO {table} ({columns}, repository_id) "
                f"SELECT {columns}, {other.pk} FROM {table} WHERE repository_id = {northwind.pk}"
            )
        cursor.execute(f"DELETE FROM {table} WHERE repository_id = {northwind.pk}")
        cursor.execute(f"ANALYZE {table}")
    save(alice, dimension, post=[create(id) for id in ids])
    return dimension


if connection.vendor == "postgresql":

    @BOTH
    @pytest.mark.contract("E3")
    def test_a_bulk_save_reads_the_table_a_few_times(alice, unknown):
        create, change = MAKERS[unknown], CHANGE[unknown]
        sent = [f"{number}" for number in range(SENT)]
        bodies = {
            "put of unchanged": {"put": [create(id) for id in sent]},
            "put": {"put": [create(id, descriptions={"en": "Other"}) for id in sent]},
            "patch": {"patch": [patch(id, **change) for id in sent]},
            "post": {"post": [create(f"new{id}") for id in sent]},
        }
        read = {}
        for name, body in bodies.items():
            before = rows_read(unknown)
            save(alice, unknown, **body)
            read[name] = rows_read(unknown) - before
        assert {name: rows for name, rows in read.items() if rows > FEW_READINGS} == {}

    @pytest.mark.parametrize("dimension", ["account"])
    @pytest.mark.contract("F3")
    def test_a_deletion_reads_the_table_a_few_times(alice, unknown):
        oid = start(alice, [f"{number}" for number in range(SENT)], unknown)
        before = rows_read(unknown)
        work_now()
        assert status_of(alice, oid, unknown)["status"] == "COMPLETED"
        assert rows_read(unknown) - before <= FEW_READINGS

    @pytest.mark.parametrize("dimension", ["currency"])
    @pytest.mark.contract("H1")
    def test_a_synchronisation_reads_the_table_a_few_times(alice, unknown, run_import):
        kept = json_bytes([MAKERS[unknown](f"{number}") for number in range(SIZE - 50)])
        command = {"account": "import_accounts", "currency": "import_currencies"}[unknown]
        before = rows_read(unknown)
        outcome = run_import(command, kept, "--mode", "sync")
        assert outcome.refusal is None, outcome
        assert rows_read(unknown) - before <= FEW_READINGS

    @pytest.mark.parametrize("dimension", ["account"])
    @pytest.mark.contract("C17")
    def test_accounts_whose_logic_is_generated_are_found_a_few_times(alice, unknown, northwind):
        """Not once for each logic that the repository has already."""
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO account_calculationlogic (account_id, repository_id, name, computes, formula) "
                "SELECT id, repository_id, 'x', 'x', 'x' FROM account_account WHERE repository_id <> %s",
                [northwind.pk],
            )
            cursor.execute("ANALYZE account_calculationlogic")
        rules = {"grossAmountEqualICSum": True}
        for part in ("first", "second"):
            before = rows_read(unknown)
            save(alice, unknown, post=[MAKERS[unknown](f"{part}{number}", rules=rules) for number in range(SENT)])
        assert rows_read(unknown) - before <= FEW_READINGS
