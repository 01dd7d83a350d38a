"""Hosts on one machine: each has an address, a name and processes of its own, and a cable that can be pulled (Linux).

To be used within `ALONE`: then nothing of it is seen outside, and nothing is left when the first process has ended,
however that ends.
"""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# Namespaces for the network, the mounts and the processes; the last die with the first process in it.
ALONE = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
_NAMES = "/run/netns"
_SWITCH = "switch"


@dataclass(frozen=True)
class Host:
    """A host of the network."""

    name: str
    address: str

    @property
    def inside(self) -> Sequence[str]:
        """Words that start the command behind them on this host."""
        named = ("unshare", "--uts", "sh", "-c", f'hostname {self.name}; exec "$@"', self.name)
        return ("nsenter", f"--net={_NAMES}/{self.name}", *named)

    def cut(self) -> None:
        """Pull the cable: nobody receives anything from the host any more, not even that it is gone."""
        _ip("-n", _SWITCH, "link", "set", "dev", self.name, "down")

    def join(self) -> None:
        """Put the cable back."""
        _ip("-n", _SWITCH, "link", "set", "dev", self.name, "up")

    def processes(self) -> list[int]:
        """The ids of its processes."""
        return [int(pid) for pid in _ip("netns", "pids", self.name).split()]

    def kill(self) -> None:
        """End all its processes at once, as a power cut does."""
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def bury_the_dead() -> None:
    """Go on in a new process; this one, to which all are left whose parents have ended, waits for the ends of all.

    Else PostgreSQL would see that the killed server of before is still there.
    """
    first = os.fork()
    if first == 0:
        return
    while True:
        pid, status = os.wait()
        if pid == first:
            os._exit(os.waitstatus_to_exitcode(status) % 256)


def lay_cables() -> None:
    """Make a network with the switch, and this process its first host, with the address 10.77.0.1."""
    Path(_NAMES).mkdir(parents=True, exist_ok=True)
    _run("mount", "-t", "tmpfs", "none", _NAMES)
    _ip("netns", "add", _SWITCH)
    _ip("-n", _SWITCH, "link", "add", "bridge0", "type", "bridge")
    _ip("-n", _SWITCH, "link", "set", "dev", "bridge0", "up")
    _ip("link", "set", "dev", "lo", "up")
    _ip("link", "add", "eth0", "type", "veth", "peer", "name", "programs", "netns", _SWITCH)
    _plug("programs", [], 1)


def new_host(name: str, number: int) -> Host:
    """A host with the address 10.77.0.`number`, plugged in."""
    _ip("netns", "add", name)
    _ip("link", "add", "eth0", "netns", name, "type", "veth", "peer", "name", name, "netns", _SWITCH)
    _ip("-n", name, "link", "set", "dev", "lo", "up")
    return Host(name, _plug(name, ["-n", name], number))


def _plug(name: str, where: Sequence[str], number: int) -> str:
    address = f"10.77.0.{number}"
    _ip("-n", _SWITCH, "link", "set", "dev", name, "master", "bridge0", "up")
    _ip(*where, "address", "add", f"{address}/24", "dev", "eth0")
    _ip(*where, "link", "set", "dev", "eth0", "up")
    return address


def _ip(*words: str) -> str:
    return _run("ip", *words)


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
