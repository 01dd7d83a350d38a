"""Entry point of the web server: `gunicorn dimensions_site.wsgi`.

It handles four things that Django handles too late or not at all: bodies without an announced length, Content-Type
headers on which its request class fails before any error handler exists (contract B3), a path prefix that the proxy may
have removed, and the body of responses to HEAD.
"""

import gc
import os
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from types import SimpleNamespace
from wsgiref.types import StartResponse, WSGIEnvironment

import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, SuspiciousOperation
from django.core.handlers.wsgi import WSGIRequest
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.utils.module_loading import import_string

from dimensions_site.environment import SocketAddress
from dimensions_site.observability.observation import running_release
from dimensions_site.observability.sharing import exposition

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dimensions_site.settings")

# Everything loaded here stays; collecting garbage in it would take a fifth of the time.
gc.disable()
try:
    _django = get_wsgi_application()
except ImproperlyConfigured as error:
    sys.exit(f"The service is not configured: {error}")  # the web server would print a stack trace
# Django would load them with the first request, in each process of the server again.
import_module(settings.ROOT_URLCONF)
gc.freeze()
gc.enable()
# Models can be imported from here on.
_metrics_address: SocketAddress | None = settings.METRICS_BIND
_metrics = exposition(import_string("dimensions_site.monitoring.StateCollector")())
log = structlog.get_logger(__name__)
log.info("web_server_started", **running_release())


def _guarded(read: Callable[[int], bytes]) -> Callable[..., bytes]:
    """Return `read` with OSError, which Django handles, for malformed chunks: each server raises errors of its own."""

    def guarded(size: int = -1, /) -> bytes:
        try:
            return read(size)
        except Exception as error:
            raise OSError("The chunked body cannot be read.") from error

    return guarded


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Respond to one request."""
    if _metrics_address and _came_in_at(_metrics_address, environ):
        close_old_connections()  # as Django does when a request begins
        return _metrics(environ, start_response)
    if "HTTP_TRANSFER_ENCODING" in environ and environ.get("wsgi.input_terminated"):
        # Django reads as many bytes as announced. The reader of the body enforces its own limit.
        environ["CONTENT_LENGTH"] = str(sys.maxsize)
        body = environ["wsgi.input"]
        environ["wsgi.input"] = SimpleNamespace(read=_guarded(body.read), readline=_guarded(body.readline))
    path = environ["PATH_INFO"]
    if path == settings.URL_PREFIX or path.startswith(f"{settings.URL_PREFIX}/"):
        environ["PATH_INFO"] = path.removeprefix(settings.URL_PREFIX)
    if ";" in environ.get("CONTENT_TYPE", "") and not _is_understood(environ):
        environ["CONTENT_TYPE"] = "unreadable"
    response = _django(environ, start_response)
    if environ["REQUEST_METHOD"] == "HEAD":
        # Do not read a streamed list from the database for nothing.
        response.close()
        return ()
    return response


def _came_in_at(address: SocketAddress, environ: WSGIEnvironment) -> bool:
    """Return whether a request arrived at this address; on a unix socket the client sets `SERVER_PORT`."""
    where = environ["gunicorn.socket"].getsockname()
    return isinstance(where, tuple) and where[1] == address.port


def _is_understood(environ: WSGIEnvironment) -> bool:
    """Return whether Django can parse `environ`: it decodes query and form with the charset of Content-Type, which is
    tried even without a query.
    """
    try:
        WSGIRequest({**environ, "QUERY_STRING": f"%FF&{environ.get('QUERY_STRING', '')}"})
    except (ValueError, LookupError, SuspiciousOperation):
        return False
    return True
