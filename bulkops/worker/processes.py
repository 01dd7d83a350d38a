"""The processes that a worker starts besides the cluster's, and how all of them end with it (design/jobs.md)."""

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkProcess
from wsgiref.simple_server import WSGIRequestHandler, make_server

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from prometheus_client.exposition import ThreadingWSGIServer

from dimensions_site.observability.sharing import exposition, share

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


def start_process(work: Callable[[], None]) -> ForkProcess:
    """Start a process that does the `work` until the worker's first process ends it."""
    process = multiprocessing.get_context("fork").Process(target=_run, args=[work], daemon=True)
    process.start()
    return process


def _run(work: Callable[[], None]) -> None:
    # A terminal sends SIGINT to all processes. The inherited handlers are for the worker's first process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    work()


class _Quiet(WSGIRequestHandler):
    # A client that connects and sends nothing is not waited for.
    timeout = 10

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def answered_metrics() -> Iterator[None]:
    """Serve /metrics at WORKER_METRICS_BIND within the block, for this process and all that it starts.

    A separate process does, so that no job delays it. Raises `ImproperlyConfigured` if it cannot listen there.
    """
    address = settings.WORKER_METRICS_BIND
    if address is None:
        yield
        return
    share()
    try:
        server = make_server(address.host, address.port, exposition(), ThreadingWSGIServer, _Quiet)
    except OSError as error:
        raise ImproperlyConfigured(f"WORKER_METRICS_BIND is '{address}': {error.strerror}.") from None
    with server:
        answering = start_process(server.serve_forever)
    try:
        yield
    finally:
        answering.terminate()
        answering.join()
