"""Combine the metrics of several processes: each keeps its own in a file that the others read."""

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
    """Store metrics in files of a new folder in `parent`, which is deleted when this process ends.

    Call it before processes are forked and metrics are counted. The files of ended processes stay, because counters
    must not decrease.
    """
    folder = mkdtemp(prefix="dimensions-metrics-", dir=parent)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
    # The library decides at import whether processes share metrics, before a Django command knows which one it is.
    values.ValueClass = values.MultiProcessValue()
    atexit.register(_remove, folder, os.getpid())


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # processes that were forked from it end earlier
        shutil.rmtree(folder, ignore_errors=True)


def exposition(*collectors: Collector) -> WSGIApplication:
    """Return the WSGI application for GET /metrics with the shared metrics and those of further `collectors`."""

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
