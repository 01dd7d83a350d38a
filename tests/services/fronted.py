"""A service whose settings a test chooses behind nginx, as docs/deploy sets it up."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.services.deployment import nginx
from tests.services.service import Service, serving


@contextmanager
def fronted(database_url: str, key: str, folder: Path, **variables: str) -> Iterator[Service]:
    """The service as it is called at nginx's port for http."""
    with (
        serving(database_url, key, folder, **variables) as direct,
        nginx(folder, f"127.0.0.1:{direct.port}") as (proxy, _),
    ):
        yield replace(direct, port=proxy.http)
