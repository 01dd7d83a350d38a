"""A state, the feed and a comparison read the change sets that they are about, however many there are besides."""

from uuid import uuid4

import pytest
from django.db import connection

from dimensions_site.changes.models import SLOTS, ChangeSet, Slot
from dimensions_site.repositories.models import Repository
from tests.bulkops.save.bulk import save
from tests.dimensions_site.elements.history.calls import answer, changes, token
from tests.factories import currency
from tests.services.citus import IS_CITUS
from tests.storing import place_change_sets

OTHERS = 3_000
SIZE = 200
FEW = 5

pytestmark = pytest.mark.skipif(connection.vendor != "postgresql", reason="what is counted is PostgreSQL's")


def rows_read() -> int:
    """How many change sets this transaction has read."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'changes_changeset'"
        )
        return int(cursor.fetchone()[0])


def add_change_sets(repository: Repository, first: int, count: int) -> None:
    """Place change sets that wrote nothing, in all slots."""
    common = {"repository": repository, "dimension": "currency", "user": "alice", "channel": "REST"}
    counts = dict.fromkeys(("created", "changed", "deleted"), 0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        (now,) = cursor.fetchone()
    made = [
        ChangeSet(id=uuid4(), slot=number % SLOTS, number=first + number // SLOTS, committed_at=now, **common, **counts)
        for number in range(count)
    ]
    ChangeSet.objects.bulk_create(made)
    last = {one.slot: one for one in made}.values()
    Slot.objects.bulk_create(
        [
            Slot(repository=repository, dimension="currency", slot=one.slot, number=one.number, last=one.pk)
            for one in last
        ],
        update_conflicts=True,
        unique_fields=["repository", "dimension", "slot"],
        update_fields=["number", "last"],
    )


@pytest.mark.contract("I3", "J2")
@pytest.mark.skipif(IS_CITUS, reason="a shard with a few small repositories is read in other ways")
def test_what_changed_since_then_reads_no_older_change_sets(alice, northwind):
    add_change_sets(northwind, 1_000, OTHERS)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE changes_changeset")
    before = token(alice, dimension="currency")
    for number in range(FEW):
        save(alice, "currency", post=[currency(f"C{number}")])
        place_change_sets()
    begun = rows_read()
    assert len(changes(alice, before, dimension="currency")) == FEW
    assert rows_read() - begun <= 10 * FEW
    begun = rows_read()
    assert len(answer(alice, "compare", "currency", **{"from": before})) == FEW
    assert rows_read() - begun <= 30 * FEW


@pytest.mark.contract("J1")
@pytest.mark.skipif(IS_CITUS, reason="a shard with a few small repositories is read in other ways")
def test_a_state_reads_the_later_change_sets_once(alice, northwind):
    """Not once for each version, where the statistics know neither these versions nor these change sets."""
    other = Repository.objects.create(db_id="other", name="Other")
    save(alice, "currency", post=[currency(f"C{number}") for number in range(SIZE)])
    place_change_sets()
    ids = range(SIZE)
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM currency_currencyversion LIMIT 1")
        columns = ", ".join(one[0] for one in cursor.description if one[0] not in ("number", "repository_id"))
        for _ in ids[:20]:
            cursor.execute(
                f"INSERT INTO currency_currencyversion ({columns}, repository_id) "
                f"SELECT {columns}, {other.pk} FROM currency_currencyversion WHERE repository_id = {northwind.pk}"
            )
        cursor.execute("DELETE FROM currency_currencyversion WHERE repository_id = %s", [northwind.pk])
        cursor.execute("ANALYZE currency_currencyversion, changes_changeset")
    save(alice, "currency", put=[currency(f"C{number}", decimalNumbers=1) for number in range(SIZE)])
    place_change_sets()
    moment = token(alice, "elements?take=1", "currency")
    add_change_sets(northwind, 1_000, OTHERS)
    begun = rows_read()
    assert len(answer(alice, "", "currency", asOf=moment)) == SIZE
    assert rows_read() - begun <= 5 * OTHERS
