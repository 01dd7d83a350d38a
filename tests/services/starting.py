"""Programs in Python, started in forks of a process that has loaded the libraries of the service, but nothing of ours.

To load them is the longer half of each start. The programs read their settings themselves, as always; only libraries
that look at their surroundings when they are imported, as gunicorn and prometheus_client do, may not be loaded before.
"""

import atexit
import functools
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import IO, Any

_LIBRARIES = (
    *("django.core.management", "django.core.handlers.wsgi", "django.test.client", "django.db.migrations.executor"),
    *("django.db.backends.postgresql.base", "django.db.backends.sqlite3.base", "structlog"),
    *("authlib.integrations.requests_client", "authlib.oidc", "jwcrypto.jwt", "oauthlib.oauth2", "requests", "jwt"),
    *("lark", "markdown_it", "msgspec", "openpyxl", "orjson", "yaml"),
)
_LARGEST_ORDER = 1024**2
# How many bytes the id of a process takes, before its status.
_ID = 12


class Program:
    """A program that was started; it is waited for and signalled as a `subprocess.Popen` is."""

    def __init__(self, pid: int, ended: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ended = ended

    def poll(self) -> int | None:
        """Return its status if it has ended."""
        return self._status(0)

    def wait(self, timeout: float | None = None) -> int:
        """Return its status as soon as it has ended; raises TimeoutExpired."""
        status = self._status(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return status

    def _status(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._ended], [], [], timeout)[0]:
            self.returncode = int(os.read(self._ended, 100))
            os.close(self._ended)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it has not ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.wait()


# Of both kinds, those that are started here and those of their own.
Process = Program | subprocess.Popen[Any]


def start(
    words: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    streams: tuple[IO[Any] | None, IO[Any] | None, IO[Any] | None] = (None, None, None),
    start_new_session: bool = False,
) -> Program:
    """Start Python with these words: `-m` and a module, or a file, and their arguments.

    The three `streams` are nothing to read, and those of the tests to write to, unless files are given.
    """
    order = json.dumps([str(cwd), start_new_session, dict(env), list(words)]).encode()
    reading, writing = os.pipe()
    with Path(os.devnull).open("rb") as nothing:
        given = enumerate((streams[0] or nothing, *streams[1:]))
        files = [stream.fileno() if stream else number for number, stream in given]
        socket.send_fds(_starter(env["PYTHONPATH"]), [order], [*files, writing])
    os.close(writing)
    return Program(int(os.read(reading, _ID)), reading)


def run(
    words: Sequence[str], *, cwd: Path, env: Mapping[str, str], timeout: float = 120
) -> "subprocess.CompletedProcess[str]":
    """Start Python with these words, and wait until it ends; return its status and what it wrote."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        program = start(words, cwd=cwd, env=env, streams=(None, output, errors))
        try:
            status = program.wait(timeout)
        except subprocess.TimeoutExpired:
            program.kill()
            raise
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode())
    return subprocess.CompletedProcess(list(words), status, *texts)


@functools.cache
def _starter(path: str) -> socket.socket:
    """The connection to the process that starts programs with that `PYTHONPATH`, until this one ends."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environment = {**os.environ, "PYTHONPATH": path}
    process = subprocess.Popen([sys.executable, __file__], stdin=its.fileno(), env=environment)
    its.close()
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


def main() -> None:
    """Load the libraries; then fork for each order, until nobody can give any more."""
    for name in _LIBRARIES:
        import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait for the programs
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests, which end the programs
    orders = socket.socket(fileno=os.dup(0))
    while True:
        order, files, _, _ = socket.recv_fds(orders, _LARGEST_ORDER, 4)
        if not order:
            return
        if os.fork() == 0:
            orders.close()
            _become(*json.loads(order), *files)
            return
        for file in files:
            os.close(file)


def _become(folder: str, is_new_session: bool, environment: dict[str, str], words: list[str], *files: int) -> None:
    """Fork once more, to run the program; the first process passes on its id, and its status when it ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, ended = files
    pid = os.fork()
    if pid:
        for file in (0, 1, 2, *streams):
            os.close(file)
        os.write(ended, f"{pid:{_ID}}".encode())
        _, status = os.waitpid(pid, 0)
        os.write(ended, str(os.waitstatus_to_exitcode(status)).encode())
        os._exit(0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, file in enumerate(streams):
        os.dup2(file, number)
    for file in files:
        os.close(file)
    if is_new_session:
        os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if words[0] == "-m":
        sys.argv, sys.path[0] = words[1:], folder
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif words[0] == "-c":
        sys.argv, sys.path[0] = ["-c", *words[2:]], ""
        exec(words[1], {"__name__": "__main__"})  # noqa: S102 - the tests wrote it
    else:
        sys.argv, sys.path[0] = words, str(Path(words[0]).parent)
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main()
