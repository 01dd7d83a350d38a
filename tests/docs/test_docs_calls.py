"""The calls in the documents get the answers that the documents show, in a new clone after `make run`."""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from tests.docs.calls import LACKING, run_calls
from tests.services.service import PROJECT, free_port, wait_for_port

PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs" / "integrators").glob("*.md"))]
ADDRESS = "http://localhost:8000"
# What every page continues.
START = "```sh\n" + (PROJECT / "docs" / "integrators" / "quick-start.md").read_text("utf-8").split("```sh\n")[1]

pytestmark = pytest.mark.skipif(LACKING != "", reason=LACKING)


@contextmanager
def make_run(folder: Path, port: int) -> Iterator[None]:
    """`make run` in the folder of a clone, as soon as it answers; its libraries are those of the tests."""
    make = ["make", "--makefile", str(PROJECT / "Makefile"), "--old-file", "run-environment", "run", f"PORT={port}"]
    clean = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "BROKER_URL"}}
    with (
        (folder / "output.txt").open("wb") as output,
        subprocess.Popen(make, cwd=folder, env=clean, stdout=output, stderr=output, start_new_session=True) as process,
    ):
        try:
            wait_for_port(port, process)
            yield
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait(timeout=60)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone in which `make run` has run once, and nobody has called the service."""
    folder = tmp_path_factory.mktemp("clone")
    (folder / ".run").mkdir(mode=0o700)
    (folder / ".run" / "venv").symlink_to(sys.prefix)
    for name in ("manage.py", "dimensions_site", "account", "currency", "bulkops", "templates", "gunicorn.conf.py"):
        (folder / name).symlink_to(PROJECT / name)
    with make_run(folder, free_port()):
        pass
    return folder


def wait_for_the_worker(database: Path) -> None:
    """Wait until no deletion runs, as somebody does who reads on."""
    deadline = time.monotonic() + 60
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as connection:
        while connection.execute("SELECT 1 FROM bulkops_dataprocessing WHERE status = 'RUNNING'").fetchone():
            assert time.monotonic() < deadline
            time.sleep(0.1)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_calls_of_the_documents_get_the_answers_that_they_show(page: Path, clone: Path, tmp_path: Path) -> None:
    """In the order of the page, each page on its own, with no variables but those that the pages define."""
    port = free_port()
    folder = tmp_path / "clone"
    shutil.copytree(clone, folder, symlinks=True)
    text = page.read_text(encoding="utf-8")
    if page.name not in {"README.md", "quick-start.md"}:
        assert re.search(r"\]\(quick-start\.md\)", text), "the page names the variables of the quick start"
        text = f"{START}{text}"
    with make_run(folder, port):
        database = folder / ".run" / "dimensions.sqlite3"
        local = text.replace(ADDRESS, f"http://localhost:{port}")
        called = run_calls(local, {}, folder, after_each=lambda: wait_for_the_worker(database))
    assert called > 0
