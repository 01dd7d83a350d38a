"""What a request takes of each host.

All hosts share the processors of one machine, so a second web server makes it no quicker. What grows with the hosts
is shown by the time of a processor that a request takes on each of them: a host carries as many requests a second as it
has processors, divided by that time.
"""

import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from tests.load.hosts.estate import Estate
from tests.load.hosts.network import Host

_READERS = 8
_TIMEOUT = 60
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Load:
    """Requests a second, and the milliseconds of a processor that one of them took on each host."""

    rate: float
    milliseconds: Mapping[str, float]

    def __str__(self) -> str:
        shares = ", ".join(f"{host} {taken:.2f}" for host, taken in self.milliseconds.items() if taken >= 0.005)
        return f"{self.rate:7,.0f} a second; ms of a processor for each: {shares}"


def load(built: Estate, address: str, seconds: float) -> Load:
    """Have some clients get the address as often as they can, each on a persistent connection."""
    until = time.monotonic() + seconds
    counts: list[int] = []

    def read() -> None:
        connection, count = HTTPConnection(built.front.host, built.front.port, timeout=_TIMEOUT), 0
        while count == 0 or time.monotonic() < until:
            connection.request("GET", address, headers={"X-API-Key": built.front.key})
            response = connection.getresponse()
            response.read()
            assert response.status == 200
            count += 1
        counts.append(count)
        connection.close()

    before = {name: _taken(host) for name, host in built.hosts.items()}
    readers = [threading.Thread(target=read) for _ in range(_READERS)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    after = {name: _taken(host) for name, host in built.hosts.items()}
    assert len(counts) == _READERS
    return Load(sum(counts) / seconds, {name: (after[name] - before[name]) / sum(counts) for name in built.hosts})


def _taken(host: Host) -> float:
    """The milliseconds that the processes of the host have taken so far, those that have ended among their parents'."""
    return sum(_ticks(pid) for pid in host.processes()) * 1000 / _TICKS


def _ticks(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return 0
    return sum(map(int, fields[11:15]))
