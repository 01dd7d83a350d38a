"""Environment variables are read strictly: unclear values are refused, never interpreted."""

import runpy
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from django.conf import settings
from django.core.cache.backends.redis import RedisCache
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from dimensions_site import backends
from dimensions_site import environment as env

NAME = "SETTING"
NO_OPTIONS: dict[str, dict[str, Any]] = {"sqlite": {}, "postgresql": {}}


def settings_again() -> dict[str, Any]:
    """Return the names and values of the settings, read from the environment as it is now."""
    return runpy.run_path(str(settings.BASE_DIR / "dimensions_site" / "settings.py"))


def refused(reader, *arguments, **named) -> str:
    with pytest.raises(ImproperlyConfigured) as refusal:
        reader(NAME, *arguments, **named)
    return str(refusal.value)


@pytest.mark.parametrize(("text", "meaning"), [("true", True), ("True", True), ("false", False), ("FALSE", False)])
def test_truth_values_are_true_and_false_in_capital_or_small_letters(monkeypatch, text, meaning):
    monkeypatch.setenv(NAME, text)
    assert env.boolean(NAME, default=not meaning) is meaning


@pytest.mark.parametrize("text", ["ture", "1", "yes", "", " true"])
def test_no_other_word_is_a_truth_value(monkeypatch, text):
    monkeypatch.setenv(NAME, text)
    assert refused(env.boolean, default=True) == f"SETTING is '{text}'; it has to be true or false."


@pytest.mark.parametrize("text", ["5", "05", "10"])
def test_a_number_within_its_bounds_is_read(monkeypatch, text):
    monkeypatch.setenv(NAME, text)
    assert env.integer(NAME, default=7, minimum=5, maximum=10) == int(text)


@pytest.mark.parametrize("text", ["4", "11", "", "-6", "+6", "6.0", "6MB", "1_0", "٦", "6\n", "9" * 5000])
def test_a_number_out_of_bounds_or_in_other_signs_is_refused(monkeypatch, text):
    monkeypatch.setenv(NAME, text)
    message = refused(env.integer, default=7, minimum=5, maximum=10)
    assert message == f"SETTING is '{text}'; it has to be a whole number from 5 to 10, in digits alone."


@pytest.mark.parametrize(
    ("text", "count", "seconds"),
    [("1/second", 1, 1), ("60/minute", 60, 60), ("1000/hour", 1000, 3600), ("5/day", 5, 86400)],
)
def test_a_rate_is_a_number_for_each_second_minute_hour_or_day(monkeypatch, text, count, seconds):
    monkeypatch.setenv(NAME, text)
    rate = env.rate(NAME, default="off")
    assert rate is not None
    assert (rate.count, rate.seconds) == (count, seconds)


def test_a_rate_may_be_off(monkeypatch):
    monkeypatch.setenv(NAME, "off")
    assert env.rate(NAME, default="60/minute") is None


@pytest.mark.parametrize(
    "text", ["", "60", "0/minute", "060/minute", "60/min", "60 / minute", "-1/day", "Off", "9" * 10]
)
def test_no_other_text_is_a_rate(monkeypatch, text):
    monkeypatch.setenv(NAME, text)
    message = refused(env.rate, default="off")
    assert message == f"SETTING is '{text}'; it has to be like 60/minute (per second, minute, hour or day), or off."


def test_spaces_around_the_parts_of_a_list_do_not_count(monkeypatch):
    """A host name with a space before it would match no request."""
    monkeypatch.setenv(NAME, "one.example, two.example,")
    assert env.names(NAME, default=["three.example"]) == ["one.example", "two.example"]


def test_a_variable_that_is_not_set_means_its_default(monkeypatch):
    monkeypatch.delenv(NAME, raising=False)
    assert env.boolean(NAME, default=True) is True
    assert env.integer(NAME, default=7, minimum=5, maximum=10) == 7
    assert env.one_of(NAME, ("json", "console"), default="json") == "json"
    assert env.names(NAME, default=["a", "b"]) == ["a", "b"]
    assert backends.database(NAME, default="sqlite://", options=NO_OPTIONS)["NAME"] == ":memory:"


def test_a_text_is_taken_as_it_stands(monkeypatch):
    """A key may begin with a dollar sign; it names no other variable."""
    monkeypatch.setenv(NAME, "$HOME")
    assert env.required_text(NAME) == "$HOME"


@pytest.mark.parametrize("text", ["", "  "])
def test_a_required_text_may_not_be_empty(monkeypatch, text):
    monkeypatch.setenv(NAME, text)
    assert refused(env.required_text) == "SETTING is empty; it has no default."


def test_an_address_of_postgresql_is_read_with_its_options(monkeypatch):
    monkeypatch.setenv(NAME, "postgresql://erp:p%23s%2Fs@db.example:5433/group?sslmode=require")
    options = {"postgresql": {"connect_timeout": 10, "sslmode": "prefer"}}
    assert backends.database(NAME, default="sqlite://", options=options) == {
        "ENGINE": "dimensions_site.db.postgresql",
        "NAME": "group",
        "USER": "erp",
        "PASSWORD": "p#s/s",
        "HOST": "db.example",
        "PORT": 5433,
        "OPTIONS": {"connect_timeout": 10, "sslmode": "require"},
    }


def test_options_of_the_command_line_in_the_address_come_after_our_own(monkeypatch):
    """So that the last one of a name, which wins, is the operator's."""
    monkeypatch.setenv(NAME, "postgresql://db.example/group?options=-c%20lock_timeout=5s")
    described = backends.database(NAME, default="", options={"postgresql": {"options": "-c lock_timeout=20s"}})
    assert described["OPTIONS"] == {"options": "-c lock_timeout=20s -c lock_timeout=5s"}


@pytest.mark.parametrize(
    "address",
    [
        "",
        "foo",
        "host=db.example password=hidden",
        "hidden:word://",
        "mysql://erp:hidden@db.example/group",
        "postgresql://erp:hidden@db.example",
        "postgresql://erp:hid/den@db.example/group",
        "postgresql://erp:hidden@db.example:port/group",
        "postgresql://erp:hidden@db.example:99999/group",
        "sqlite://dimensions.sqlite3",
        "sqlite:dimensions.sqlite3",
    ],
)
def test_another_address_of_a_database_is_refused_without_showing_its_password(monkeypatch, address):
    """The sentence is logged."""
    monkeypatch.setenv(NAME, address)
    message = refused(backends.database, default="sqlite://", options=NO_OPTIONS)
    assert message.startswith("SETTING ")
    assert "it has to be like postgresql://user:password@host:5432/name" in message
    assert "hid" not in message


@pytest.mark.parametrize(
    "address",
    [
        "",
        "memory://",
        "redis://",
        "redis://cache.example:port",
        "redis://[cache.example",
        "redis://:hidden@cache.example/first",
        "redis://hidden@cache.example/0?db=1",
        "redis://hidden@cache.example/0/1",
        "redis://:hidden@cache.example/0?ssl_ca_certs=/etc/ssl/redis.pem",
        "rediss://:hidden@cache.example/0?ssl_cert_reqs=none",
    ],
)
def test_another_address_of_a_cache_is_refused_without_showing_its_password(monkeypatch, address):
    monkeypatch.setenv(NAME, address)
    message = refused(backends.cache, default="locmemcache://")
    assert "it has to be like locmemcache:// or redis://user:password@host:6379/0, or rediss:// for TLS" in message
    assert "hidden" not in message


WRONG_VALUES = {
    "DEBUG": "1",
    "ALLOWED_HOSTS": "http://a",
    "SECURE_COOKIES": "ture",
    "HSTS_SECONDS": "1h",
    "CACHE_URL": "memory://",
    "WORKER_CONCURRENCY": "0",
    "BASIC_CREDENTIALS_CACHE_SECONDS": "900",
    "API_MAX_URL_SIZE": "262144",
    "TRUSTED_PROXIES": "10.0.0.1/8",
    "URL_PREFIX": "erp",
    "CORS_ALLOWED_ORIGINS": "*",
    "LOG_FORMAT": "jsn",
    "LOG_LEVEL": "loud",
}


@pytest.mark.parametrize(("name", "value"), WRONG_VALUES.items(), ids=WRONG_VALUES)
def test_a_misunderstood_value_of_a_setting_is_refused_by_its_name(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=rf"^{name} "):
        settings_again()


REDIS = [
    ("redis://cache.example", {"host": "cache.example"}),
    (
        "redis://:p%40s%2Fs%2C@cache.example:6380/13",
        {"host": "cache.example", "port": 6380, "db": 13, "password": "p@s/s,"},
    ),
    (
        "rediss://dimensions:secret@cache.example/1?ssl_ca_certs=/etc/ssl/redis.pem",
        {"username": "dimensions", "password": "secret", "ca_certs": "/etc/ssl/redis.pem", "check_hostname": True},
    ),
]


@pytest.mark.parametrize(("address", "meaning"), REDIS, ids=["no password", "password", "TLS and ACL"])
def test_the_address_of_redis_has_password_database_and_tls(monkeypatch, address, meaning):
    """Over TLS the server must have a certificate for its name."""
    monkeypatch.setenv(NAME, address)
    described = backends.cache(NAME, default="locmemcache://")
    cache = RedisCache(described["LOCATION"], {"OPTIONS": described["OPTIONS"]})
    connection = cache._cache.get_client().connection_pool.make_connection()
    assert {name: getattr(connection, name) for name in meaning} == meaning


if connection.vendor == "postgresql":  # these have their own limits

    @pytest.mark.django_db
    @pytest.mark.parametrize(
        ("limit", "time"), [("lock_timeout", "20s"), ("idle_in_transaction_session_timeout", "1min")]
    )
    def test_a_session_with_postgresql_does_not_wait_for_good(limit, time):
        """Neither for other writers, nor for a client that stopped reading a list."""
        with connection.cursor() as cursor:
            cursor.execute(f"SHOW {limit}")
            assert cursor.fetchone() == (time,)

else:

    @pytest.mark.django_db
    def test_sqlite_writes_what_is_answered_to_the_disk():
        """FULL (2), so that a power failure undoes no answered commit; the log of WAL is synced with each of them."""
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA synchronous")
            assert cursor.fetchone() == (2,)
            cursor.execute("PRAGMA journal_mode")
            assert cursor.fetchone() == ("wal",)


@pytest.mark.parametrize("synchronous", ["FULL", "NORMAL"])
def test_sqlite_is_as_synchronous_as_the_operator_says(synchronous, monkeypatch, tmp_path):
    monkeypatch.setenv("SQLITE_SYNCHRONOUS", synchronous)
    pragmas = settings_again()["DATABASE_OPTIONS"]["sqlite"]["init_command"]
    with closing(sqlite3.connect(tmp_path / "db.sqlite3")) as file:
        file.executescript(pragmas)
        assert file.execute("PRAGMA synchronous").fetchone() == ({"FULL": 2, "NORMAL": 1}[synchronous],)
