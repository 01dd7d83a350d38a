"""No route reads the elements of all repositories to answer for one: the database finds them by an index.

The queries are those that the service asks, the table is so large that an index pays, and its statistics are there.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from account.models import Account
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from tests.bulkops.save.bulk import save
from tests.dimensions_site.administration.site.people import page, superuser
from tests.factories import Person, account, add_person, content, read
from tests.services.citus import IS_CITUS
from tests.storing import place_change_sets

pytestmark = pytest.mark.django_db
SIZE = 1_000
OTHERS = 12
# In the description of one element of each repository.
RARE = "Zwischenkonto"
POSTGRESQL = connection.vendor == "postgresql"
# SQLite has names of its own for the indexes of constraints.
BY_ID = "account_id_in_repository" if POSTGRESQL else "sqlite_autoindex_account_account_1"
# What the names of tables and indexes end with on the workers of a cluster.
SHARD = re.compile(r"_\d{6,}$")
# Statements name the repository there, and a worker may find it cheaper to read all of a small one.
not_in_shards = pytest.mark.skipif(IS_CITUS, reason="a shard with a few small repositories is read in other ways")
# How many rows may be read without need in a repository that was filled just now. A worker may read it once.
IN_VAIN = 2 * SIZE if IS_CITUS else SIZE // 10


@pytest.fixture(scope="module")
def northwind(stored_once: None) -> Repository:
    return Repository.objects.create(db_id="northwind", name="Northwind group")


@pytest.fixture(scope="module")
def alice(northwind: Repository) -> Person:
    return add_person("alice", northwind, Role.MANAGER)


@pytest.fixture(scope="module")
def large(alice: Person, northwind: Repository) -> None:
    """Northwind's chart, and the same in other repositories."""
    # Each has a generated calculation: a small table would be read as a whole.
    rules = {"grossAmountEqualICSum": True}
    numbers = range(SIZE - 1)
    chart = [account(f"{number:05}", descriptions={"en": f"Account {number}"}, rules=rules) for number in numbers]
    save(alice, "account", post=[*chart, account("rare", descriptions={"en": f"{RARE} A", "de": "Größe"})])
    place_change_sets()
    for table in ("account_account", "account_accountversion"):
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table} LIMIT 1")
            is_history = table == "account_accountversion"
            own = ["repository_id", "change_set_id"] if is_history else ["repository_id"]
            keys = {"number" if is_history else "id", *own}
            columns = ", ".join(column[0] for column in cursor.description if column[0] not in keys)
            for number in range(OTHERS):
                other, _ = Repository.objects.get_or_create(db_id=f"other{number}", defaults={"name": "Other"})
                # Each was saved by itself.
                values = [other.pk, uuid4() if POSTGRESQL else uuid4().hex][: len(own)]
                cursor.execute(
                    f"INSERT INTO {table} ({columns}, {', '.join(own)}) "
                    f"SELECT {columns}, {', '.join(['%s'] * len(own))} FROM {table} WHERE repository_id = %s",
                    [*values, northwind.pk],
                )
            cursor.execute(f"ANALYZE {table}")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO account_calculationlogic (account_id, repository_id, name, computes, formula) "
            "SELECT id, repository_id, '', '', '' FROM account_account WHERE repository_id <> %s",
            [northwind.pk],
        )
        cursor.execute("ANALYZE account_calculationlogic")
        if POSTGRESQL:
            # New rows wait to be sorted into the index; a server does so by itself.
            cursor.execute("SELECT gin_clean_pending_list('account_account_search')")


def plans(call: Callable[[], Any]) -> Iterator[str]:
    """The plan of each query of a call, a line for each step."""
    with CaptureQueriesContext(connection) as queries:
        content(call())
    for query in queries:
        sql = query["sql"]
        if not sql.startswith(("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")):
            continue
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}" if POSTGRESQL else f"EXPLAIN QUERY PLAN {sql}")
            if POSTGRESQL:
                (explained,) = cursor.fetchone()
                root = (json.loads(explained) if isinstance(explained, str) else explained)[0]["Plan"]
                yield "\n".join(steps(root))
            else:
                yield "\n".join(row[-1] for row in cursor.fetchall())


def steps(node: dict[str, Any]) -> Iterator[str]:
    names = (node.get("Relation Name", ""), node.get("Index Name", ""))
    yield " ".join([node["Node Type"], *(SHARD.sub("", name) if IS_CITUS else name for name in names)])
    for inner in below(node):
        yield from steps(inner)


def below(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The steps that a step is made of; on a cluster also those of its workers."""
    yield from node.get("Plans", ())
    yield from _plans_in(node.get("Distributed Query"))


def _plans_in(explained: Any) -> Iterator[dict[str, Any]]:
    if isinstance(explained, dict):
        if "Plan" in explained:
            yield explained["Plan"]
            return
        explained = list(explained.values())
    if isinstance(explained, list):
        for part in explained:
            yield from _plans_in(part)


def most_in_vain(call: Callable[[], Any]) -> int:
    """How many rows a step of the queries of a call reads and passes over at most, in queries of the history."""

    def passed_over(node: dict[str, Any]) -> Iterator[int]:
        yield int(node.get("Rows Removed by Filter", 0) * node["Actual Loops"])
        for inner in below(node):
            yield from passed_over(inner)

    with CaptureQueriesContext(connection) as queries:
        content(call())
    found = [0]
    for sql in (query["sql"] for query in queries if "account_accountversion" in query["sql"]):
        if not sql.startswith("SELECT") or "bulk_plan" in sql:  # a table that is gone
            continue
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
            (explained,) = cursor.fetchone()
        found.extend(passed_over((json.loads(explained) if isinstance(explained, str) else explained)[0]["Plan"]))
    return max(found)


def widest_sorted(call: Callable[[], Any]) -> int:
    """How many bytes the widest row has that a query of a call sorts."""

    def widths(node: dict[str, Any]) -> Iterator[int]:
        if "Sort" in node["Node Type"]:
            yield node["Plan Width"]
        for inner in below(node):
            yield from widths(inner)

    with CaptureQueriesContext(connection) as queries:
        content(call())
    found = [0]
    for sql in (query["sql"] for query in queries if "account_account" in query["sql"]):
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}")
            (explained,) = cursor.fetchone()
        found.extend(widths((json.loads(explained) if isinstance(explained, str) else explained)[0]["Plan"]))
    return max(found)


def scans(plan: str) -> list[str]:
    """The steps that read a whole table of elements, or of their history."""
    begin = ("Seq Scan account_", "SCAN account_")

    return [step for step in plan.splitlines() if step.startswith(begin)]


ROUTES = {
    "list": "elements",
    "page": "elements?skip=200&take=50",
    "page after the last id": "elements?filter=id=gt=00300&sort=id&take=50",
    "page in another order": "elements?sort=-type&take=50",
    "lines": "elements?filter=type==DETAIL&take=50",
    "one": "elements/00300",
    "nothing": "elements/missing",
    "count": "elements-count",
    "count of an enum": "elements-count?filter=type==DETAIL",
    "count of a leaf within a bundle": "elements-count?filter=dataEntryAndReporting.class==CASH",
    "containment in one language": f"elements?filter=descriptions.en=like={RARE}",
    "containment in any language": f"elements?filter=descriptions=ilike={RARE.upper()}",
    "containment in the id": "elements?filter=id=like=rare",
    "containment in the id in any case": "elements?filter=id=ilike=RARE",
    "fetch": "elements-fetch?properties=id,description&take=50",
}


@not_in_shards
@pytest.mark.contract("A6")
def test_what_is_read_over_rest_is_found_by_an_index(alice, large):
    scanned = {}
    for route, address in ROUTES.items():
        all_plans = list(plans(partial(alice.get, alice.account(address))))
        assert all_plans, route
        scanned[route] = [plan for plan in all_plans if scans(plan)]
    assert {route: found for route, found in scanned.items() if found} == {}


WRITES: dict[str, Callable[[Person], Any]] = {
    "post": lambda alice: alice.send("POST", alice.account(), account("new")),
    "put": lambda alice: alice.send("PUT", alice.account("elements/00300"), account("00300", documentationLink="x")),
    "patch": lambda alice: alice.send("PATCH", alice.account("elements/00300"), {"documentationLink": "x"}),
}


@pytest.mark.contract("A6")
def test_what_is_written_over_rest_is_found_by_an_index(alice, large):
    scanned = {}
    for name, write in WRITES.items():
        all_plans = list(plans(partial(write, alice)))
        assert all_plans, name
        scanned[name] = [plan for plan in all_plans if scans(plan)]
    assert {name: found for name, found in scanned.items() if found} == {}


def test_one_element_is_found_by_its_own_entry_in_the_index(alice, large):
    plan = "\n".join(plans(lambda: alice.get(alice.account("elements/00300"))))
    assert BY_ID in plan
    assert "(repository_id=? AND element_id=?)" in plan or POSTGRESQL


def test_a_page_after_the_last_id_is_read_in_the_order_of_the_index(alice, large):
    """Nothing is sorted, so it costs the same however many elements there are."""
    *_, plan = plans(lambda: alice.get(alice.account(ROUTES["page after the last id"])))
    assert BY_ID in plan
    assert "Sort" not in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.contract("D6")
@pytest.mark.parametrize("sort", ["", "&sort=-id"])
def test_elements_before_a_page_are_counted_in_the_index_and_not_looked_at(alice, large, sort):
    """They are many times as much to read: half of a large chart for a page in its middle."""
    *_, plan = plans(lambda: alice.get(alice.account(f"elements?skip=200&take=50{sort}")))
    assert (f"Index Only Scan account_account {BY_ID}" if POSTGRESQL else f"USING COVERING INDEX {BY_ID}") in plan


CATEGORIES = (
    "nature==BALANCE_SHEET",
    "type==DETAIL",
    "conversion.conversionType==AVERAGE",
    "dataEntryAndReporting.class=in=(ASSET,COST)",
    "nature==BALANCE_SHEET;type!=DETAIL",
)


if POSTGRESQL:

    @not_in_shards
    @pytest.mark.contract("D3")
    @pytest.mark.parametrize("condition", CATEGORIES)
    def test_accounts_are_counted_by_category_in_an_index_that_has_all_of_them(alice, large, condition):
        """The accounts themselves are many times as much to read."""
        *_, plan = plans(lambda: alice.get(alice.account(f"elements-count?filter={condition}")))
        assert "account_categories" in plan

    @not_in_shards
    @pytest.mark.contract("D2", "D3")
    def test_what_an_id_or_a_description_contains_is_found_by_the_index_of_searches(alice, large):
        for route in (route for route in ROUTES if route.startswith("containment")):
            *_, plan = plans(partial(alice.get, alice.account(ROUTES[route])))
            assert "account_account_search" in plan, (route, plan)

    @pytest.mark.contract("D2", "D6")
    def test_a_page_of_what_all_elements_have_is_read_in_the_order_of_the_index(alice, large):
        """Its first elements are enough, however many have the word; rare words are not searched in that way."""
        *_, plan = plans(partial(alice.get, alice.account("elements?filter=descriptions.en=like=Account&take=50")))
        assert BY_ID in plan
        assert "Sort" not in plan

    @not_in_shards
    def test_a_search_in_the_administration_is_found_by_the_index_of_searches(large):
        browser = superuser()
        for address in ("?q=zwischenKONTO", "?q=rare", "?q=zwischenkonto+größe"):
            found = [plan for plan in plans(partial(browser.get, page(Account) + address)) if "account_account" in plan]
            assert found, address
            assert [plan for plan in found if "account_account_search" not in plan] == []

    @not_in_shards  # their lists as of a moment sort rows (sharding.md)
    @pytest.mark.contract("I3", "J1")
    def test_the_elements_of_a_moment_and_the_feed_are_read_in_order_and_not_sorted_whole(alice, large):
        listed = alice.get(alice.account("elements?take=1"))
        token = listed.headers["Sync-Token"]
        content(listed)
        save(alice, "account", put=[account(f"{number:05}") for number in range(100)])
        addresses = [f"elements?asOf={token}", f"elements?asOf={token}&sort=-type", f"elements-changes?since={token}"]
        for address in addresses:
            assert widest_sorted(partial(alice.get, alice.account(address))) < 200, address

    @pytest.mark.contract("J2")
    @pytest.mark.parametrize("what", ["comparison", "undo"])
    def test_a_comparison_and_an_undo_read_only_what_has_changed_in_a_repository_that_the_statistics_do_not_know(
        alice, large, contoso, what
    ):
        """Those of the database say that it has next to nothing; it was filled since they were taken."""
        AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.MANAGER)
        path = alice.account("elements-bulk", "contoso")
        chart = [account(f"{number:05}") for number in range(SIZE)]
        read(alice.send("POST", path, {"post": chart}))
        place_change_sets()
        listed = alice.get(alice.account("elements?take=1", "contoso"))
        before = listed.headers["Sync-Token"]
        content(listed)
        few = [{"key": {"id": f"{number:05}"}, "data": {"documentationLink": "x"}} for number in range(10)]
        read(alice.send("POST", path, {"patch": few}))
        place_change_sets()
        if what == "comparison":
            address = alice.account(f"elements-compare?{urlencode({'from': before})}", "contoso")
            assert len(json.loads(content(alice.get(address)))) == len(few)
            assert most_in_vain(partial(alice.get, address)) < IN_VAIN
        else:
            (last, *_) = read(alice.get(alice.account("elements-changesets", "contoso")))
            undo = partial(alice.send, "POST", alice.account("elements-plans", "contoso"), {"undo": last["id"]})
            assert most_in_vain(undo) < IN_VAIN


@not_in_shards
def test_the_form_and_the_history_of_an_element_are_found_by_an_index(northwind, large):
    browser = superuser()
    element = Account.of(northwind).get(element_id="rare")
    for name in ("change", "history"):
        all_plans = list(plans(partial(browser.get, page(Account, name, element.pk))))
        assert [plan for plan in all_plans if scans(plan)] == [], name
