"""How gunicorn serves the application: `gunicorn dimensions_site.wsgi` in the project's folder reads this file."""

import os
import sys
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from gunicorn.http import message

from dimensions_site import environment as env

try:
    # Only the machine itself is served unless the operator says otherwise: a reverse proxy stands before the service.
    bind = os.environ.get("BIND") or f"127.0.0.1:{env.integer('PORT', default=8000, minimum=1, maximum=65535)}"

    # Processes use the cores; threads let a process go on while the database works for one of its requests, and keep
    # slow clients from holding a process.
    workers = env.integer("WEB_CONCURRENCY", default=2, minimum=1, maximum=256)
    worker_class = "gthread"
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

# The one line that each request leaves is written by the application, with the id of the request.
accesslog = None
# A worker touches a file every second as its sign of life; on a disk under load that could make it look dead.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None
# Nobody manages the server through gunicorn's control socket, a file in the home directory; signals do.
control_socket_disable = True
