"""The worker's metrics for Prometheus, served by a separate process, so that no job delays them."""

import multiprocessing
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from dimensions_site.environment import SocketAddress
from dimensions_site.observability.sharing import exposition, share


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    """Logs no line for each request of Prometheus."""

    # A client that connects and sends nothing is not waited for.
    timeout = 10

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def answered_metrics() -> Iterator[None]:
    """Serve /metrics at WORKER_METRICS_BIND within the block, for this process and all that it starts.

    Raises `ImproperlyConfigured` if it cannot listen there.
    """
    address = settings.WORKER_METRICS_BIND
    if address is None:
        yield
        return
    share()
    with _listening(address) as server:
        answering = multiprocessing.get_context("fork").Process(target=_answer, args=[server], daemon=True)
        answering.start()
    try:
        yield
    finally:
        answering.terminate()
        answering.join()


def _listening(address: SocketAddress) -> WSGIServer:
    try:
        return make_server(address.host, address.port, exposition(), server_class=_Server, handler_class=_Quiet)
    except OSError as error:
        raise ImproperlyConfigured(f"WORKER_METRICS_BIND is '{address}': {error.strerror}.") from None


def _answer(server: WSGIServer) -> None:
    # A terminal sends SIGINT to all processes, but the worker's first process ends this one. Its inherited handlers are
    # for the other processes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    server.serve_forever()
