"""An image that buildah makes of the Containerfile, without an engine and on a base of Debian's debootstrap."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.services.service import PROJECT

BASE = "debian:bookworm-slim"
IMAGE = "localhost/dimensions"
_PROGRAMS = ("buildah", "debootstrap")
# How this machine reaches its package indexes, and which authorities it trusts.
_PACKAGES = ("/etc/apt", "/usr/share/keyrings")
_TRUSTED = "/etc/ssl/certs/ca-certificates.crt"


def missing_programs() -> list[str]:
    """What has to be installed before an image can be made."""
    return [program for program in _PROGRAMS if shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin") is None]


class Builder:
    """Makes images and runs their commands; everything is in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._storage = ["--root", str(folder / "store"), "--runroot", str(folder / "run"), "--storage-driver", "vfs"]

    def make_base(self) -> None:
        """Put a minimal Debian in the place of the image that the Containerfile starts from."""
        root = self._folder / "debian"
        _run("debootstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", str(root))
        container = self._buildah("from", "scratch").strip()
        self._buildah("add", "--quiet", container, str(root), "/")
        self._buildah("commit", "--quiet", "--rm", container, f"docker.io/library/{BASE}")
        shutil.rmtree(root)

    def build(self) -> None:
        """Follow the Containerfile, step by step."""
        shared = [f"{path}:{path}" for path in _PACKAGES] + self._pip()
        volumes = [word for volume in shared for word in ("--volume", f"{volume}:ro")]
        where = ["--file", "Containerfile", "--tag", IMAGE, "."]
        self._buildah("build", "--isolation", "chroot", "--pull-never", "--format", "docker", *volumes, *where)

    def _pip(self) -> list[str]:
        """This machine's pip configuration for the build, before the image's own certificates exist."""
        trusted, configuration = "/run/trusted.crt", Path("/etc/pip.conf")
        if not (configuration.exists() and Path(_TRUSTED).exists()):
            return []
        ours = self._folder / "pip.conf"
        ours.write_text(configuration.read_text().replace(_TRUSTED, trusted))
        return [f"{ours}:/etc/pip.conf", f"{_TRUSTED}:{trusted}"]

    def configuration(self) -> dict[str, Any]:
        """The metadata of the image: user, command, health check."""
        docker: dict[str, Any] = json.loads(self._buildah("inspect", "--type", "image", IMAGE))["Docker"]
        return {**docker["config"], "size": self._size()}

    def container(self, volume: Path) -> str:
        """A new container of the image, in which the folder `volume` is /run/dimensions."""
        container = self._buildah("from", "--pull-never", IMAGE).strip()
        self._buildah("config", "--volume", "/run/dimensions", container)
        self._volume = f"{volume}:/run/dimensions"
        return container

    def command(self, container: str, words: Sequence[str], settings: Mapping[str, str]) -> list[str]:
        """The command line that runs `words` in the container with these settings, as the user of the image."""
        variables = [word for name, value in settings.items() for word in ("--env", f"{name}={value}")]
        options = ["--isolation", "chroot", "--cap-drop", "all", "--volume", self._volume, *variables]
        return ["buildah", *self._storage, "run", *options, container, "--", *words]

    def output(self, container: str, words: Sequence[str], settings: Mapping[str, str]) -> str:
        """Return what the command prints. A command that fails raises `CalledProcessError`."""
        return _run(*self.command(container, words, settings))

    @contextmanager
    def started(
        self, container: str, words: Sequence[str], settings: Mapping[str, str]
    ) -> Iterator["subprocess.Popen[bytes]"]:
        """Run the command until the block ends; then SIGTERM has to end it, as an engine would."""
        with subprocess.Popen(self.command(container, words, settings), start_new_session=True) as process:
            try:
                yield process
            finally:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(timeout=60)

    def _buildah(self, *words: str) -> str:
        return _run("buildah", *self._storage, *words)

    def _size(self) -> str:
        return self._buildah("images", "--format", "{{.Size}}", IMAGE).strip()


def _run(*words: str) -> str:
    environment = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
    done = subprocess.run(words, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return done.stdout
