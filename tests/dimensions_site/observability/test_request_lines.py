"""Each request logs one line: who called, how they authenticated, from where, its target and its result."""

import base64
import logging

import pytest
from django.db import OperationalError
from django.test import Client

from dimensions_site.elements.rest.views import ElementViewSet
from tests.dimensions_site.observability.lines import line, lines
from tests.factories import Person, account, add_person, content, currency
from tests.storing import store_accounts

ELEMENTS = "/api/aih/dimensions/v1/<str:db_id>/currency/elements"


@pytest.fixture(autouse=True)
def everything(caplog):
    caplog.set_level(logging.INFO)


@pytest.mark.django_db(transaction=True)
def test_a_write_logs_person_mode_address_route_repository_status_and_rows(alice, caplog):
    """The route is the pattern of the address; one row was written, and read for the answer."""
    alice.send("POST", alice.currency(), currency())
    assert line(caplog, "request_finished") == {
        "user": "alice",
        "mode": "api-key",
        "address": "127.0.0.1",
        "method": "POST",
        "route": ELEMENTS,
        "repository": "northwind",
        "dimension": "currency",
        "status": 201,
        "rows_read": 1,
        "rows_written": 1,
        "level": "info",
    }


def test_the_duration_is_reported_in_milliseconds(alice, caplog):
    alice.get(alice.currency("elements-count"))
    (record,) = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
    assert 0 < record["duration_ms"] < 60_000


def test_a_list_shows_at_its_end_how_many_rows_were_read(alice, northwind, caplog):
    """The line at its beginning counts the first piece only."""
    store_accounts(northwind, *(account(f"{number:04}") for number in range(450)))
    content(alice.get(alice.account()))
    assert line(caplog, "request_finished")["rows_read"] == 200
    finished = line(caplog, "streaming_finished")
    assert (finished["rows_read"], finished["user"], finished["repository"]) == (450, "alice", "northwind")


def test_a_list_that_nobody_reads_to_its_end_is_reported_as_abandoned(alice, northwind, caplog):
    """The client has disconnected."""
    store_accounts(northwind, *(account(f"{number:04}") for number in range(450)))
    response = alice.get(alice.account())
    next(iter(response.streaming_content))
    response.close()
    assert line(caplog, "streaming_abandoned")["user"] == "alice"
    assert lines(caplog, "streaming_finished") == []


def test_a_dry_run_writes_no_rows(alice, caplog):
    """Nor does a save that fails."""
    body = {"post": [currency("EUR"), currency("USD")]}
    assert alice.send("POST", alice.currency("elements-bulk?dryRun=true"), body).status_code == 200
    assert alice.send("POST", alice.currency("elements-bulk"), {"post": [currency(), {}]}).status_code == 400
    assert all("rows_written" not in entry for entry in lines(caplog, "request_finished"))


@pytest.mark.contract("G1")
def test_the_mode_names_how_the_client_authenticated(alice, caplog):
    """By a key, by a password, or by the session of the administration."""
    password = base64.b64encode(b"alice:alice-password").decode()
    alice.get(alice.currency("elements-count"))
    Client(headers={"Authorization": f"Basic {password}"}).get(alice.currency("elements-count"))
    alice.user.is_staff = True
    alice.user.save()
    page = Client()
    page.force_login(alice.user)
    page.get("/admin/")
    people = [(entry["user"], entry["mode"]) for entry in lines(caplog, "request_finished")]
    assert people == [("alice", "api-key"), ("alice", "basic"), ("alice", "session")]


def test_nobody_chooses_the_address_that_is_recorded(alice, caplog):
    """Forwarding headers are trusted only from the named proxies."""
    forged = {"X-Forwarded-For": "192.0.2.66", "X-Real-IP": "192.0.2.66", "Forwarded": "for=192.0.2.66"}
    alice.get(alice.currency("elements-count"), headers=forged)
    assert line(caplog, "request_finished")["address"] == "127.0.0.1"


def test_an_invalid_repository_is_quoted_shortened(alice, caplog):
    """As much as helps, so that nobody can fill the log with it."""
    alice.get(alice.currency(db_id="x" * 5_000))
    assert line(caplog, "request_finished")["repository"] == "x" * 100 + "…"


def test_the_line_costs_no_query(alice, caplog, django_assert_num_queries):
    """The log does not make a page load its user."""
    page = Client()
    page.force_login(alice.user)
    with django_assert_num_queries(0):
        assert page.get("/").status_code == 200
    assert "user" not in line(caplog, "request_finished")


@pytest.mark.contract("B3")
@pytest.mark.parametrize(("failure", "status"), [(OperationalError("away"), 503), (RuntimeError("a bug"), 500)])
def test_a_failure_of_the_service_logs_its_status_and_its_stack(alice, caplog, monkeypatch, failure, status):
    """One line, `request_failed`; the client learns nothing of it."""

    def fail(*arguments: object, **named: object) -> None:
        raise failure

    monkeypatch.setattr(ElementViewSet, "count", fail)
    alice.raise_request_exception = False
    assert alice.get(alice.currency("elements-count")).status_code == status
    entry = line(caplog, "request_failed")
    assert (entry["status"], entry["user"], entry["repository"], entry["level"]) == (
        status,
        "alice",
        "northwind",
        "error",
    )
    assert entry["exc_info"]
    assert lines(caplog, "request_finished") == []


def test_a_page_that_fails_without_the_database_is_logged_too(alice, caplog, monkeypatch):
    """Also if it is not known who reads it."""

    def fail(*arguments: object, **named: object) -> None:
        raise OperationalError("away")

    page = Client(raise_request_exception=False)
    page.force_login(alice.user)
    monkeypatch.setattr("django.contrib.sessions.backends.db.SessionStore.load", fail)
    assert page.get("/admin/").status_code == 503
    assert line(caplog, "request_failed")["status"] == 503


def test_two_requests_at_a_time_do_not_mix(alice, northwind, bob, caplog):
    """Alice's list is still being read, from the connection that they share here, when Bob calls."""
    store_accounts(northwind, *(account(f"{number:04}") for number in range(450)))
    first = alice.get(alice.account())
    bob.get("/health/live")
    content(first)
    entry = line(caplog, "streaming_finished")
    assert (entry["user"], entry["repository"], entry["rows_read"]) == ("alice", "northwind", 450)
    assert "rows_read" not in lines(caplog, "request_finished")[1]


def test_a_client_gets_the_spelling_that_it_used(northwind, caplog):
    """Whatever letters the name has."""
    zoe: Person = add_person("zoë@example.com", northwind)
    zoe.get(zoe.currency())
    assert line(caplog, "request_finished")["user"] == "zoë@example.com"


@pytest.mark.django_db(transaction=True)
def test_a_bulk_save_shows_how_many_elements_it_wrote(alice, caplog):
    """A new one and a changed one; an unchanged one is not written."""
    alice.send("POST", alice.currency("elements-bulk"), {"post": [currency("EUR"), currency("USD")]})
    body = {"post": [currency("CHF")], "put": [currency("EUR", decimalNumbers=3), currency("USD")]}
    assert alice.send("POST", alice.currency("elements-bulk"), body).status_code == 200
    assert [entry["rows_written"] for entry in lines(caplog, "request_finished")] == [2, 2]
