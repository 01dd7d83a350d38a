"""The parent-death signal of Linux: processes that end with their parent (design/jobs.md)."""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1  # of <linux/prctl.h>


def kill_children_with_their_parent() -> None:
    """Have every process that is forked from now on killed when its parent ends, however that ends.

    So no process of a worker continues unwatched. Only Linux has such a signal; elsewhere a worker whose first process
    is killed leaves the others behind.
    """
    if sys.platform != "linux":
        return
    prctl = ctypes.CDLL(None).prctl
    parent = 0

    def before() -> None:
        nonlocal parent
        parent = os.getpid()

    def in_child() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it has already ended
            os._exit(1)

    os.register_at_fork(before=before, after_in_child=in_child)
