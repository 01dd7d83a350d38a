"""A release replaces the one before, and is put back, while clients of all kinds work: no call fails (contract P3).

    DATABASE_URL=postgresql://… python -m tests.upgrade.rolling --from 1.0.0

starts the release before behind nginx, with two web servers and a worker, as docs/deploy sets them up. While writers,
a client that follows the feed and imports go on, this release migrates the database and takes the place of one process
after the other, as docs/operators/maintenance.md says; then the release before comes back.
"""

import argparse
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.load.follower.copies import Copy
from tests.load.follower.writing import EXPECTED, Scene, Writer, session
from tests.services.clerk import prepare
from tests.services.database import empty_database
from tests.services.deployment import nginx, started, wait_for
from tests.services.service import Service, free_port
from tests.services.worker import QUICK, wait_until
from tests.upgrade.two_releases import CheckedOut, before, made_up_next, release_before

WRITERS = 16
_SECRET_KEY = "this-key-signs-what-two-releases-of-the-tests-understand-and-nothing-else"
_NOTHING = -1
_PAUSE = 0.3
# All writers may wait for the turn of one repository at once: a 503 for the crowd says nothing about releases.
_PATIENT = {"WEB_THREADS": "32", "BULK_WAITERS": "64", "BULK_WAIT_SECONDS": "300"}
# What a client may not get: no answer, or an error of the service.
_FAILED = {0, *range(500, 600)}


@dataclass
class Report:
    """What the clients saw: how often which status came, by kind of write, and what may not be."""

    kinds: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    polls: int = 0
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in self.kinds.most_common())
        statuses = ", ".join(f"{count:,} x {status}" for status, count in sorted(self.statuses.items()))
        return f"{self.statuses.total():,} writes ({statuses}): {kinds}; {self.polls:,} polls; {len(self.wrong)} failed"


class Site:
    """nginx, and behind it two web servers and a worker, which may be of different releases."""

    def __init__(self, stack: ExitStack, folder: Path, url: str) -> None:
        self._stack = stack
        self._folder = folder
        self._url = url
        self._ports = [free_port(), free_port()]
        self._running: dict[str, ExitStack] = {}

    def start(self, release: CheckedOut) -> None:
        """Start everything, of this release."""
        for number in range(len(self._ports)):
            self._start_web(number, release)
        self._start("worker", release, {})
        proxy = nginx(self._folder, self._listed(*self._ports))
        self._proxy, self._nginx = self._stack.enter_context(proxy)
        for port in self._ports:
            self._wait_until_ready(port)

    @property
    def port(self) -> int:
        """The port of nginx for http, once everything is started."""
        return self._proxy.http

    def replace(self, release: CheckedOut) -> None:
        """Have the release take the place of what runs, one process after the other."""
        for number, port in enumerate(self._ports):
            self._pass_to(*(other for other in self._ports if other != port))
            self._running.pop(f"web{number}").close()
            self._start_web(number, release)
            self._wait_until_ready(port)
            self._pass_to(*self._ports)
        old = self._running.pop("worker")
        self._start("worker", release, {})
        old.close()

    def _start_web(self, number: int, release: CheckedOut) -> None:
        self._start(f"web{number}", release, {"BIND": f"127.0.0.1:{self._ports[number]}"})

    def _start(self, name: str, release: CheckedOut, changed: dict[str, str]) -> None:
        place = self._folder / f"{name}-{time.monotonic_ns()}"
        place.mkdir()
        settings = {"SECRET_KEY": _SECRET_KEY, "DATABASE_URL": self._url, "ALLOWED_HOSTS": "127.0.0.1"}
        unit = f"dimensions-{name.rstrip('01')}.service"
        settings |= {**QUICK, **_PATIENT, **changed, "PYTHONPATH": release.path}
        self._running[name] = self._stack.enter_context(ExitStack())
        running = self._running[name].enter_context(started(unit, place, settings, (), release.folder))
        if "BIND" in changed:
            wait_for(("127.0.0.1", int(changed["BIND"].rpartition(":")[2])), running)

    def _pass_to(self, *ports: int) -> None:
        """Have nginx pass requests to these alone; return when none is on its way to another."""
        self._proxy.fill_in(self._listed(*ports))
        old = self._passing()
        self._nginx.send_signal(signal.SIGHUP)
        wait_until(lambda: not old & self._passing() and bool(self._passing()), "nginx does not take its new file")

    def _passing(self) -> set[str]:
        pid = self._nginx.pid
        return set(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())

    def _listed(self, *ports: int) -> str:
        return "; server ".join(f"127.0.0.1:{port}" for port in ports)

    def _wait_until_ready(self, port: int) -> None:
        service = Service(port, _NOTHING, "", self._folder)
        wait_until(
            lambda: service.send("GET", "/health/ready").status == 200,
            "It does not become ready",
            lambda: service.send("GET", "/health/ready").body.decode(),
        )


@contextmanager
def working(scene: Scene, writers: int) -> Iterator[Report]:
    """Writers of all kinds, and a client that follows them, until the block ends."""
    report, is_over, copy = Report(), threading.Event(), Copy(scene.service)

    def write(number: int) -> None:
        writer = Writer(scene, f"writer-{number}")
        while not is_over.wait(_PAUSE):
            kind, status = writer.write()
            report.kinds[kind] += 1
            report.statuses[status] += 1
            if status in _FAILED or status not in EXPECTED:
                report.wrong.append(f"{kind}: {status}")

    def follow() -> None:
        while not is_over.wait(_PAUSE):
            copy.poll()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
    threads.append(threading.Thread(target=follow))
    for thread in threads:
        thread.start()
    try:
        yield report
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    report.polls = copy.polls
    if difference := copy.difference():
        report.wrong.append(f"the copy of the feed: {difference}")


def roll(old: CheckedOut, new: CheckedOut, server_url: str, folder: Path, writers: int, seconds: float) -> Report:
    """Go from the `old` release to the `new` one and back, each for some `seconds` at least."""
    with ExitStack() as stack:
        url = stack.enter_context(empty_database(folder, server_url))
        old.migrate(url)
        key = prepare(url, old.folder)
        site = Site(stack, folder, url)
        site.start(old)
        service = Service(site.port, _NOTHING, key, folder)
        scene = Scene(service, url, session(url, old.folder), folder, accounts=300, largest=200, release=old.folder)
        with working(scene, writers) as report:
            time.sleep(seconds)
            new.migrate(url)
            for release in (new, old):
                site.replace(release)
                time.sleep(seconds)
        return report


def main(reference: str, seconds: float) -> int:
    """Roll, print what was seen, and return 0 when no call failed."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        old = before(reference, folder / "before")
        new = before("", folder / "after") if reference else made_up_next(folder / "after")
        begin = time.monotonic()
        report = roll(old, new, os.environ["DATABASE_URL"], folder, WRITERS, seconds)
    what = f"from {reference} to this release" if reference else "from this release to a made-up next one"
    sys.stdout.write(f"{what} and back, {time.monotonic() - begin:.0f} s\n  {report}\n")
    sys.stdout.writelines(f"{line}\n" for line in report.wrong[:20])
    return 1 if report.wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.upgrade.rolling")
    parser.add_argument(
        "--from", dest="reference", default=release_before(), help="a tag or commit; by default the newest tag"
    )
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    sys.exit(main(options.reference, options.seconds))
