"""How much memory an attack takes (Linux): the web processes above idle, and each process that reads a file."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.load.attacks.scene import Scene
from tests.load.memory import Peak, kibibytes

_INTERVAL = 0.03
_READER = b"bulkops.files.outside.child"


@dataclass
class Taken:
    """The peak of the web processes above idle together, and of the largest process that read a file, in KiB."""

    web: int = 0
    reader: int = 0
    # Web processes that ended meanwhile.
    lost: int = 0


@contextmanager
def measuring(scene: Scene) -> Iterator[Taken]:
    """Look at the processes until the block ends; the result is complete then."""
    taken, over = Taken(), threading.Event()
    before, peak = scene.attacker.workers(), Peak(scene.attacker)

    def watch() -> None:
        while not over.wait(_INTERVAL):
            for pid in _children([*scene.attacker.workers(), *scene.worker.processes()]):
                with suppress(OSError, AssertionError):
                    if _READER in Path(f"/proc/{pid}/cmdline").read_bytes():
                        taken.reader = max(taken.reader, kibibytes(pid, "VmHWM"))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield taken
    finally:
        over.set()
        thread.join()
        taken.lost = len({*before} - {*scene.attacker.workers()})
        if not taken.lost:
            taken.web = peak.above_idle()


def _children(pids: Iterable[int]) -> Iterator[int]:
    """The children of all threads of the processes."""
    for pid in pids:
        for place in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):
                yield from map(int, place.read_text().split())
