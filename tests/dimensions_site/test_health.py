"""Whether the service is alive and ready, as load balancers ask."""

from datetime import timedelta

import pytest
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.functions import Now
from django.test import Client

from bulkops.models import Worker
from dimensions_site.db.unusable import RELEASE

LIVE, READY = "/health/live", "/health/ready"


@pytest.mark.contract("H3")
def test_live_asks_nothing_but_the_process(client):
    """No database is available to this test, and no credentials are sent."""
    response = client.get(LIVE)
    assert response.status_code == 200
    assert response.json() == {"status": "ok", "checks": {}}


@pytest.fixture
def worker(db):
    """A worker that finished some work a moment ago."""
    return Worker.objects.create(name="worker", beat_at=Now())


@pytest.mark.contract("H3")
def test_ready_says_that_the_database_answers_its_tables_are_current_and_a_worker_works(client, worker):
    """The tests' database has every migration."""
    response = client.get(READY)
    assert response.status_code == 200
    assert response.json() == {"status": "ok", "checks": {"database": "ok", "migrations": "ok", "worker": "ok"}}
    assert "Retry-After" not in response


@pytest.mark.contract("H3")
@pytest.mark.django_db
def test_ready_is_503_while_no_worker_runs(client):
    """The operator learns how to start one; a program, when to retry."""
    response = client.get(READY)
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert response.json() == {
        "status": "unavailable",
        "checks": {
            "database": "ok",
            "migrations": "ok",
            "worker": "no worker runs; start one with `manage.py qcluster`",
        },
    }


@pytest.mark.contract("H3")
def test_ready_is_503_when_the_last_worker_is_silent_for_too_long(client, worker, settings):
    """By the database's clock; one live worker is enough, however many were lost."""
    lost_after = settings.WORKER_LOST_AFTER_SECONDS = 600
    Worker.objects.update(beat_at=Now() - timedelta(seconds=lost_after - 60))
    assert client.get(READY).status_code == 200
    Worker.objects.update(beat_at=Now() - timedelta(seconds=lost_after + 2_000))
    response = client.get(READY)
    assert response.status_code == 503
    (seconds,) = (
        int(word.replace(",", "")) for word in response.json()["checks"]["worker"].split() if word[0].isdigit()
    )
    assert lost_after + 2_000 <= seconds < lost_after + 2_060
    assert response.json()["checks"]["worker"] == (
        f"no worker has done anything for {seconds:,} seconds; start one with `manage.py qcluster`"
    )
    Worker.objects.create(name="another", beat_at=Now())
    assert client.get(READY).status_code == 200


@pytest.mark.contract("H3")
def test_ready_is_503_while_migrations_are_missing(client, worker):
    """The operator learns how many and which."""
    latest = MigrationRecorder.Migration.objects.filter(app="auth").latest("name")
    latest.delete()
    response = client.get(READY)
    assert response.status_code == 503
    assert response.json()["status"] == "unavailable"
    assert response.json()["checks"] == {
        "database": "ok",
        "migrations": f"1 migration is not applied: auth.{latest.name}",
        "worker": "ok",
    }
    MigrationRecorder.Migration.objects.filter(app="sessions").delete()
    assert client.get(READY).json()["checks"]["migrations"].startswith("2 migrations are not applied: ")


@pytest.mark.contract("H3", "P3")
def test_ready_takes_a_database_that_the_next_release_has_migrated_and_none_newer(client, worker):
    """So a release can be put back; two releases later, what this one reads may be gone."""
    MigrationRecorder.Migration.objects.create(app="account", name="0002_of_the_next_release")
    MigrationRecorder.Migration.objects.create(app="releases", name=f"{RELEASE + 1:04}_release")
    assert client.get(READY).status_code == 200
    MigrationRecorder.Migration.objects.create(app="releases", name=f"{RELEASE + 2:04}_release")
    response = client.get(READY)
    assert response.status_code == 503
    assert response.json()["checks"]["migrations"] == (
        f"the database is of release {RELEASE + 2}; this is release {RELEASE}, "
        "which works with one release newer at most"
    )


@pytest.fixture
def unreachable_database(db):
    """Let the default connection lead to a missing database."""
    working = connections["default"]
    broken = working.copy()
    broken.settings_dict["NAME"] = "/nowhere/no-such-database"
    connections["default"] = broken
    yield
    connections["default"] = working


@pytest.mark.contract("B3", "H3")
def test_ready_is_503_while_the_database_does_not_answer(client, unreachable_database):
    """Nothing reveals where the database is or how it failed."""
    response = client.get(READY)
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert response.json() == {
        "status": "unavailable",
        "checks": {"database": "unavailable", "migrations": "unknown", "worker": "unknown"},
    }


@pytest.mark.contract("H3")
def test_live_does_not_depend_on_the_database(client, unreachable_database):
    """A database that is down is not a reason to restart the service."""
    assert client.get(LIVE).status_code == 200


@pytest.mark.contract("A4", "H3")
@pytest.mark.django_db
@pytest.mark.parametrize("address", [LIVE, READY])
def test_health_can_only_be_read(worker, address):
    """HEAD works like GET, and OPTIONS too; anything else is 405 as a problem document, without cookies."""
    client = Client(enforce_csrf_checks=True)
    assert client.head(address).status_code == 200
    assert client.options(address)["Allow"] == "GET, HEAD, OPTIONS"
    for method in ("POST", "DELETE", "FOO"):
        response = client.generic(method, address)
        assert response.status_code == 405
        assert response["Allow"] == "GET, HEAD, OPTIONS"
        assert response["Content-Type"] == "application/problem+json"


@pytest.mark.contract("H3")
@pytest.mark.django_db
@pytest.mark.parametrize("address", [LIVE, READY])
def test_nobody_keeps_the_answer(client, address):
    """A cached health is of no use."""
    assert "no-store" in client.get(address)["Cache-Control"]
