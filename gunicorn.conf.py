"""Configuration of gunicorn: `gunicorn dimensions_site.wsgi` in the project's folder reads this file."""

import gc
import signal
import sys
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from gunicorn.arbiter import Arbiter
from gunicorn.http import message
from gunicorn.workers.base import Worker
from prometheus_client.multiprocess import mark_process_dead

from dimensions_site import environment as env
from dimensions_site.observability.sharing import share
from dimensions_site.server.worker import HostMissing, exposure_warnings, keep_apart, return_blocks_of

try:
    # The local machine only, unless the operator says otherwise: a reverse proxy precedes the service.
    bind = env.listeners("BIND") or [f"127.0.0.1:{env.integer('PORT', default=8000, minimum=1, maximum=65535)}"]

    # Processes use the cores; threads let a process continue while the database works for one of its requests, and keep
    # slow clients from blocking it.
    workers = env.integer("WEB_CONCURRENCY", default=2, minimum=1, maximum=256)
    worker_class = "dimensions_site.server.worker.WebWorker"
    # The metrics endpoint; nothing else is served there.
    metrics = env.socket_address("METRICS_BIND", default="")
    if metrics and any(part.endswith(f":{metrics.port}") for part in bind):
        raise ImproperlyConfigured(f"METRICS_BIND is '{metrics}'; it has to have a port of its own.")
    bind += [str(metrics)] if metrics else []

    # The application is loaded once, before the fork: workers start at once, share its memory, and an invalid setting
    # ends the server with its sentence instead of each worker.
    preload_app = True
    threads = env.integer("WEB_THREADS", default=4, minimum=1, maximum=256)
except ImproperlyConfigured as error:
    # gunicorn would print a stack trace.
    sys.exit(f"The service is not configured: {error}")

# Seconds after which a worker that has not reported is replaced; it reports during long downloads, too.
timeout = 60
# Seconds that running requests get to finish when the service stops or restarts.
graceful_timeout = 30
# Seconds that an idle connection is kept open, for proxies that reuse it.
keepalive = 5

# A percent-encoded filter of 4,096 characters takes up to 49,152 bytes (contract D4). gunicorn cuts any limit down to
# MAX_REQUEST_LINE, 8,190 bytes, and its only other choice, 0, means no limit. The application responds with 414 to URLs
# longer than API_MAX_URL_SIZE; gunicorn rejects lines beyond this limit.
message.MAX_REQUEST_LINE = limit_request_line = 128 * 1024
# gunicorn's default number of headers. A reason of 1,000 characters takes up to 12,000 bytes, percent-encoded (contract
# I2).
limit_request_fields = 100
limit_request_field_size = 16 * 1024

# No request header sets the path prefix or the scheme: by default gunicorn trusts such headers from the local machine
# and through a unix socket. The application trusts those of TRUSTED_PROXIES.
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}

# The application logs one line per request, with its id.
accesslog = None
# A worker touches a file every second as a heartbeat; on a busy disk, that could make it look dead.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None
# In memory for the same reason, and before the application creates any metrics.
if metrics:
    share(worker_tmp_dir)
# No control socket in the home directory; signals control the server.
control_socket_disable = True

# The connection is kept after bodies of at most this many announced bytes. A larger body may be rejected unread, and
# gunicorn would block a thread for up to 5 seconds waiting for the rest.
_LARGEST_BODY_TO_KEEP_FOR = 1024 * 1024


# Request bodies, mostly.
return_blocks_of(4 * 1024 * 1024)


def when_ready(server: Arbiter) -> None:
    """Exempt everything loaded so far from garbage collection, and warn about addresses that bypass the reverse proxy.

    Before the fork: each collection would delay large requests, and copy the shared memory into every worker.
    """
    gc.collect()
    gc.freeze()
    for warning in exposure_warnings([listener.getsockname() for listener in server.LISTENERS], metrics):
        server.log.warning(warning)


def post_fork(server: Arbiter, worker: Worker) -> None:
    """End a worker that gets SIGTERM before it listens to signals.

    Until then it has the master's handlers, which only queue signals, and the service would wait for it for
    `graceful_timeout`.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while not server.SIG_QUEUE.empty():
        if server.SIG_QUEUE.get_nowait() == signal.SIGTERM:
            sys.exit()


def child_exit(server: Arbiter, worker: Worker) -> None:
    """Delete the gauges of an ended process; its counters stay."""
    if metrics:
        mark_process_dead(worker.pid)


def pre_request(worker: Worker, request: message.Request) -> None:
    """Reject a request without a Host header, keep reasons apart, and close the connection after a large body."""
    headers = dict(request.headers)
    if "HOST" not in headers and request.version == (1, 1):
        raise HostMissing
    keep_apart(request.headers, "CHANGE-REASON")
    if int(headers.get("CONTENT-LENGTH", 0)) > _LARGEST_BODY_TO_KEEP_FOR:
        request.force_close()
