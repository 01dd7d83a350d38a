"""A service whose settings a test chooses behind nginx, as docs/deploy sets it up."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.services.certificates import make_certificate
from tests.services.deployment import nginx, wait_for
from tests.services.service import Service, free_port, serving


@contextmanager
def fronted(database_url: str, key: str, folder: Path, **variables: str) -> Iterator[tuple[Service, Service]]:
    """The service as it is called at nginx's port for http, and the same as nginx calls it."""
    certificate = make_certificate(folder)
    port = free_port()
    with serving(database_url, key, folder, **variables) as direct:
        words = {
            "SERVER_NAME": "127.0.0.1",
            "HTTP_PORT": f"127.0.0.1:{port}",
            "HTTPS_PORT": f"127.0.0.1:{free_port()}",
            "TLS_CERTIFICATE": str(certificate.file),
            "TLS_KEY": str(certificate.key),
            "UPSTREAM": f"127.0.0.1:{direct.port}",
            "URL_PREFIX": "",
        }
        with nginx(folder, **words) as process:
            wait_for(("127.0.0.1", port), process)
            yield replace(direct, port=port), direct
