"""The setting for a replica: a server of PostgreSQL, as its primary is."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from dimensions_site import environment as env
from dimensions_site.databases import databases

NAME = "REPLICA_URL"
PRIMARY = {"ENGINE": "django.db.backends.postgresql", "NAME": "dimensions"}
SQLITE = {"ENGINE": "django.db.backends.sqlite3", "NAME": "file"}


@pytest.mark.parametrize("address", [None, ""], ids=["not set", "empty"])
def test_there_is_none_by_default(monkeypatch, address):
    monkeypatch.delenv(NAME, raising=False)
    if address is not None:
        monkeypatch.setenv(NAME, address)
    assert env.replica(NAME, default="", primary=PRIMARY) is None
    assert list(databases(PRIMARY, None)) == ["default"]


def test_a_replica_that_does_not_answer_keeps_nobody_waiting(monkeypatch):
    """What the address says wins."""
    monkeypatch.setenv(NAME, "postgresql://erp:secret@10.0.0.7:5433/dimensions?connect_timeout=4")
    described = databases(PRIMARY, env.replica(NAME, default="", primary=PRIMARY))["replica"]
    assert (described["HOST"], described["PORT"], described["NAME"]) == ("10.0.0.7", 5433, "dimensions")
    assert described["OPTIONS"]["connect_timeout"] == 4
    assert described["OPTIONS"]["tcp_user_timeout"] == 5000
    assert databases(PRIMARY, described)["default"]["OPTIONS"]["tcp_user_timeout"] == 60_000


@pytest.mark.parametrize(
    ("address", "primary"),
    [("sqlite:////var/lib/copy.sqlite3", PRIMARY), ("postgresql://hidden@10.0.0.7/dimensions", SQLITE)],
    ids=["replica in SQLite", "primary in SQLite"],
)
def test_both_have_to_be_in_postgresql(monkeypatch, address, primary):
    monkeypatch.setenv(NAME, address)
    with pytest.raises(ImproperlyConfigured) as refusal:
        env.replica(NAME, default="", primary=primary)
    assert "REPLICA_URL" in str(refusal.value)
    assert "DATABASE_URL" in str(refusal.value)
    assert "hidden" not in str(refusal.value)


def test_an_address_that_cannot_be_read_is_refused(monkeypatch):
    monkeypatch.setenv(NAME, "10.0.0.7:5432/hidden")
    with pytest.raises(ImproperlyConfigured, match="REPLICA_URL cannot be read as an address"):
        env.replica(NAME, default="", primary=PRIMARY)
