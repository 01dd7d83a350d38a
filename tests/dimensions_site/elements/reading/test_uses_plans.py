"""What refers to an element is found in indexes, by every leaf (contract L; design/references.md)."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.http import JsonResponse

from account.models import ACCOUNT, Account
from account.serializers import ACCOUNT_WIRE
from bulkops.jobs.refusals import find_refused
from bulkops.models import DataProcessing
from dimensions_site.elements.declaration.indexes import reference_indexes
from dimensions_site.repositories.models import Repository
from tests.bulkops.jobs.deletions import start
from tests.dimensions_site.elements.reading.test_query_plans import plans, scans
from tests.dimensions_site.elements.reading.test_uses import PATHS, user
from tests.storing import store_accounts

pytestmark = [pytest.mark.django_db, pytest.mark.contract("L1")]
SIZE = 4_800
NAMES = {index.name for index in reference_indexes("account", ACCOUNT_WIRE)}


@pytest.fixture(scope="module")
def northwind(stored_once: None) -> Repository:
    """Each account refers to the one after it, by one leaf or another."""
    northwind = Repository.objects.create(db_id="northwind", name="Northwind group")
    store_accounts(northwind, *(user(f"{n:05}", PATHS[n % len(PATHS)], f"{n + 1:05}") for n in range(SIZE)))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE account_account")
    return northwind


def used(all_plans: Iterator[str]) -> tuple[set[str], list[str]]:
    """The indexes of references in the plans, and the steps that read all accounts."""
    found = list(all_plans)
    return {name for name in NAMES if any(name in plan for plan in found)}, [s for plan in found for s in scans(plan)]


def test_the_model_has_an_index_for_each_declared_reference():
    assert len(NAMES) == len(PATHS) == 16
    assert {index.name for index in Account._meta.indexes} > NAMES


@pytest.mark.parametrize("count", [1, 100])
def test_uses_are_found_by_the_index_of_each_leaf(rita, count):
    ids: Any = [f"{n:05}" for n in range(count)]
    all_plans = plans(partial(rita.get, rita.account("elements-uses"), {"id": ids}))
    assert used(all_plans) == (NAMES, [])


@pytest.mark.contract("L2")
def test_a_deletion_that_leaves_what_is_in_use_finds_it_by_the_index_of_each_leaf(alice, northwind):
    """For the whole list: the recursion reads what was found, and no elements."""
    start(alice, [f"{n:05}" for n in range(0, 200, 2)], query="?references=refuse")
    deletion = DataProcessing.objects.get()
    all_plans = plans(lambda: find_refused(deletion, ACCOUNT) and JsonResponse({}))
    assert used(all_plans) == (NAMES, [])


def test_unused_elements_of_a_page_are_found_by_the_index_of_each_leaf(rita):
    all_plans = plans(partial(rita.get, rita.account("elements?unused=true&take=20")))
    assert used(all_plans) == (NAMES, [])
