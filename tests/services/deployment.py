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
from pathlib import Path

import pytest

from tests.services.service import PROJECT, environment, stop

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


def fill_in(folder: Path, **words: str) -> None:
    """Write the configuration of nginx there: the file of docs/deploy, its words in capital letters filled in."""
    template = string.Template((FOLDER / "nginx.conf").read_text())
    (folder / "dimensions.conf").write_text(template.safe_substitute(words))


@contextmanager
def nginx(folder: Path, inside: Sequence[str] = (), **words: str) -> Iterator["subprocess.Popen[bytes]"]:
    """nginx with the file of docs/deploy, its words in capital letters filled in as envsubst does.

    It is started by the words `inside`, on which the command follows.
    """
    program = skip_without("nginx")
    fill_in(folder, **words)
    # Otherwise its processes would run as another user, without access to the folder of the tests.
    user = "user root;" if os.geteuid() == 0 else ""
    main = folder / "nginx.conf"
    main.write_text(_SURROUNDINGS.format(folder=folder, user=user))
    command = [*inside, program, "-e", str(folder / "nginx.log"), "-c", str(main)]
    subprocess.run([*command, "-t", "-q"], check=True)
    with subprocess.Popen(command) as process:
        try:
            yield process
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
