"""What the processes of one worker tell each other, whichever of them may die at any moment.

It is shared memory without a lock: a process that is killed while it holds one would leave it locked for ever.
"""

import os
import socket
import time
import uuid
from multiprocessing.sharedctypes import RawValue

from django.conf import settings


class Pulse:
    """When a process of this worker last got something done, and whether the worker is to end.

    Made before the processes are, so that they all have the same one. `worker` is a name that no other worker has.
    """

    def __init__(self) -> None:
        self.worker = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._beat = RawValue("d", 0)
        self._is_ending = RawValue("b", 0)

    def beat(self) -> None:
        """Something was done just now."""
        self._beat.value = time.monotonic()  # one clock for all processes of a machine

    @property
    def last_beat(self) -> float | None:
        """When something was last done, by the monotonic clock."""
        return float(self._beat.value) or None

    def forget(self) -> None:
        """Other processes begin, and none of them has done anything."""
        self._beat.value = 0

    def end(self) -> None:
        """Ask all processes to stop at the next point where they lose nothing."""
        self._is_ending.value = 1

    @property
    def is_ending(self) -> bool:
        return bool(self._is_ending.value)


pulse = Pulse()


def interval() -> float:
    """For how many seconds a worker that lives is silent at most: a sixth of the time after which it counts as lost."""
    lost_after: int = settings.WORKER_LOST_AFTER_SECONDS
    return lost_after / 6
