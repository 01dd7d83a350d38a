"""Web server and worker of the demo, side by side in one terminal."""

import os
import shlex
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType

import honcho.manager
from honcho.manager import SIGNALS, Manager

# Seconds until both are killed, more than either needs: gunicorn gives requests 30.
honcho.manager.KILL_WAIT = 40


def serve(project: Path, environment: Mapping[str, str]) -> bool:
    """Run web server and worker of the `project` folder until both have ended; prefix their lines with their names.

    SIGINT, SIGTERM, a closed terminal or the end of one process ends both. Return whether the end was requested.
    """
    python = shlex.quote(sys.executable)
    web = f"exec {python} -m gunicorn -c {_path(project, 'gunicorn.conf.py')} --log-level warning dimensions_site.wsgi"
    worker = f"exec {python} {_path(project, 'manage.py')} qcluster"
    common = {**os.environ, **environment, "PYTHONPATH": str(project), "PYTHONUNBUFFERED": "1"}
    processes = Manager()
    processes._procmgr = _Signals()
    processes.add_process("web", web, env=common)
    processes.add_process("worker", worker, env={**common, "LOG_LEVEL": "WARNING"})
    signal.signal(signal.SIGHUP, _end_unseen)
    processes.loop()
    return processes.returncode in {ending["rc"] for ending in SIGNALS.values()}


def _end_unseen(number: int, frame: FrameType | None) -> None:
    """End as on SIGTERM, without output: the terminal is gone, and writing to it would fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    signal.raise_signal(signal.SIGTERM)


def _path(folder: Path, name: str) -> str:
    return shlex.quote(str(folder / name))


class _Signals:
    """Signals a process, not its children. Honcho would signal the whole group, and the children of django-q2's cluster
    would end in the middle of their work.
    """

    def terminate(self, pid: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)

    def kill(self, pid: int) -> None:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
