"""The cache of verified passwords in Redis, which may fail at any time, and which others may be able to write."""

import base64
import pickle
from pathlib import Path
from typing import Any

import pytest
import redis

from dimensions_site import backends
from dimensions_site.api.caching import OptionalRedisCache
from tests.services.certificates import make_certificate
from tests.services.own_redis import own_redis
from tests.services.service import free_port, serving
from tests.services.worker import wait_until

PATH = "/dimensions/v1/northwind/account/elements-count"
ALICE = {"X_API_Key": "", "Authorization": f"Basic {base64.b64encode(b'alice:alice-password').decode()}"}


@pytest.mark.contract("B3", "G1")
def test_clients_are_known_with_and_without_the_cache(prepared: tuple[str, str], tmp_path: Path):
    """Missing, running, stopped: without it each call computes the hash of the password."""
    port = free_port()
    with serving(*prepared, tmp_path, CACHE_URL=f"redis://127.0.0.1:{port}") as service:
        assert service.send("GET", PATH, **ALICE).status == 200
        with own_redis(tmp_path, port) as server:
            server.select(0)
            # After a failure a process does without it for a few seconds.
            wait_until(
                lambda: service.send("GET", PATH, **ALICE).status == 200 and len(server.keys("*basic:*")) == 1,
                "Not kept",
            )
        assert service.send("GET", PATH, **ALICE).status == 200
        assert "cache_unavailable" in service.log.read_text()


class Command:
    """Unpickling this would create a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.mkdir, (self._folder,)


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """The cache as the setting describes it, with a connection to its Redis."""
    port = free_port()
    monkeypatch.setenv("CACHE_URL", f"redis://127.0.0.1:{port}/1")
    described = backends.cache("CACHE_URL", default="locmemcache://")
    with own_redis(tmp_path, port) as server:
        yield OptionalRedisCache(described["LOCATION"], {"OPTIONS": described["OPTIONS"]}), server


def test_what_others_put_into_redis_is_not_run(cache: tuple[OptionalRedisCache, redis.Redis], tmp_path: Path):
    """A pickle runs code as soon as it is read; here it is ignored."""
    kept, server = cache
    kept.set("basic:alice", "proof")
    (key,) = server.keys()
    server.set(key, pickle.dumps(Command(tmp_path / "made")))
    assert kept.get("basic:alice", "") == ""
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("text", [b"\xff", b"", b'{"unfinished', b"[" * 200_000])
def test_what_is_not_json_in_redis_counts_as_nothing(cache: tuple[OptionalRedisCache, redis.Redis], text: bytes):
    """It may be damaged, or written by another release."""
    kept, server = cache
    kept.set("basic:alice", "proof")
    server.set(server.keys()[0], text)
    assert kept.get("basic:alice", "") == ""


@pytest.mark.parametrize("value", ["proof", "", "5", 0, 5, True, None, 1.5, ["a"], {"a": 1}], ids=repr)
def test_redis_keeps_what_json_can_say(cache: tuple[OptionalRedisCache, redis.Redis], value: Any):
    """The type stays the same; a text of digits is not a number."""
    kept, _ = cache
    kept.set("key", value)
    found = kept.get("key", "nothing")
    assert (found, type(found)) == (value, type(value))


def test_redis_counts(cache: tuple[OptionalRedisCache, redis.Redis]):
    """Rates and wrong passwords are counted there, in one step each."""
    kept, _ = cache
    assert kept.add("calls", 0)
    assert [kept.incr("calls") for _ in range(3)] == [1, 2, 3]
    assert kept.get("calls") == 3


@pytest.mark.contract("B3", "G1")
def test_the_cache_is_reached_over_tls_with_a_password(prepared: tuple[str, str], tmp_path: Path):
    """As docs/operators/scaling.md shows it: a separate user, and a certificate of a named authority."""
    certificate = make_certificate(tmp_path)
    port = free_port()
    tls = ("--port", "0", "--tls-port", str(port), "--tls-auth-clients", "no")
    files = ("--tls-cert-file", str(certificate.file), "--tls-key-file", str(certificate.key))
    grant = ("~:1:*", "+@read", "+@write", "+@connection", "-@dangerous")
    users = ("--user", "dimensions", "on", ">secret", *grant, "--user", "default", "off")
    address = f"rediss://dimensions:secret@localhost:{port}/1?ssl_ca_certs={certificate.file}"
    with (
        own_redis(tmp_path, port, *tls, *files, *users),
        redis.Redis.from_url(address) as client,
        serving(*prepared, tmp_path, CACHE_URL=address) as service,
    ):
        assert service.send("GET", PATH, **ALICE).status == 200
        assert client.dbsize() >= 1  # the verified password
        assert "cache_unavailable" not in service.log.read_text()
