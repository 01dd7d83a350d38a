"""A separate Redis server."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from tests.services.service import stop, wait_for_port


@contextmanager
def own_redis(folder: Path, port: int, *options: str) -> Iterator[redis.Redis]:
    """A server on the port, with these further options, until the block ends; it keeps nothing.

    Without the program the test is skipped, and fails in CI.
    """
    program = shutil.which("redis-server")
    if program is None:
        assert os.environ.get("CI") != "true", "redis-server is not installed, and CI demands it."
        pytest.skip("redis-server is not installed")
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", *options]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        try:
            wait_for_port(port, process)
            with redis.Redis(port=port, db=1) as client:
                yield client
        finally:
            stop(process)
