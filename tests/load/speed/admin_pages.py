"""Times pages of the administration; runs inside a process that has Django set up, such as `manage.py shell -c`."""

import sys
import time
from statistics import median

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from account.models import Account

_ROUNDS = 5
_RARE, _FREQUENT, _MISSING = "0099", "bank cash", "nowhere"
# Conditions of the list and columns that are no usual ones.
_FILTERS = {
    "P&L without German text": "filter=nature==PROFIT_AND_LOSS;descriptions.de=isnull=true",
    "id starts with 0099": "filter=id>=0099;id<009:",
    "German text contains bank": "filter=descriptions.de=ilike=bank",
    "columns from JSON": "columns=descriptions.de,rules.accrual.debitAccrual.id,cashFlowPlanning.liquidity.debit.id",
}


def measure() -> None:
    """Print what the list, searches and a form of accounts take, and the query plan of a search."""
    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get(username="alice"))
    listed = reverse("admin:account_account_changelist")
    form = reverse("admin:account_account_change", args=[Account.objects.order_by("element_id")[500].pk])
    searches = {f"search for '{words}'": f"{listed}?q={words}" for words in (_RARE, _FREQUENT, _MISSING)}
    filters = {name: f"{listed}?{query}" for name, query in _FILTERS.items()}
    for name, address in {"list": listed, "form": form, **searches, **filters}.items():
        client.get(address)  # What is loaded once is not part of it.
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        count = len(queries)  # The next request begins the log again.
        seconds = median(_seconds(client, address) for _ in range(_ROUNDS))
        sys.stdout.write(f"{connection.vendor:10} {name:36} {count:3} queries {seconds * 1000:7.0f} ms\n")
    with CaptureQueriesContext(connection) as queries:
        client.get(searches[f"search for '{_MISSING}'"])
    _print_plan(next(query["sql"] for query in queries if _MISSING in query["sql"]))


def _seconds(client: Client, address: str) -> float:
    start = time.perf_counter()
    client.get(address)
    return time.perf_counter() - start


def _print_plan(statement: str) -> None:
    explain = "EXPLAIN ANALYZE" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
    with connection.cursor() as cursor:
        # The statement is as the database got it, its values in it; a % in it is no place for another one.
        cursor.execute(f"{explain} {statement}")
        for row in cursor.fetchall():
            sys.stdout.write(f"    {row[-1]}\n")
