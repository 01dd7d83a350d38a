"""The cache in Redis, without which everything goes on, only slower."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, TypeVar

import redis
import structlog
from django.core.cache.backends.redis import RedisCache

log = structlog.get_logger(__name__)

T = TypeVar("T")
# For how many seconds a process does without a Redis that has not answered: each question to a host that says nothing
# takes a second, and a call asks several times.
_LEFT_ALONE = 5.0


class DispensableRedisCache(RedisCache):
    """Knows nothing and keeps nothing while Redis does not answer."""

    # Of each process, for Django makes such a cache for each thread.
    not_before: ClassVar[float] = 0.0

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """The value that is kept under the key, or `default`."""
        return self._asked(partial(super().get, key, default, version), default)

    def set(self, key: Any, value: Any, timeout: Any = None, version: int | None = None) -> None:
        """Keep the value for `timeout` seconds."""
        self._asked(partial(super().set, key, value, timeout, version), None)

    def add(self, key: Any, value: Any, timeout: Any = None, version: int | None = None) -> bool:
        """Keep the value for `timeout` seconds unless there is one; tell whether it is kept now."""
        return self._asked(partial(super().add, key, value, timeout, version), False)

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """Add to the number under the key and return it; nothing was counted when Redis does not answer."""
        return self._asked(partial(super().incr, key, delta, version), 0)

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Forget what is kept under the key; tell whether there was anything."""
        return self._asked(partial(super().delete, key, version), False)

    def _asked(self, ask: Callable[[], T], otherwise: T) -> T:
        if time.monotonic() < self.not_before:
            return otherwise
        try:
            return ask()
        except redis.RedisError as error:
            DispensableRedisCache.not_before = time.monotonic() + _LEFT_ALONE
            log.warning("cache_unavailable", error=str(error))
            return otherwise
