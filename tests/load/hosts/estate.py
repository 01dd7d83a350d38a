"""The whole service on hosts of their own, set up by the files of docs/deploy.

nginx, two web servers, two workers, PgBouncer, PostgreSQL with a replica, and Redis as cache.
"""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any

from tests.load.hosts.network import Host, lay_cables, new_host
from tests.services.clerk import prepare
from tests.services.deployment import nginx, skip_without, started, wait_for
from tests.services.own_pgbouncer import own_pgbouncer
from tests.services.own_postgresql import as_user, server_programs
from tests.services.service import Answer, Service
from tests.services.worker import QUICK

HOSTS = ("nginx", "web1", "web2", "worker1", "worker2", "pgbouncer", "primary", "replica", "redis")
_POOL = 12
_NOTHING = -1


class NoAnswer(HTTPException):
    """nginx got no response from a web server."""


class Front(Service):
    """The service as clients reach it, through nginx."""

    def send(self, method: str, address: str, body: Any = None, **headers: str) -> Answer:
        """Send a request; raises NoAnswer when nginx got none."""
        answer = super().send(method, address, body, **headers)
        if answer.status in (502, 504):
            raise NoAnswer(answer.status)
        return answer


@dataclass
class Estate:
    """All hosts by their names, and what runs on them."""

    folder: Path
    hosts: dict[str, Host]
    stack: ExitStack
    pool: Mapping[str, int]
    front: Front = field(init=False)
    settings: dict[str, str] = field(init=False)

    @property
    def url(self) -> str:
        """The address of the primary itself."""
        return self._url("primary")

    @property
    def replica_url(self) -> str:
        """The address of the replica itself."""
        return self._url("replica")

    def _url(self, name: str) -> str:
        return f"postgresql://postgres@{self.hosts[name].address}:5432/postgres"

    def start(self, name: str) -> None:
        """Start what runs on a host."""
        {
            "nginx": self._start_nginx,
            "pgbouncer": self._start_pgbouncer,
            "redis": self._start_redis,
            "primary": self._start_server,
            "replica": self._start_server,
        }.get(name, self._start_unit)(self.hosts[name])

    def place(self, host: Host) -> Path:
        """The folder of the host's files."""
        place = self.folder / host.name
        place.mkdir(exist_ok=True)
        return place

    def _start_unit(self, host: Host) -> None:
        kind = host.name.rstrip("12")
        settings = {**self.settings, "BIND": f"{host.address}:8000"}
        unit = started(f"dimensions-{kind}.service", self.place(host), settings, host.inside)
        process = self.stack.enter_context(unit)
        if kind == "web":
            wait_for((host.address, 8000), process)

    def _start_nginx(self, host: Host) -> None:
        upstream = "; server ".join(f"{self.hosts[name].address}:8000" for name in ("web1", "web2"))
        proxy = nginx(self.place(host), upstream, address=host.address, ports=(80, 443), inside=host.inside)
        self.stack.enter_context(proxy)

    def _start_pgbouncer(self, host: Host) -> None:
        pool = own_pgbouncer(self.place(host), self.url, _POOL, (host.address, 6432), host.inside, **self.pool)
        self.settings["DATABASE_URL"] = self.stack.enter_context(pool).url

    def _start_redis(self, host: Host) -> None:
        words = ("--port", "6379", "--bind", host.address, "--save", "", "--appendonly", "no", "--protected-mode", "no")
        process = subprocess.Popen(
            [*host.inside, skip_without("redis-server"), *words], cwd=self.place(host), stdout=subprocess.DEVNULL
        )
        wait_for((host.address, 6379), process)

    def _start_server(self, host: Host) -> None:
        data = f"{self.folder}/postgresql/{host.name}"
        if not Path(data).exists():
            self._make_server(host, data)
        options = f"-c unix_socket_directories= -c listen_addresses={host.address} -c fsync=off"
        words = ("--pgdata", data, "--log", f"{data}.log", "--wait", "--silent", "--options", options)
        self._as_server(host, "pg_ctl", "start", *words)

    def _make_server(self, host: Host, data: str) -> None:
        if host.name == "primary":
            words = ("--username=postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8")
            self._as_server(host, "initdb", f"--pgdata={data}", *words)
            with Path(f"{data}/pg_hba.conf").open("a") as file:
                file.writelines(f"host {database} all 10.77.0.0/24 trust\n" for database in ("all", "replication"))
        else:
            copied = (f"--dbname={self.url}", "--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf")
            self._as_server(host, "pg_basebackup", f"--pgdata={data}", "--no-sync", *copied)

    def _as_server(self, host: Host, program: str, *words: str) -> None:
        command = [*host.inside, *as_user(), str(server_programs() / program), *words]
        # The server keeps what it inherits.
        subprocess.run(command, cwd="/", check=True, stdout=subprocess.DEVNULL)


@contextmanager
def estate(folder: Path, **pool: int) -> Iterator[Estate]:
    """Everything runs, until the block ends, with these settings of PgBouncer; to be used within `network.ALONE`."""
    folder.chmod(0o755)
    servers = folder / "postgresql"
    servers.mkdir()
    if as_user():
        shutil.chown(servers, "postgres")
    lay_cables()
    hosts = {name: new_host(name, number) for number, name in enumerate(HOSTS, start=2)}
    with ExitStack() as stack:
        made = Estate(folder, hosts, stack, pool)
        made.start("primary")
        key = prepare(made.url)
        made.start("replica")
        made.start("redis")
        redis = f"redis://{hosts['redis'].address}:6379"
        made.settings = {
            "SECRET_KEY": "this-key-signs-what-is-done-on-hosts-that-are-none-and-nothing-else",
            "REPLICA_URL": made.replica_url,
            "CACHE_URL": f"{redis}/0",
            "ALLOWED_HOSTS": hosts["nginx"].address,
            "TRUSTED_PROXIES": hosts["nginx"].address,
            **QUICK,
        }
        for name in ("pgbouncer", "web1", "web2", "worker1", "worker2", "nginx"):
            made.start(name)
        made.front = Front(80, _NOTHING, key, folder / "none", host=hosts["nginx"].address)
        try:
            yield made
        finally:
            # No process needs a graceful end any more.
            for host in hosts.values():
                host.kill()
