"""The setting for a replica: a server of PostgreSQL, as its primary is."""

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from dimensions_site import backends
from tests.dimensions_site.test_environment import settings_again

NAME = "REPLICA_URL"
PRIMARY = {"ENGINE": "dimensions_site.db.postgresql", "NAME": "dimensions"}
SQLITE = {"ENGINE": "dimensions_site.db.sqlite", "NAME": "file"}


@pytest.mark.parametrize("address", [None, ""], ids=["not set", "empty"])
def test_there_is_none_by_default(monkeypatch, address):
    monkeypatch.delenv(NAME, raising=False)
    if address is not None:
        monkeypatch.setenv(NAME, address)
    assert list(settings_again()["DATABASES"]) == ["default"]


def test_a_replica_that_does_not_answer_keeps_nobody_waiting(monkeypatch):
    """The options of the address take precedence."""
    monkeypatch.setenv("DATABASE_URL", "postgresql://erp:secret@10.0.0.6/dimensions")
    monkeypatch.setenv(NAME, "postgresql://erp:secret@10.0.0.7:5433/dimensions?connect_timeout=4")
    databases = settings_again()["DATABASES"]
    described = databases["replica"]
    assert (described["HOST"], described["PORT"], described["NAME"]) == ("10.0.0.7", 5433, "dimensions")
    assert described["OPTIONS"]["connect_timeout"] == 4
    assert described["OPTIONS"]["tcp_user_timeout"] == 5000
    assert databases["default"]["OPTIONS"]["tcp_user_timeout"] == 60_000


@pytest.mark.parametrize(
    ("address", "primary"),
    [("sqlite:////var/lib/copy.sqlite3", PRIMARY), ("postgresql://hidden@10.0.0.7/dimensions", SQLITE)],
    ids=["replica in SQLite", "primary in SQLite"],
)
def test_both_have_to_be_in_postgresql(monkeypatch, address, primary):
    monkeypatch.setenv(NAME, address)
    with pytest.raises(ImproperlyConfigured) as refusal:
        backends.replica(NAME, default="", primary=primary, options=settings.REPLICA_OPTIONS)
    assert "REPLICA_URL" in str(refusal.value)
    assert "DATABASE_URL" in str(refusal.value)
    assert "hidden" not in str(refusal.value)


def test_an_address_that_cannot_be_read_is_refused(monkeypatch):
    monkeypatch.setenv(NAME, "10.0.0.7:5432/hidden")
    with pytest.raises(ImproperlyConfigured, match="REPLICA_URL cannot be read as an address"):
        backends.replica(NAME, default="", primary=PRIMARY, options=settings.REPLICA_OPTIONS)
