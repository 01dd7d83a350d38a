"""Environment variables are read strictly: what is not understood is refused, never taken for something else."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from dimensions_site import environment as env

NAME = "SETTING"


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
    told = refused(env.integer, default=7, minimum=5, maximum=10)
    assert told == f"SETTING is '{text}'; it has to be a whole number from 5 to 10, in digits alone."


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
    told = refused(env.rate, default="off")
    assert told == f"SETTING is '{text}'; it has to be like 60/minute (per second, minute, hour or day), or off."


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
    assert env.database(NAME, default="sqlite://")["NAME"] == ":memory:"


def test_a_text_is_taken_as_it_stands(monkeypatch):
    """A key may begin with a dollar sign; it names no other variable."""
    monkeypatch.setenv(NAME, "$HOME")
    assert env.required(NAME) == "$HOME"


@pytest.mark.parametrize("text", ["", "  "])
def test_a_required_text_may_not_be_empty(monkeypatch, text):
    monkeypatch.setenv(NAME, text)
    assert refused(env.required) == "SETTING is empty; it has no default."


def test_an_address_of_postgresql_is_read_with_its_options(monkeypatch):
    monkeypatch.setenv(NAME, "postgresql://erp:p%23s%2Fs@db.example:5433/group?sslmode=require")
    assert env.database(NAME, default="sqlite://") == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "group",
        "USER": "erp",
        "PASSWORD": "p#s/s",
        "HOST": "db.example",
        "PORT": 5433,
        "OPTIONS": {"sslmode": "require"},
    }


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
    """The sentence goes into logs."""
    monkeypatch.setenv(NAME, address)
    told = refused(env.database, default="sqlite://")
    assert told.startswith("SETTING ")
    assert "it has to be like postgresql://user:password@host:5432/name" in told
    assert "hid" not in told


@pytest.mark.parametrize(
    "address", ["", "memory://", "redis://", "redis://cache.example:port", "redis://[cache.example"]
)
def test_another_address_of_a_cache_is_refused(monkeypatch, address):
    monkeypatch.setenv(NAME, address)
    assert "it has to be like locmemcache:// or redis://host:6379." in refused(env.cache, default="locmemcache://")


@pytest.mark.parametrize(
    "address", ["database", "redis://queue.example", "redis://:secret@queue.example:6380/13", "rediss://10.0.0.1/0"]
)
def test_a_queue_is_the_database_or_one_of_redis(monkeypatch, address):
    monkeypatch.setenv(NAME, address)
    assert env.queue(NAME, default="database") == address


@pytest.mark.parametrize(
    "address",
    [
        "",
        "Database",
        "redis",
        "redis://",
        "redis://hidden@",
        "amqp://hidden@queue.example",
        "redis://hidden@queue.example/first",
        "redis://hidden@queue.example/0/1",
        "redis://hidden@queue.example:port/0",
        "redis://hidden@queue.example/0?db=1",
    ],
)
def test_another_queue_is_refused_without_showing_its_password(monkeypatch, address):
    """The client would take some of them for Redis's first database."""
    monkeypatch.setenv(NAME, address)
    told = refused(env.queue, default="database")
    assert "it has to be like database, or redis://host:6379/0 with the number of one of Redis's databases." in told
    assert "hidden" not in told


if connection.vendor == "postgresql":  # these are limits of its own

    @pytest.mark.django_db
    @pytest.mark.parametrize(
        ("limit", "time"), [("lock_timeout", "20s"), ("idle_in_transaction_session_timeout", "1min")]
    )
    def test_a_session_with_postgresql_does_not_wait_for_good(limit, time):
        """Neither for other writers, nor for a client that stopped reading a list."""
        with connection.cursor() as cursor:
            cursor.execute(f"SHOW {limit}")
            assert cursor.fetchone() == (time,)
