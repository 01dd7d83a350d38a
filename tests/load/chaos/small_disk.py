"""A small file system in memory that can be full."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

_PIECE = bytes(64 * 1024)


@dataclass(frozen=True)
class SmallDisk:
    """A mounted file system."""

    folder: Path

    def fill(self) -> None:
        """Leave no byte free."""
        with (self.folder / "ballast").open("ab", buffering=0) as ballast:
            for size in (len(_PIECE), 1):
                with suppress(OSError):
                    while True:
                        ballast.write(_PIECE[:size])

    def free(self) -> None:
        """Give back what was taken by filling it."""
        (self.folder / "ballast").unlink()


@contextmanager
def small_disk(megabytes: int) -> Iterator[SmallDisk]:
    """A new file system, open to all; where nobody may mount one the test is skipped, and in CI it fails."""
    with TemporaryDirectory() as folder:
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=1777", "tmpfs", folder]
        is_mounted = os.geteuid() == 0 and subprocess.run(command, check=False, capture_output=True).returncode == 0
        if not is_mounted and os.environ.get("CI") != "true":
            pytest.skip("only who may mount a file system can have a small one")
        assert is_mounted, "only who may mount a file system can have a small one"
        try:
            yield SmallDisk(Path(folder))
        finally:
            subprocess.run(["umount", folder], check=True)
