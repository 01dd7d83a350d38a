"""Rates: how often a user may call, and how often an address may come with credentials that are refused."""

import base64
from itertools import product
from types import SimpleNamespace

import pytest
import redis
from django.core.cache import cache
from django.test import Client

from dimensions_site.api.access import throttling
from dimensions_site.api.caching import OptionalRedisCache
from dimensions_site.environment import Rate
from tests.bulkops.jobs.deletions import ASYNC
from tests.factories import Person, add_person
from tests.routes import api_routes

pytestmark = [pytest.mark.contract("A6", "G1"), pytest.mark.django_db]

HOME, ELSEWHERE = "192.0.2.1", "192.0.2.2"


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """A clock that stands still at 20 seconds past a minute; nothing was counted before."""
    cache.clear()
    standing = SimpleNamespace(now=1_800_000_020.0)
    monkeypatch.setattr(throttling, "time", SimpleNamespace(time=lambda: standing.now))
    return standing


def statuses(*answers) -> list[int]:
    return [answer.status_code for answer in answers]


def with_key(key: str, address: str = HOME):
    return Client(headers={"X-API-Key": key}, REMOTE_ADDR=address).get(Person().currency("elements-count"))


def test_a_user_who_calls_too_often_learns_when_to_retry(rita, alice, settings, clock):
    """429 with the seconds until the next minute, for this user alone."""
    settings.THROTTLE_CALLS = Rate(2, "minute")
    path = rita.currency("elements-count")
    assert statuses(rita.get(path), rita.get(rita.account())) == [200, 200]
    refused = rita.get(path)
    assert (refused.status_code, refused["Retry-After"]) == (429, "40")
    assert refused["Content-Type"] == "application/problem+json"
    assert (refused.json()["code"], refused.json()["detail"]) == (
        "TOO_MANY_CALLS",
        "You have made 2 calls within this minute, which is the limit; retry in 40 seconds.",
    )
    assert alice.get(path).status_code == 200
    clock.now += 40
    assert rita.get(path).status_code == 200


def test_all_credentials_of_a_user_count_together(rita, settings):
    """A second key does not add a second rate."""
    settings.THROTTLE_CALLS = Rate(2, "hour")
    basic = Client(headers={"Authorization": f"Basic {base64.b64encode(b'rita:rita-password').decode()}"})
    path = rita.currency("elements-count")
    assert statuses(rita.get(path), basic.get(path), basic.get(path), rita.get(path)) == [200, 200, 429, 429]


def test_every_route_counts(rita, settings):
    """Whatever else is wrong with the call: it is refused before anything is looked up."""
    settings.THROTTLE_CALLS = Rate(1, "day")
    for route, method in product(api_routes(), ("GET", "POST", "DELETE", "OPTIONS")):
        cache.clear()
        rita.send(method, route.path("northwind"), {})
        refused = rita.send(method, route.path("nowhere") + "?wrong=1", {})
        assert refused.json()["code"] == "TOO_MANY_CALLS", (str(route), method)


def test_a_call_beyond_the_rate_costs_only_its_authentication(rita, settings, django_assert_num_queries):
    settings.THROTTLE_CALLS = Rate(1, "day")
    rita.get(rita.currency("elements-count"))
    with django_assert_num_queries(1):
        assert rita.get(rita.currency("elements-count")).status_code == 429


@pytest.mark.parametrize("rest", ["elements-bulk", ASYNC, f"{ASYNC}h"])
def test_bulk_saves_and_deletions_have_a_rate_of_their_own(alice, settings, rest):
    """Both together; single elements, and polling a deletion, do not count."""
    settings.THROTTLE_BULK = Rate(1, "hour")
    path = alice.currency(rest)
    assert statuses(alice.send("POST", path, {}), alice.send("POST", path, {})) == [400, 429]
    refused = alice.send("POST", alice.account(ASYNC), {})
    assert refused.json()["detail"].startswith("You have made 1 bulk saves and deletions within this hour")
    free = [alice.get(alice.currency(ASYNC)), alice.get(alice.currency()), alice.send("POST", alice.currency(), {})]
    assert statuses(*free) == [200, 200, 400]


def test_without_rates_nothing_is_counted(rita, settings):
    """Each of them may be off."""
    settings.THROTTLE_CALLS = settings.THROTTLE_BULK = None
    assert set(statuses(*(rita.get(rita.currency("elements-count")) for _ in range(30)))) == {200}


def test_an_address_whose_credentials_are_refused_too_often_learns_when_to_retry(rita, settings, clock):
    """429 in place of 401, until the next minute; other addresses are not affected."""
    settings.THROTTLE_REFUSED = Rate(3, "minute")
    wrong = ["wrong", "a" * 8 + "." + "b" * 32, "c" * 8 + "." + "d" * 32, "wrong"]
    answers = [with_key(key) for key in wrong]
    assert statuses(*answers) == [401, 401, 401, 429]
    assert answers[-1]["Retry-After"] == "40"
    assert answers[-1].json()["detail"] == (
        "Credentials from your address were refused 3 times within this minute, which is the limit; "
        "retry in 40 seconds."
    )
    assert with_key("wrong", ELSEWHERE).status_code == 401
    clock.now += 40
    assert with_key("wrong").status_code == 401


def test_a_right_key_is_taken_where_others_were_refused(rita, settings):
    """Nobody can guess a key, and an old program behind the same proxy must not lock out all others."""
    settings.THROTTLE_REFUSED = Rate(1, "day")
    assert statuses(with_key("wrong"), with_key("wrong")) == [401, 429]
    assert rita.get(rita.currency("elements-count"), REMOTE_ADDR=HOME).status_code == 200


def test_who_comes_without_credentials_was_not_refused_any(rita, settings):
    """401 only asks a client for credentials; it does not count."""
    settings.THROTTLE_REFUSED = Rate(1, "day")
    nobody = Client(REMOTE_ADDR=HOME)
    assert set(statuses(*(nobody.get(rita.currency()) for _ in range(5)))) == {401}


@pytest.mark.parametrize(
    "credentials", ["Basic !", f"Basic {base64.b64encode(b'rita:wrong').decode()}", "Api-Key wrong"]
)
def test_a_refusal_counts_once(rita, settings, credentials):
    """Though several places learn of a wrong password."""
    settings.THROTTLE_REFUSED = Rate(2, "day")
    someone = Client(headers={"Authorization": credentials}, REMOTE_ADDR=HOME)
    assert statuses(*(someone.get(rita.currency()) for _ in range(3))) == [401, 401, 429]


def test_without_its_cache_the_service_counts_nothing_and_serves(rita, settings, monkeypatch):
    """Redis is down: every authorized client is served."""
    away = OptionalRedisCache("redis://127.0.0.1:1", {"OPTIONS": {}})
    monkeypatch.setattr(OptionalRedisCache, "not_before", 0.0)
    monkeypatch.setattr(throttling, "cache", away)
    settings.THROTTLE_CALLS = settings.THROTTLE_REFUSED = Rate(1, "day")
    assert statuses(*(rita.get(rita.currency("elements-count")) for _ in range(3))) == [200] * 3
    assert statuses(*(with_key("wrong") for _ in range(3))) == [401] * 3


def test_the_cache_passes_on_everything_while_redis_is_running(monkeypatch):
    """Only its failure is tolerated."""
    monkeypatch.setattr(OptionalRedisCache, "not_before", 0.0)
    monkeypatch.setattr(redis.Redis, "exists", lambda *arguments: 0)
    with pytest.raises(ValueError, match="not found"):
        OptionalRedisCache("redis://127.0.0.1:1", {"OPTIONS": {}}).incr("none")


def test_a_full_memory_keeps_what_is_counted(settings):
    """Hundreds of users and addresses do not reset the counters."""
    settings.THROTTLE_CALLS = Rate(1, "day")
    root = add_person("root")
    root.get(root.currency())
    for number in range(2_000):
        throttling._counted(f"other:{number}", settings.THROTTLE_CALLS)
    assert root.get(root.currency()).status_code == 429
