"""How many queries a bulk save costs: the number does not grow with the elements that are read together."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bulkops.session.entries import STORED_BATCH
from tests.bulkops.save.bulk import patch, path
from tests.costs import statements
from tests.factories import account, content, currency, read
from tests.services.citus import IS_CITUS

pytestmark = pytest.mark.contract("E1")

# The client and its role 1, the repository's lock 1, the plan with its indexes and clashes 6, how many are new or
# changed 1; the tables for staging, which PostgreSQL drops by itself, and whose rows it copies.
NOTHING_WRITTEN = {"sqlite": 16, "postgresql": 18}
# New elements with their history, and on SQLite their new keys; changed ones with their history; each with the change
# set, whose slot is locked before and advanced after. PostgreSQL does that in one statement; Citus reads the time, too.
PLACED = 4 if IS_CITUS else 1
NEW, CHANGED = {"sqlite": (6, 5), "postgresql": (2 + PLACED, 2 + PLACED)}[connection.vendor]
# The generated logic of accounts, removed and added.
LOGIC = 2
# What a patch changes: the elements, locked, and their texts. Which elements of a merge must be read again. The oids of
# currencies in put and merge; whether they have others by the time that they are written.
STORED, UNMERGED, OIDS, OUTDATED = 2, 1, 1, 1
# Elements of a merge that leave something out, staged by themselves.
MERGED = UNMERGED + STORED + {"sqlite": 0, "postgresql": 1}[connection.vendor]
# The saved accounts in their order; the elements that others refer to.
ANSWER, REFERENCES = 2, 1
# As many as are read together with what is stored.
COUNTS = pytest.mark.parametrize("count", [1, STORED_BATCH])


def cost(person, dimension, **body):
    """The number of queries of a call, but for those that open and close transactions."""
    with CaptureQueriesContext(connection) as queries:
        response = person.send("POST", path(person, dimension), body)
        assert response.status_code == 200, content(response)[:500]
        content(response)
    return len(statements(queries))


@pytest.mark.contract("E3", "C17", "C18")
@COUNTS
@pytest.mark.django_db(transaction=True)
def test_accounts_cost_the_same_however_many_they_are(alice, count):
    """New, replaced, unchanged, patched and checked ones."""
    base = NOTHING_WRITTEN[connection.vendor] + ANSWER
    new = [account(f"{number}") for number in range(count)]
    changed = [account(f"{number}", type="DETAIL") for number in range(count)]
    patches = [patch(f"{number}", documentationLink="x") for number in range(count)]
    referring = [account(f"r{n}", rules={"accrual": {"debitAccrual": {"id": f"{n}"}}}) for n in range(count)]

    assert cost(alice, "account", post=new) == base + NEW + LOGIC
    assert cost(alice, "account", put=new) == base
    assert cost(alice, "account", put=changed) == base + CHANGED + LOGIC
    assert cost(alice, "account", patch=patches) == base + STORED + CHANGED + LOGIC
    assert cost(alice, "account", patch=patches) == base + STORED
    assert cost(alice, "account", merge=new) == base + MERGED + CHANGED + LOGIC
    assert cost(alice, "account", merge=new) == base + MERGED
    complete = read(alice.get(alice.account()))
    assert cost(alice, "account", merge=complete) == base + UNMERGED
    assert cost(alice, "account", post=referring, saveMode="STRICT") == base + NEW + LOGIC + REFERENCES


@pytest.mark.contract("E3", "C2", "C18")
@COUNTS
@pytest.mark.django_db(transaction=True)
def test_currencies_cost_the_same_however_many_they_are(alice, count):
    """Their oids are looked up, and they are not returned."""
    base = NOTHING_WRITTEN[connection.vendor] + OUTDATED
    new = [currency(f"{number}") for number in range(count)]
    changed = [currency(f"{number}", decimalNumbers=3) for number in range(count)]
    patches = [patch(f"{number}", decimalNumbers=4) for number in range(count)]
    referring = [currency(f"r{n}", referenceCurrency={"id": f"{n}"}) for n in range(count)]

    assert cost(alice, "currency", post=new) == base + NEW
    assert cost(alice, "currency", put=new) == base + OIDS
    assert cost(alice, "currency", put=changed) == base + OIDS + CHANGED
    assert cost(alice, "currency", patch=patches) == base + STORED + CHANGED
    assert cost(alice, "currency", patch=patches) == base + STORED
    assert cost(alice, "currency", merge=new) == base + OIDS + MERGED + CHANGED
    assert cost(alice, "currency", merge=new) == base + OIDS + MERGED
    complete = read(alice.get(alice.currency()))
    assert cost(alice, "currency", merge=complete) == base + OIDS + UNMERGED
    assert cost(alice, "currency", post=referring, saveMode="STRICT") == base + NEW + REFERENCES
