"""What the database alone takes to upsert prepared rows of accounts; runs inside `manage.py shell -c`."""

import json
import sys
import time
from collections.abc import Sequence
from typing import Any

from django.db import connection, transaction

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from dimensions_site.api.json.elements import RawElement
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.elements.declaration.fields import ElementContext
from dimensions_site.elements.writing.decoding import decoder_of
from dimensions_site.elements.writing.saving import Provenance
from dimensions_site.repositories.models import Repository
from tests.services.big_bodies import accounts

TABLE = "raw_upsert"


def measure(count: int) -> None:
    """Print the seconds that inserting, and then updating, `count` accounts take, as JSON."""
    repository = Repository.objects.get(db_id="northwind")
    decoder, context = decoder_of(ACCOUNT_WIRE), ElementContext(repository.default_language)
    provenance = Provenance(Actor(SYSTEM, Channel.REST)).columns
    columns = ["repository_id", *decoder.columns, *provenance]
    _make_table()
    seconds = {}
    for name, changed in (("insert", False), ("update", True)):
        rows = []
        for element in accounts(count, changed=changed):
            values = decoder.fast(RawElement(json.dumps(element, ensure_ascii=False).encode()), context)
            assert values is not None
            rows.append(_prepared([repository.pk, *values, *provenance.values()], columns))
        start = time.perf_counter()
        with transaction.atomic():
            _upsert(columns, rows)
        seconds[name] = time.perf_counter() - start
    sys.stdout.write(json.dumps(seconds))


def _prepared(row: list[Any], columns: Sequence[str]) -> Sequence[Any]:
    for position, column in enumerate(columns):
        if (
            Account._meta.get_field(
                column.removesuffix("_id") if column == "repository_id" else column
            ).get_internal_type()
            == "DateTimeField"
        ):
            row[position] = connection.ops.adapt_datetimefield_value(row[position])
    return row


def _make_table() -> None:
    source = Account._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"CREATE TABLE {TABLE} (LIKE {source} INCLUDING ALL)")
            return
        cursor.execute(
            "SELECT sql FROM sqlite_master WHERE tbl_name = %s AND sql IS NOT NULL ORDER BY type DESC", [source]
        )
        for (statement,) in cursor.fetchall():
            cursor.execute(statement.replace(source, TABLE).replace('INDEX "', 'INDEX "raw_'))


def _upsert(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    names = ", ".join(columns)
    sets = ", ".join(f"{name} = excluded.{name}" for name in columns)
    conflict = f"ON CONFLICT (repository_id, element_id) DO UPDATE SET {sets}"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"CREATE TEMP TABLE raw_rows ON COMMIT DROP AS SELECT {names} FROM {TABLE} WHERE false")
            with cursor.copy(f"COPY raw_rows ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            cursor.execute(f"INSERT INTO {TABLE} ({names}) SELECT {names} FROM raw_rows {conflict}")
        else:
            marks = ", ".join("?" * len(columns))
            connection.connection.executemany(f"INSERT INTO {TABLE} ({names}) VALUES ({marks}) {conflict}", rows)
