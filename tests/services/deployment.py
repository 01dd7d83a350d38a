"""The files of docs/deploy as the tests start them: what an operator fills in is filled in, everything else stays."""

import os
import shlex
import shutil
import socket
import string
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.services.certificates import Certificate, make_certificate
from tests.services.service import PROJECT, environment, free_port, stop

FOLDER = PROJECT / "docs" / "deploy"
# Where the units expect the project and the settings to be.
INSTALLED, SETTINGS = "/opt/dimensions", "/etc/dimensions/"
_TIMEOUT = 60

# What nginx needs to run as anybody, apart from the files of a system; the file under test stands within `http`.
_SURROUNDINGS = """
{user}
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/dimensions.conf;
}}
"""


def skip_without(program: str) -> str:
    """The path of the program; without it the test is skipped, and in CI it fails."""
    found = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if found is None and os.environ.get("CI") != "true":
        pytest.skip(f"There is no {program}.")
    assert found is not None, f"There is no {program}."
    return found


def unit(name: str, project: Path = PROJECT) -> list[tuple[str, str]]:
    """The lines `Name=value` of a systemd unit, with the project where it is."""
    text = (project / "docs" / "deploy" / name).read_text().replace(INSTALLED, str(project))
    lines = [line.partition("=") for line in text.splitlines() if "=" in line and not line.startswith("#")]
    return [(key, value) for key, _, value in lines]


def settings_of(name: str, project: Path = PROJECT) -> dict[str, str]:
    """The variables that the unit reads from its file of settings, as systemd reads them."""
    settings = dict(unit(name, project))["EnvironmentFile"].removeprefix(SETTINGS)
    file = project / "docs" / "deploy" / settings
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return {key: value for key, _, value in (line.partition("=") for line in lines)}


@contextmanager
def started(
    name: str, folder: Path, changed: Mapping[str, str], inside: Sequence[str] = (), project: Path = PROJECT
) -> Iterator["subprocess.Popen[bytes]"]:
    """The process of a systemd unit, with these settings changed, until the block ends; its log is in `folder`.

    It is started by the words `inside`, on which the command follows. The `project` may be another release.
    """
    values = dict(unit(name, project))
    variables = {**settings_of(name, project), **changed}
    with (
        (folder / f"{name}.log").open("wb") as log,
        subprocess.Popen(
            [*inside, *shlex.split(values["ExecStart"])],
            cwd=values["WorkingDirectory"],
            env=environment(variables["DATABASE_URL"], **variables),
            stderr=log,
        ) as process,
    ):
        try:
            yield process
        finally:
            stop(process)


@dataclass(frozen=True)
class Proxy:
    """nginx, with the file of docs/deploy, at two ports of an address; its files are in `folder`."""

    folder: Path
    certificate: Certificate
    address: str
    http: int
    https: int
    prefix: str

    def fill_in(self, upstream: str) -> None:
        """Write its configuration as envsubst does, which passes requests to that web server, or several."""
        words = {
            "SERVER_NAME": self.address,
            "HTTP_PORT": f"{self.address}:{self.http}",
            "HTTPS_PORT": f"{self.address}:{self.https}",
            "TLS_CERTIFICATE": str(self.certificate.file),
            "TLS_KEY": str(self.certificate.key),
            "UPSTREAM": upstream,
            "URL_PREFIX": self.prefix,
        }
        template = string.Template((FOLDER / "nginx.conf").read_text())
        (self.folder / "dimensions.conf").write_text(template.safe_substitute(words))


@contextmanager
def nginx(
    folder: Path,
    upstream: str,
    prefix: str = "",
    *,
    address: str = "127.0.0.1",
    ports: tuple[int, int] | None = None,
    inside: Sequence[str] = (),
) -> Iterator[tuple[Proxy, "subprocess.Popen[bytes]"]]:
    """nginx before the web server, as soon as it listens, until the block ends; it shows the service under the prefix.

    It listens at the `ports` for http and https, or at free ones, and is started by the words `inside`, on which the
    command follows.
    """
    program = skip_without("nginx")
    http, https = ports or (free_port(), free_port())
    proxy = Proxy(folder, make_certificate(folder), address, http, https, prefix)
    proxy.fill_in(upstream)
    # Otherwise its processes would run as another user, without access to the folder of the tests.
    user = "user root;" if os.geteuid() == 0 else ""
    main = folder / "nginx.conf"
    main.write_text(_SURROUNDINGS.format(folder=folder, user=user))
    command = [*inside, program, "-e", str(folder / "nginx.log"), "-c", str(main)]
    subprocess.run([*command, "-t", "-q"], check=True)
    with subprocess.Popen(command) as process:
        try:
            wait_for((address, https), process)
            yield proxy, process
        finally:
            stop(process)


def wait_for(address: str | tuple[str, int], process: "subprocess.Popen[bytes]") -> None:
    """Return as soon as the process listens at the unix socket, or at host and port."""
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    deadline = time.monotonic() + _TIMEOUT
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket(family) as probe:
            if probe.connect_ex(address) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"Nobody listens at {address}; the process has status {process.poll()}.")
