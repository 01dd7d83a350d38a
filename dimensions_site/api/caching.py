"""The cache backends: memory, or Redis, without which the service works on, only slower (design/access.md)."""

import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, TypeVar

import redis
import structlog
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache

log = structlog.get_logger(__name__)

T = TypeVar("T")
# Seconds for which a process skips a Redis that did not respond: each attempt takes up to a second, and a request
# makes several.
_RETRY_SECONDS = 5.0


class LocalCache(LocMemCache):
    def validate_key(self, key: str) -> None:
        """Accept any key: checking it for memcached's restrictions takes longer than the cache operation itself."""


class JsonSerializer:
    """Stores JSON in Redis. Django's pickle serializer would execute code planted by anyone with access to Redis.

    Integers are stored as their digits, so that Redis can increment them.
    """

    def dumps(self, value: Any) -> int | bytes:
        """Return the stored form of a JSON value; raises TypeError for any other value."""
        # bool is a subclass of int.
        return value if type(value) is int else json.dumps(value).encode()

    def loads(self, data: bytes) -> Any:
        """Return the stored value; raises ValueError for anything but JSON."""
        return json.loads(data)


class OptionalRedisCache(RedisCache):
    """Behaves like an empty cache while Redis does not respond."""

    # Shared by the threads of a process: Django creates one cache object per thread.
    not_before: ClassVar[float] = 0.0

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """Return the value of the key, or `default`, also for a stored value that is not JSON."""
        try:
            return self._try(partial(super().get, key, default, version), default)
        except (ValueError, RecursionError):
            return default

    def set(self, key: Any, value: Any, timeout: Any = None, version: int | None = None) -> None:
        self._try(partial(super().set, key, value, timeout, version), None)

    def add(self, key: Any, value: Any, timeout: Any = None, version: int | None = None) -> bool:
        """Store the value for `timeout` seconds unless the key exists; return whether it was stored."""
        return self._try(partial(super().add, key, value, timeout, version), False)

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """Increment the number of the key and return it; return 0 while Redis does not respond."""
        return self._try(partial(super().incr, key, delta, version), 0)

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Delete the key; return whether it existed."""
        return self._try(partial(super().delete, key, version), False)

    def _try(self, operation: Callable[[], T], otherwise: T) -> T:
        if time.monotonic() < self.not_before:
            return otherwise
        try:
            return operation()
        except redis.RedisError as error:
            OptionalRedisCache.not_before = time.monotonic() + _RETRY_SECONDS
            log.warning("cache_unavailable", error=str(error))
            return otherwise
