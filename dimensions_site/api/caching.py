"""The cache in Redis, without which everything goes on, only slower."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis
import structlog
from django.core.cache.backends.redis import RedisCache

log = structlog.get_logger(__name__)


class DispensableRedisCache(RedisCache):
    """Knows nothing and keeps nothing while Redis does not answer."""

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """The value that is kept under the key, or `default`."""
        with _dispensable():
            return super().get(key, default, version)
        return default

    def set(self, key: Any, value: Any, timeout: Any = None, version: int | None = None) -> None:
        """Keep the value for `timeout` seconds."""
        with _dispensable():
            super().set(key, value, timeout, version)

    def add(self, key: Any, value: Any, timeout: Any = None, version: int | None = None) -> bool:
        """Keep the value for `timeout` seconds unless there is one; tell whether it is kept now."""
        with _dispensable():
            return super().add(key, value, timeout, version)
        return False

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """Add to the number under the key and return it; nothing was counted when Redis does not answer."""
        with _dispensable():
            return super().incr(key, delta, version)
        return 0

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Forget what is kept under the key; tell whether there was anything."""
        with _dispensable():
            return super().delete(key, version)
        return False


@contextmanager
def _dispensable() -> Iterator[None]:
    try:
        yield
    except redis.RedisError as error:
        log.warning("cache_unavailable", error=str(error))
