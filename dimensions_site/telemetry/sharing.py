"""Figures of several processes in one answer: each process keeps its own in a file that the others read."""

import atexit
import os
import shutil
from tempfile import mkdtemp
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

ADDRESS = "/metrics"


def share(parent: str | None = None) -> None:
    """Keep what is counted from now on in files of a new folder in `parent`, which goes when this process ends.

    Called before processes are made and before anything is counted. The files of processes that have ended stay:
    counters only ever grow.
    """
    folder = mkdtemp(prefix="dimensions-metrics-", dir=parent)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
    # The library decides when it is imported, which a command of Django does before it knows which one it is.
    values.ValueClass = values.MultiProcessValue()
    atexit.register(_remove, folder, os.getpid())


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # processes that were forked from it end earlier
        shutil.rmtree(folder, ignore_errors=True)


def exposition(*collectors: Collector) -> WSGIApplication:
    """What answers GET /metrics, and 404 to all else, with the shared figures and those of further `collectors`."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        if environ["PATH_INFO"] != ADDRESS or environ["REQUEST_METHOD"] != "GET":
            start_response("404 Not Found", [("Content-Type", "text/plain; charset=utf-8")])
            return [b"Only GET /metrics is answered here.\n"]
        registry = CollectorRegistry()
        MultiProcessCollector(registry)
        for collector in collectors:
            registry.register(collector)
        body = generate_latest(registry)
        start_response("200 OK", [("Content-Type", CONTENT_TYPE_LATEST), ("Cache-Control", "no-store")])
        return [body]

    return answer
