"""The metrics for Prometheus: what is counted, by which labels, and what the database reports at each scrape."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.db.models.functions import Now
from django.test import Client
from prometheus_client import generate_latest

from bulkops.models import DataProcessing, FileImport, ImportStatus, Status, Worker
from dimensions_site.monitoring import StateCollector
from dimensions_site.observability import metrics
from tests.factories import account, content, currency
from tests.storing import store_accounts

ROUTE = "/api/aih/dimensions/v1/<str:db_id>/currency/elements"
Counted = Callable[..., float]


@pytest.fixture
def counted() -> Counted:
    """By how much a metric has grown since the beginning of the test."""
    before = {(sample.name, *sorted(sample.labels.items())): sample.value for sample in samples()}

    def growth(name: str, **labels: str) -> float:
        now = {(sample.name, *sorted(sample.labels.items())): sample.value for sample in samples()}
        key = (f"dimensions_{name}", *sorted(labels.items()))
        return float(now.get(key, 0.0) - before.get(key, 0.0))

    return growth


def samples() -> Iterator[Any]:
    for metric in metrics.REGISTRY.collect():
        yield from metric.samples


@pytest.mark.django_db(transaction=True)
def test_requests_are_counted_by_method_route_and_status(alice, counted):
    """With the time that they took and the rows that they wrote."""
    for _ in range(3):
        alice.send("POST", alice.currency(), currency())
    assert counted("http_requests_total", method="POST", route=ROUTE, status="201") == 1
    assert counted("http_requests_total", method="POST", route=ROUTE, status="400") == 2
    assert counted("http_request_duration_seconds_count", method="POST", route=ROUTE) == 3
    assert 0 < counted("http_request_duration_seconds_sum", method="POST", route=ROUTE) < 60
    assert counted("http_rows_written_total", route=ROUTE) == 1
    assert counted("http_rows_read_total", route=ROUTE) == 1


def test_a_list_counts_when_it_is_sent(alice, northwind, counted):
    """Until then it is in progress; all of its rows are counted."""
    store_accounts(northwind, *(account(f"{number:04}") for number in range(450)))
    response = alice.get(alice.account())
    assert counted("http_requests_in_progress") == 1
    content(response)
    assert counted("http_requests_in_progress") == 0
    assert counted("http_rows_read_total", route="/dimensions/v1/<str:db_id>/account/elements") == 450


@pytest.mark.parametrize("pieces", [0, 1])
def test_a_list_that_nobody_reads_ends_with_its_connection(alice, northwind, counted, pieces):
    """Whether its client has gone before its beginning, as after HEAD, or in its middle."""
    store_accounts(northwind, *(account(f"{number:04}") for number in range(450)))
    response = alice.get(alice.account())
    for _ in range(pieces):
        next(iter(response.streaming_content))
    response.close()
    assert counted("http_requests_in_progress") == 0
    route = "/dimensions/v1/<str:db_id>/account/elements"
    assert counted("http_requests_total", method="GET", route=route, status="200") == 1


def test_refusals_are_counted_by_their_code(alice, bob, counted):
    """Those of access, and those of what was sent."""
    bob.get(alice.currency())
    alice.get(alice.currency("elements?fliter=x"))
    Client().get(alice.currency())
    assert counted("http_refusals_total", code="NO_GRANT") == 1
    assert counted("http_refusals_total", code="UNKNOWN_PARAMETER") == 1
    assert counted("http_refusals_total", code="NOT_AUTHENTICATED") == 1


def test_nobody_makes_labels(alice, counted):
    """Neither methods, nor addresses, nor ids, nor names: labels stay bounded, and reveal nothing of tenants."""
    known = {sample.labels.get("route") for sample in samples()}
    for number in range(20):
        alice.generic(f"FOO{number}", alice.currency(f"elements/id-{number}"))
        alice.get(f"/api/nowhere/{number}")
        alice.get(alice.currency(db_id=f"nowhere-{number}"))
    assert counted("http_requests_total", method="other", route=f"{ROUTE}/<id>", status="405") == 20
    assert counted("http_requests_total", method="GET", route="none", status="404") == 20
    assert {sample.labels.get("route") for sample in samples()} - known <= {f"{ROUTE}/<id>", ROUTE, "none"}
    text = generate_latest(metrics.REGISTRY).decode()
    assert not [word for word in ("alice", "northwind", "nowhere", "id-1") if word in text]


# --- Metrics from the database -----------------------------------------------------------------


def state() -> dict[tuple[str, ...], float]:
    """The metrics of the database by their names and the values of their labels."""
    return {
        (sample.name.removeprefix("dimensions_"), *sample.labels.values()): sample.value
        for family in StateCollector().collect()
        for sample in family.samples
    }


def deletion(northwind: Any, **fields: Any) -> DataProcessing:
    described = {"dimension": "account", "requester": "alice", "requested": 1, "not_found": []}
    return DataProcessing.objects.create(repository=northwind, request_date_time=Now(), **described, **fields)


def test_an_empty_service(db):
    """Every kind and every state has a metric, even if it is 0."""
    values = state()
    assert values["database_up",] == 1
    assert values["workers",] == 0
    assert ("worker_heartbeat_age_seconds",) not in values
    assert values["queue_length", "deletion"] == values["queue_oldest_age_seconds", "import"] == 0
    assert {key[2] for key in values if key[:2] == ("processings", "deletion")} == set(Status)
    assert {key[2] for key in values if key[:2] == ("processings", "import")} == set(ImportStatus)


def test_queue_processings_and_workers(northwind):
    """Only waiting jobs are in the queue, and neither running nor ended ones."""
    deletion(northwind, due_at=Now() - timedelta(seconds=100))
    deletion(northwind, due_at=Now() - timedelta(seconds=50))
    deletion(northwind, claimed_by="worker", heartbeat=Now())
    deletion(northwind, status=Status.FAILED)
    FileImport.objects.create(
        repository=northwind, dimension="account", requester="ed", file_name="x", size=1, preview={}, options={},
        report={}, status=ImportStatus.CHECKING, due_at=Now() + timedelta(seconds=50),
    )  # fmt: skip
    Worker.objects.create(name="alive", beat_at=Now() - timedelta(seconds=5))
    Worker.objects.create(name="lost", beat_at=Now() - timedelta(hours=1))
    values = state()
    assert values["processings", "deletion", "RUNNING"] == 3
    assert values["processings", "deletion", "FAILED"] == 1
    assert values["queue_length", "deletion"] == 2
    assert 100 <= values["queue_oldest_age_seconds", "deletion"] < 130
    assert (values["queue_length", "import"], values["queue_oldest_age_seconds", "import"]) == (1, 0)
    assert values["workers",] == 1
    assert 5 <= values["worker_heartbeat_age_seconds",] < 35


def test_the_database_is_asked_a_handful_of_questions(northwind, django_assert_max_num_queries):
    """However much is in it."""
    for _ in range(30):
        deletion(northwind)
    with django_assert_max_num_queries(8):
        state()


def test_without_a_database_that_and_the_release_are_reported(db):
    """The other metrics are reported as ever."""
    working = connections["default"]
    broken = working.copy()
    broken.settings_dict["NAME"] = "/nowhere/no-such-database"
    connections["default"] = broken
    try:
        assert {name[0]: value for name, value in state().items()} == {"database_up": 0, "release": 1}
    finally:
        connections["default"] = working
