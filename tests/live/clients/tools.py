"""The programs that generate clients from the OpenAPI documents, lint these, and compile and run the clients."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.services.service import PROJECT

# Where `make client-tools` installs what package-lock.json beside this file names.
NPM_TOOLS = PROJECT / ".run" / "clients" / "node_modules"
# From the packages that .ci/run installs.
JARS = Path("/usr/share/java")
DONE = "Every operation was answered."
# Nothing of this may reach another machine.
_QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "SCARF_ANALYTICS": "false"}


# Programs that run for seconds are not worth the second compiler.
_SHORT = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def run(*command: str | Path, folder: Path | None = None) -> str:
    """Run a program, whose name is looked up beside this Python, too; return what it printed. A failure is one."""
    scripts = str(Path(sys.executable).parent)
    environment: Mapping[str, str] = {
        **os.environ,
        **_QUIET,
        **_SHORT,
        "PATH": os.pathsep.join([str(NPM_TOOLS / ".bin"), scripts, os.environ.get("PATH", os.defpath)]),
    }
    program = shutil.which(str(command[0]), path=environment["PATH"])
    assert program is not None, f"{command[0]} is missing"
    done = subprocess.run(
        [program, *map(str, command[1:])],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def need_npm_tools() -> None:
    """Skip a test on a machine without the tools of package-lock.json; in CI it fails there."""
    _need(NPM_TOOLS.is_dir(), "The tools from npm are missing. Install them: make client-tools")


def need_java() -> None:
    """Skip a test on a machine without Java; in CI it fails there."""
    _need(
        shutil.which("java") is not None, "Java is missing. Install it (Debian: apt-get install default-jdk-headless)"
    )


def need_java_libraries(*names: str) -> list[Path]:
    """Return the libraries, and a compiler; otherwise skip the test. In CI it fails there."""
    found = [JARS / f"{name}.jar" for name in names]
    _need(
        shutil.which("javac") is not None and all(map(Path.exists, found)),
        "A Java compiler and libraries are missing. Install them (Debian: apt-get install default-jdk-headless "
        "libgoogle-gson-java libokhttp-java libcommons-lang3-java libjsr305-java libgeronimo-annotation-1.3-spec-java)",
    )
    return found


def _need(is_there: bool, message: str) -> None:
    if not is_there:
        assert os.environ.get("CI") != "true", message
        pytest.skip(message)
