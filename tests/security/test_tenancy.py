"""The content of one repository is invisible to the people of another."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.urls import get_resolver, reverse

from bulkops.models import DataProcessing, DeletionChunk, Status, new_oid
from dimensions_site.repositories.models import AccessGrant, Role
from tests.bulkops.jobs.deletions import ASYNC, start, work_now
from tests.dimensions import DIMENSIONS
from tests.dimensions_site.api.test_methods import PERMITTED
from tests.factories import account, add_person, content, currency, read
from tests.routes import api_routes
from tests.storing import store_accounts, store_currencies

pytestmark = pytest.mark.contract("G2", "A6")

# Words that are in Northwind's elements and nowhere else.
SECRETS = ("NWCODE", "nw-oid", "nw-words", "nw-link", "nw-deleted", "nw-person")
# Other arguments of a route than `{dbID}` name what Northwind has.
ARGUMENTS = {"id": "NWCODE", "oid": "0f3c6f1e-57a4-4a86-9a53-1d2b7c9e8f60"}
QUERIES = ("", "?properties=id,description", "?filter=id==NWCODE", "?id=NWCODE")


@pytest.fixture
def filled(northwind, contoso):
    store_currencies(northwind, currency("NWCODE", oid="nw-oid", descriptions={"en": "nw-words"}), currency("EUR"))
    store_accounts(northwind, account("NWCODE", documentationLink="nw-link"), account("1000"))
    for dimension, oid in (("account", ARGUMENTS["oid"]), ("currency", new_oid())):
        processing = DataProcessing.objects.create(
            repository=northwind,
            dimension=dimension,
            oid=oid,
            requester="nw-person",
            request_date_time=datetime(2026, 1, 31, tzinfo=UTC),
            requested=2,
            not_found=["nw-deleted"],
        )
        DeletionChunk.objects.create(processing=processing, position=0, ids=["NWCODE"])
    store_currencies(contoso, currency("EUR", oid="c-oid", descriptions={"de": "Euro of Contoso"}))
    store_accounts(contoso, account("1000", descriptions={"de": "Kasse of Contoso"}))


def tells_a_secret(response):
    text = content(response).decode() + str(response.headers)
    return [word for word in SECRETS if word in text.replace(response.request["PATH_INFO"], "")]


def test_no_route_reveals_the_content_of_another_repository(filled, alice, bob):
    """Every route of bob's own repository, asked for what only Northwind has; Northwind's deletions continue."""
    tokens = {dimension: alice.get(alice.elements(dimension))["Sync-Token"] for dimension in DIMENSIONS}
    for route in api_routes():
        path = route.path("contoso", **ARGUMENTS)
        token = tokens[route.namespace.partition("-")[0]]
        states = (f"?since={token}", f"?asOf={token}", f"?from={token}&fromRepository=northwind")
        calls = [("GET", query) for query in (*QUERIES, *states)] if "GET" in PERMITTED[route.name] else []
        for method, query in (*calls, *((method, "") for method in ("POST", "PATCH", "DELETE"))):
            response = bob.send(method, path + query, {})
            assert response.status_code < 500, (str(route), method, query)
            assert not [word for word in tells_a_secret(response) if word != "NWCODE"], (str(route), method, query)
            assert b"nw-" not in content(response), (str(route), method, query)
    assert set(DataProcessing.objects.values_list("status", flat=True)) == {Status.RUNNING}


def test_every_route_names_its_repository_or_is_known_to_need_none():
    """A new address outside of the REST API has to be considered here: those below `auth` know users alone."""
    beside = {str(entry.pattern).split("/")[0] for entry in get_resolver().url_patterns} - {"api", "dimensions"}
    assert beside <= {"", "auth", "health", "admin", "openapi", "favicon.ico", "docs", "version"}


@pytest.mark.parametrize("page", ["landing", "health-live", "health-ready"])
def test_public_pages_reveal_nothing_of_any_repository(filled, client, page):
    """They are public."""
    client.raise_request_exception = False
    response = client.get(reverse(page))
    assert not tells_a_secret(response)
    assert "northwind" not in content(response).decode().lower()


def test_the_same_ids_in_two_repositories_are_two_elements(filled, alice, bob):
    """Reading, changing, counting: each sees and changes its own."""
    for mine, other, db_id in ((alice, bob, "northwind"), (bob, alice, "contoso")):
        theirs = "contoso" if db_id == "northwind" else "northwind"
        before = other.get(other.currency("elements/EUR", theirs)).json()
        changed = mine.send("PATCH", mine.currency("elements/EUR", db_id), {"decimalNumbers": 7})
        assert changed.json()["decimalNumbers"] == 7
        replaced = mine.send("PUT", mine.account("elements/1000", db_id), account(descriptions={"en": db_id}))
        assert replaced.status_code == 200
        assert other.get(other.currency("elements/EUR", theirs)).json() == before
    assert {element["id"] for element in read(bob.get(bob.currency(db_id="contoso")))} == {"EUR"}
    assert bob.get(bob.account("elements-count", "contoso")).json() == 1
    assert alice.get(alice.account("elements-count")).json() == 2


@pytest.mark.contract("F7")
def test_a_deletion_in_one_repository_deletes_nothing_in_another(filled, northwind, alice, bob):
    """Contoso names what both have, and what only Northwind has."""
    DataProcessing.objects.all().delete()
    oid = start(bob, ["1000", "NWCODE"], "account", "contoso")
    work_now()
    (status,) = bob.get(bob.account(f"{ASYNC}/{oid}", "contoso")).json()
    assert (status["parameters"][0]["deleted"], status["parameters"][0]["notFound"]) == (1, ["NWCODE"])
    assert bob.get(bob.account("elements-count", "contoso")).json() == 0
    assert bob.get(bob.currency("elements-count", "contoso")).json() == 1
    assert alice.get(alice.account("elements-count")).json() == 2


@pytest.mark.contract("E1")
def test_a_bulk_save_in_one_repository_writes_nothing_in_another(filled, northwind, alice, bob):
    """Contoso creates, replaces and changes what Northwind has, too; what only Northwind has it cannot change."""
    before = read(alice.get(alice.currency()))
    address = bob.currency("elements-bulk", "contoso")
    change = {"key": {"id": "EUR"}, "data": {"decimalNumbers": 7}}
    saved = bob.send("POST", address, {"post": [currency("NWCODE", oid="nw-oid")], "patch": [change]})
    assert saved.status_code == 200, saved.content
    refused = bob.send("POST", address, {"patch": [{"key": {"id": "GBP"}, "data": {}}]})
    assert refused.json()["code"] == "ELEMENT_NOT_FOUND"
    assert read(alice.get(alice.currency())) == before
    assert bob.get(bob.currency("elements/EUR", "contoso")).json()["decimalNumbers"] == 7


def test_one_client_may_have_different_roles_in_different_repositories(filled, contoso, northwind):
    """The role counts in the repository that the path names."""
    carol = add_person("carol", northwind, Role.READER)
    AccessGrant.objects.create(user=User.objects.get(username="carol"), repository=contoso, role=Role.EDITOR)
    assert carol.send("POST", carol.currency(), currency("A")).status_code == 403
    assert carol.send("POST", carol.currency(db_id="contoso"), currency("A")).status_code == 201
