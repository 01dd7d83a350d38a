"""The calls in the documents get the answers that the documents show, in a new clone after `make run`."""

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.calls import LACKING, run_calls
from tests.services.service import PROJECT, free_port, wait_for_port
from tests.services.worker import alive_in, wait_until

PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs" / "integrators").glob("*.md"))]
ADDRESS = "http://localhost:8000"
# What every page continues.
START = "```sh\n" + (PROJECT / "docs" / "integrators" / "quick-start.md").read_text("utf-8").split("```sh\n")[1]

pytestmark = pytest.mark.skipif(LACKING != "", reason=LACKING)


@contextmanager
def make_run(folder: Path, port: int) -> Iterator[None]:
    """`make run` in the folder of a clone, as soon as it answers; its libraries are those of the tests.

    Who ends make ends the service, as a supervisor does: the recipe leaves no process between that would take the
    signal for itself.
    """
    make = ["make", "--makefile", str(PROJECT / "Makefile"), "--old-file", "run-environment", "run", f"PORT={port}"]
    clean = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "BROKER_URL"}}
    with (
        (folder / "output.txt").open("wb") as output,
        subprocess.Popen(make, cwd=folder, env=clean, stdout=output, stderr=output, start_new_session=True) as process,
    ):
        try:
            wait_for_port(port, process)
            yield
            process.terminate()
            process.wait(timeout=60)
            wait_until(lambda: not alive_in(process.pid), "Processes are left", lambda: str(alive_in(process.pid)))
            with socket.socket() as probe:
                assert probe.connect_ex(("127.0.0.1", port)) != 0
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)  # what a failure leaves


@dataclass(frozen=True)
class Clone:
    """A clone in which `make run` runs; what it has made of the database, and the port on which it serves."""

    folder: Path
    port: int
    made: sqlite3.Connection

    @property
    def database(self) -> Path:
        return self.folder / ".run" / "dimensions.sqlite3"

    def as_made(self, folder: Path) -> Path:
        """A folder that is the clone as if nobody had called the service: the database is again what was made."""
        with closing(sqlite3.connect(self.database, timeout=30)) as database:
            self.made.backup(database)
        for entry in self.folder.iterdir():
            (folder / entry.name).symlink_to(entry)
        return folder


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clone]:
    """As soon as it answers."""
    folder, port = tmp_path_factory.mktemp("clone"), free_port()
    (folder / ".run").mkdir(mode=0o700)
    (folder / ".run" / "venv").symlink_to(sys.prefix)
    for name in ("manage.py", "dimensions_site", "account", "currency", "bulkops", "templates", "gunicorn.conf.py"):
        (folder / name).symlink_to(PROJECT / name)
    with make_run(folder, port), closing(sqlite3.connect(":memory:")) as made:
        with closing(sqlite3.connect(folder / ".run" / "dimensions.sqlite3", timeout=30)) as database:
            database.backup(made)
        yield Clone(folder, port, made)


def wait_for_the_worker(database: Path) -> None:
    """Wait until no deletion runs, as somebody does who reads on."""
    deadline = time.monotonic() + 60
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as connection:
        while connection.execute("SELECT 1 FROM bulkops_dataprocessing WHERE status = 'RUNNING'").fetchone():
            assert time.monotonic() < deadline
            time.sleep(0.1)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_calls_of_the_documents_get_the_answers_that_they_show(page: Path, clone: Clone, tmp_path: Path) -> None:
    """In the order of the page, each page on its own, with no variables but those that the pages define."""
    text = page.read_text(encoding="utf-8")
    if page.name not in {"README.md", "quick-start.md"}:
        assert re.search(r"\]\(quick-start\.md\)", text), "the page names the variables of the quick start"
        text = f"{START}{text}"
    local = text.replace(ADDRESS, f"http://localhost:{clone.port}")
    called = run_calls(local, {}, clone.as_made(tmp_path), after_each=lambda: wait_for_the_worker(clone.database))
    assert called > 0
