"""`make run`: the whole service in one terminal."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.services.migrated import copy_file, template
from tests.services.service import PROJECT, environment, free_port, stop, wait_for_port
from tests.services.worker import alive_in, wait_until

_TIMEOUT = 120
linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the processes from /proc")


@contextmanager
def demo(folder: Path, port: int) -> Iterator[tuple["subprocess.Popen[bytes]", Callable[[], str]]]:
    """`manage.py run_demo` in that folder as soon as it answers, and what it has printed until now."""
    log = folder / "output.txt"
    variables = {"SECURE_COOKIES": "false", "LOG_FORMAT": "console", "PORT": str(port), "WEB_CONCURRENCY": "1"}
    with (
        log.open("wb") as output,
        subprocess.Popen(
            [sys.executable, str(PROJECT / "manage.py"), "run_demo", "--password-file", ".run/password"],
            cwd=folder,
            env=environment("sqlite:///demo.sqlite3", **variables),
            stdout=output,
            stderr=output,
        ) as process,
    ):
        try:
            wait_for_port(port, process)
            yield process, log.read_text
        finally:
            if process.poll() is None:
                stop(process)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a blank in its name; the demo keeps its database there from test to test.

    The tables are there: a start without any is seen by the tests of the documents.
    """
    made = tmp_path_factory.mktemp("a demo")
    copy_file(template(""), made / "demo.sqlite3")
    return made


def started(output: str) -> dict[str, int]:
    """The process ids in the output, by name."""
    return {name: int(pid) for name, pid in re.findall(r"(web|worker) started \(pid=(\d+)\)", output)}


@linux
@pytest.mark.contract("G1", "H3")
def test_the_printed_call_works_and_the_end_of_the_terminal_ends_everything(folder: Path):
    """The curl line of the output is answered; after SIGHUP no process is left and the status is 0."""
    port = free_port()
    with demo(folder, port) as (process, output):
        # Nothing precedes the banner.
        assert output().startswith(f"\nThe service        http://127.0.0.1:{port}/\n")
        for dimension in ("currency", "account"):
            (page,) = re.findall(rf"http://\S+/docs/{dimension}$", output(), re.MULTILINE)
            with urlopen(page) as response:
                assert response.status == 200
        (line,) = re.findall(r"^curl .*$", output(), re.MULTILINE)
        words = shlex.split(line)
        assert words[:2] == ["curl", "-u"]
        assert words[3].startswith(f"http://127.0.0.1:{port}/")
        call = Request(words[3], headers={"Authorization": f"Basic {b64encode(words[2].encode()).decode()}"})
        with urlopen(call) as response:
            assert json.load(response)["id"] == "EUR"
        assert words[2] == f"demo:{(folder / '.run/password').read_text()}"

        wait_until(lambda: len(started(output())) == 2, "Not started")
        sessions = started(output()).values()
        wait_until(lambda: all(len(alive_in(session)) > 1 for session in sessions), "No children")
        assert stop(process, signal.SIGHUP) == 0
        assert [line for session in sessions for line in alive_in(session)] == []
        assert "Traceback" not in output()
        assert "SIGKILL" not in output()
    assert (folder / ".run/password").stat().st_mode & 0o077 == 0


@linux
def test_what_takes_its_time_to_end_is_not_killed(folder: Path):
    """Ctrl-C gives as much time as the web server gives running requests; the data of an earlier start is there."""
    with demo(folder, free_port()) as (process, output):
        wait_until(lambda: len(started(output())) == 2, "Not started")
        web = started(output())["web"]
        os.kill(web, signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        time.sleep(6)  # honcho's own limit is five seconds
        os.kill(web, signal.SIGCONT)
        assert process.wait(timeout=_TIMEOUT) == 0
        assert "SIGKILL" not in output()


@linux
@pytest.mark.parametrize("name", ["web", "worker"])
def test_when_one_process_dies_the_other_ends_too(folder: Path, name: str):
    """The status is 1, and the last line says what has happened."""
    with demo(folder, free_port()) as (process, output):
        wait_until(lambda: len(started(output())) == 2, "Not started")
        processes = started(output())
        wait_until(lambda: all(len(alive_in(session)) > 1 for session in processes.values()), "No children")
        os.killpg(processes[name], signal.SIGKILL)
        assert process.wait(timeout=_TIMEOUT) == 1
        # Those that were killed here end when each of them gets a processor.
        wait_until(lambda: not any(alive_in(session) for session in processes.values()), "Some are left")
        assert output().splitlines()[-1].startswith("CommandError: The service has stopped, because one of its")


@pytest.mark.parametrize("port", ["taken", "eighty"])
def test_an_unusable_port_is_reported_with_a_clear_message(tmp_path: Path, port: str):
    """Before anything is prepared, with a way out."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        text = str(other.getsockname()[1]) if port == "taken" else port
        outcome = subprocess.run(
            [sys.executable, str(PROJECT / "manage.py"), "run_demo"],
            cwd=tmp_path,
            env=environment("sqlite:///demo.sqlite3", PORT=text),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    assert outcome.returncode == 1
    assert outcome.stderr.startswith("CommandError: P")
    assert text in outcome.stderr
    assert outcome.stderr.endswith("for example: make run PORT=8001\n")
    assert not (tmp_path / "demo.sqlite3").exists()
