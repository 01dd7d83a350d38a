"""The primary fails, by a power cut or by its cable, and a standby takes over: what was answered is there.

    python -m tests.load.hosts.failover --rounds 10

builds hosts for etcd, Patroni with PostgreSQL (two), a web server and a worker, set up by the files of docs/deploy.
While clients call, each round ends the primary, and measures how many seconds pass until the service, which nobody
restarts, reads and writes again. It ends with 1 when something is wrong (Linux, root).
"""

import argparse
import json
import shutil
import string
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

import psycopg

from tests.load.hosts.network import Host, bury_the_dead, lay_cables, new_host
from tests.load.hosts.run import alone, wait_until_served
from tests.services.bulk_state import rows
from tests.services.clerk import prepare
from tests.services.deployment import FOLDER, skip_without, started, wait_for
from tests.services.own_postgresql import as_user, server_programs
from tests.services.programs import calling, discrepancies
from tests.services.service import Service
from tests.services.worker import QUICK, wait_until

# What contract P4 allows, in seconds.
LIMIT = 30
HARMS = ("killed", "cut off")
_DATABASES = ("database1", "database2")
_PASSWORD, _REPLICA_PASSWORD = "a-Word-of-the-hosts", "a-Word-of-the-replica"
_NOTHING = -1
# A lost primary comes back as standby within this time.
_BACK = 240
_PAUSE = 0.5
_STANDBYS = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
_WHERE = "SELECT host(inet_server_addr())"


@dataclass
class Cluster:
    """etcd, two hosts with Patroni, a web server and a worker."""

    folder: Path
    hosts: dict[str, Host]
    stack: ExitStack
    service: Service = field(init=False)

    @property
    def url(self) -> str:
        """The address that the operator sets: that of whichever host takes writes."""
        places = ",".join(f"{self.hosts[name].address}:5432" for name in _DATABASES)
        limits = "connect_timeout=2&tcp_user_timeout=8000&keepalives_idle=3&keepalives_interval=2&keepalives_count=2"
        return f"postgresql://postgres:{_PASSWORD}@{places}/postgres?target_session_attrs=read-write&{limits}"

    def primary(self) -> Host:
        """The host that takes writes."""
        ((address,),) = rows(self.url, _WHERE)
        return next(host for host in self.hosts.values() if host.address == address)

    def start_database(self, name: str) -> None:
        """Start Patroni, which makes the first server or copies it."""
        host, place = self.hosts[name], self.folder / "postgresql" / name
        words = {
            "NAME": name,
            "ADDRESS": host.address,
            "ETCD": f"{self.hosts['etcd'].address}:2379",
            "DATA": f"{place}/data",
            "PROGRAMS": str(server_programs()),
            "SOCKET": f"{place}",
            "PASSWORD": _PASSWORD,
            "REPLICA_PASSWORD": _REPLICA_PASSWORD,
            "NETWORK": "10.77.0.0/24",
        }
        file = self.folder / f"{name}.yml"
        file.write_text(string.Template((FOLDER / "patroni.yml").read_text()).substitute(words))
        self._start(host, *as_user(), skip_without("patroni"), str(file))

    def start_etcd(self) -> None:
        """Start etcd, of which an operator has three."""
        host = self.hosts["etcd"]
        address = f"http://{host.address}:2379"
        words = (
            "--listen-client-urls",
            address,
            "--advertise-client-urls",
            address,
            "--data-dir",
            f"{self.folder}/etcd",
        )
        wait_for((host.address, 2379), self._start(host, skip_without("etcd"), *words))

    def start_service(self, key: str) -> None:
        """Start web server and worker."""
        web = self.hosts["web"]
        settings = {
            "SECRET_KEY": "this-key-signs-what-is-done-while-a-standby-takes-over-and-nothing-else",
            "DATABASE_URL": self.url,
            "ALLOWED_HOSTS": web.address,
            "BIND": f"{web.address}:8000",
            **QUICK,
        }
        for name in ("web", "worker"):
            place = self.folder / name
            place.mkdir()
            unit = started(f"dimensions-{name}.service", place, settings, self.hosts[name].inside)
            process = self.stack.enter_context(unit)
            if name == "web":
                wait_for((web.address, 8000), process)
        self.service = Service(8000, _NOTHING, key, self.folder / "none", host=web.address)

    def wait_until_whole(self) -> None:
        """Return as soon as the primary has a standby that takes part in each commit, and Patroni may promote it."""
        wait_until(
            lambda: _asked(self.url, _STANDBYS) == 1 and self._roles() == ["leader", "sync_standby"],
            "There is no standby",
            self._logs,
            _BACK,
        )

    def _roles(self) -> list[str]:
        try:
            with urlopen(f"http://{self.primary().address}:8008/cluster", timeout=5) as answer:
                return sorted(member["role"] for member in json.load(answer)["members"])
        except (OSError, psycopg.Error):
            return []

    def _start(self, host: Host, *command: str) -> "subprocess.Popen[bytes]":
        with (self.folder / f"{host.name}.log").open("ab") as log:
            return subprocess.Popen([*host.inside, *command], cwd="/", stdout=log, stderr=log)

    def _logs(self) -> str:
        return "\n".join((self.folder / f"{name}.log").read_text()[-3_000:] for name in _DATABASES)


def _asked(url: str, sql: str) -> object:
    try:
        ((answer,),) = rows(url, sql)
    except psycopg.Error:
        return None
    return answer


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """Everything runs, until the block ends; to be used within `network.ALONE`."""
    folder.chmod(0o755)
    for name in _DATABASES:
        (folder / "postgresql" / name).mkdir(mode=0o700, parents=True)
        if as_user():
            shutil.chown(folder / "postgresql" / name, "postgres")
    lay_cables()
    names = ("etcd", *_DATABASES, "web", "worker")
    hosts = {name: new_host(name, number) for number, name in enumerate(names, start=2)}
    with ExitStack() as stack:
        made = Cluster(folder, hosts, stack)
        made.start_etcd()
        for name in _DATABASES:
            made.start_database(name)
        made.wait_until_whole()
        made.start_service(prepare(made.url))
        try:
            yield made
        finally:
            for host in hosts.values():
                host.kill()


def fail(made: Cluster, harm: str) -> float:
    """End the primary; return the seconds until the service reads, writes and works again, then make it whole."""
    lost = made.primary()
    begin = time.monotonic()
    if harm == "killed":
        lost.kill()
    else:
        lost.cut()
    wait_until_served(made.service)
    seconds = time.monotonic() - begin
    if harm == "killed":
        made.start_database(lost.name)
    else:
        lost.join()
    made.wait_until_whole()
    assert made.primary() != lost, f"{lost.name} is still the primary"
    return seconds


def main(folder: Path, rounds: int) -> int:
    """Fail so many times, print what was seen, and return 0 when nothing is wrong."""
    wrong: list[str] = []
    with cluster(folder) as made:
        wait_until_served(made.service)
        with calling(made.service, _PAUSE) as record:
            for number in range(rounds):
                harm = HARMS[number % len(HARMS)]
                seconds = fail(made, harm)
                sys.stdout.write(f"the primary is {harm}: served again after {seconds:.1f} s\n")
                sys.stdout.flush()
                if seconds > LIMIT:
                    wrong.append(f"{seconds:.1f} s")
        wait_until_served(made.service)
        wrong += discrepancies(made.url, record)
    written = sum(write.status in (200, 201) for write in record.writes)
    sys.stdout.write(f"{written:,} answered writes in {rounds} rounds, {len(wrong)} errors\n")
    sys.stdout.writelines(f"{line}\n" for line in wrong[:20])
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.load.hosts.failover")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--alone", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.alone is None:
        sys.exit(alone("tests.load.hosts.failover", sys.argv[1:]))
    bury_the_dead()
    sys.exit(main(chosen.alone, chosen.rounds))
