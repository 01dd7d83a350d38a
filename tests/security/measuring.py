"""The processor time of attacks, and the report of a refusal."""

import gc
import time
from collections.abc import Callable
from typing import Any

from tests.bulkops.save.bulk import refused


def seconds(work: Callable[[], object]) -> float:
    """The processor time that the work takes, without the garbage collector."""
    gc.collect()
    gc.disable()
    try:
        begin = time.thread_time()
        work()
        return time.thread_time() - begin
    finally:
        gc.enable()


def grows_at_most(times: float, few: Callable[[], object], many: Callable[[], object]) -> bool:
    """Whether `many` takes at most that many times as long as `few`, measured while the machine is as busy; another
    process may slow one down, but seldom three times.
    """
    return any(seconds(many) <= times * seconds(few) for _ in range(3))


def report_of(response: Any) -> tuple[int, int, bool]:
    """How many errors a refusal lists and counts, and whether that is all of them."""
    report = refused(response)
    return len(report["errors"]), report["errorCount"], report["errorCountIsExact"]
