"""How gunicorn serves the application: `gunicorn dimensions_site.wsgi` in the project's folder reads this file."""

import gc
import sys
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from gunicorn.arbiter import Arbiter
from gunicorn.http import message
from gunicorn.workers.base import Worker
from prometheus_client.multiprocess import mark_process_dead

from dimensions_site import environment as env
from dimensions_site.certificates import check_certificate, tls_context
from dimensions_site.fair_worker import FairWorker
from dimensions_site.telemetry.sharing import share
from dimensions_site.tls_worker import TlsWorker

try:
    # Only the machine itself is served unless the operator says otherwise: a reverse proxy stands before the service.
    bind = env.listeners("BIND") or [f"127.0.0.1:{env.integer('PORT', default=8000, minimum=1, maximum=65535)}"]

    # Processes use the cores; threads let a process go on while the database works for one of its requests, and keep
    # slow clients from holding a process.
    workers = env.integer("WEB_CONCURRENCY", default=2, minimum=1, maximum=256)
    worker_class = "dimensions_site.web_worker.WebWorker"
    # Where Prometheus reads; the application answers nothing else there.
    metrics = env.socket_address("METRICS_BIND", default="")
    # Where this server itself answers https, beside http, with a certificate and its key in files in PEM. A renewed
    # certificate counts from the next connection on.
    safe = env.socket_address("TLS_BIND", default="")
    certfile = env.readable_file("TLS_CERTFILE", default="")
    keyfile = env.readable_file("TLS_KEYFILE", default="")
    check_certificate(safe, certfile, keyfile)
    TlsWorker.tls_port = safe.port if safe else None
    for name, address in (("METRICS_BIND", metrics), ("TLS_BIND", safe)):
        if address and any(part.endswith(f":{address.port}") for part in bind):
            raise ImproperlyConfigured(f"{name} is '{address}'; it has to have a port of its own.")
        bind += [str(address)] if address else []

    # The application is loaded once, before the processes are made: they start at once, share its memory, and what is
    # wrong with the settings ends the server with its sentence instead of each process.
    preload_app = True
    threads = env.integer("WEB_THREADS", default=4, minimum=1, maximum=256)
except ImproperlyConfigured as error:
    # gunicorn would print a stack trace.
    sys.exit(f"The service is not configured: {error}")

# A worker that has not reported for a minute hangs and is replaced. Long downloads do not count: the main thread of
# a worker reports while its other threads answer.
timeout = 60
# When the service stops or restarts, requests that have begun may take this many seconds to finish.
graceful_timeout = 30
# Seconds for which an idle connection is kept, for proxies that send the next request on the same one.
keepalive = 5

# A filter of 4,096 characters takes up to 49,152 bytes when it is percent-encoded (contract D4). gunicorn cuts any
# limit down to MAX_REQUEST_LINE, 8,190 bytes, and its only other choice, 0, bounds nothing. Addresses longer than
# API_MAX_URL_SIZE are answered 414 by the application; beyond this limit gunicorn itself refuses.
message.MAX_REQUEST_LINE = limit_request_line = 128 * 1024
# Gunicorn's own limits of the headers, written down because the size of accepted credentials depends on them.
limit_request_fields = 100
limit_request_field_size = 8190

# No header of a request may say which part of its path is the address of the application: by default gunicorn
# believes that from its own machine, and answers 500 where path and header disagree.
forwarder_headers = ""
# Nor by which scheme it came: by default gunicorn believes that from its own machine and through a unix socket. The
# application believes the proxies that TRUSTED_PROXIES names.
secure_scheme_headers: dict[str, str] = {}

# Nobody is answered by an older version of TLS than 1.2.
ssl_context = tls_context

# The one line that each request leaves is written by the application, with the id of the request.
accesslog = None
# A worker touches a file every second as its sign of life; on a disk under load that could make it look dead.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None
# The figures of all processes, for the same reason in memory; before the application makes any.
if metrics:
    share(worker_tmp_dir)
# Nobody manages the server through gunicorn's control socket, a file in the home directory; signals do.
control_socket_disable = True

# Bytes of the largest announced body after which the connection is kept. A larger one may be refused unread, and
# gunicorn would let a thread wait up to 5 seconds for what is not sent any more.
_LARGEST_BODY_TO_KEEP_FOR = 1024 * 1024


def when_ready(server: Arbiter) -> None:
    """Let the garbage collector forget what is loaded by now and stays: each look at it would delay large requests.

    Before the processes are made, for each look would also give every process a memory of its own. And correct what
    gunicorn has just told of its addresses: it takes all of them for https, or none.
    """
    gc.collect()
    gc.freeze()
    if safe:
        server.log.info("TLS is spoken at %s, and at no other of these addresses", safe)


def child_exit(server: Arbiter, worker: Worker) -> None:
    """Forget the connections of a process that has ended, and the requests that it was answering; its figures stay."""
    if isinstance(worker, FairWorker):
        worker.forget()
    if metrics:
        mark_process_dead(worker.pid)


def pre_request(worker: Worker, request: message.Request) -> None:
    """Let the connection end with the answer to a large body."""
    if int(dict(request.headers).get("CONTENT-LENGTH", 0)) > _LARGEST_BODY_TO_KEEP_FOR:
        request.force_close()
