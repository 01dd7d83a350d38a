"""Builds the Containerfile and runs the commands of compose.yaml, without an engine: `make container-check`.

Not run here: the engine itself, the images of PostgreSQL, Redis and nginx (this machine's programs stand for them), the
networks and the read-only file system of compose.yaml.
"""

import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.containers.compose import compose
from tests.containers.image import Builder, missing_programs
from tests.services.database import empty_database
from tests.services.deployment import nginx, wait_for
from tests.services.service import PROJECT, free_port

_TIMEOUT = 60


def main(postgresql: str) -> None:
    """Run the check with databases of the PostgreSQL server at that URL; print what was seen."""
    if missing := missing_programs():
        sys.exit(f"Install {', '.join(missing)} first (Debian: apt-get install {' '.join(missing)}).")
    where = PROJECT / ".run"
    where.mkdir(mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="containers-", dir=where) as name:
        _check(Path(name), postgresql)


def _check(folder: Path, postgresql: str) -> None:
    builder = Builder(folder)
    _report("a minimal Debian as the base", builder.make_base)
    _report("Containerfile built", builder.build)
    image = builder.configuration()
    sys.stdout.write(f"{'image':32} {image['size']}, user {image['User']}, {' '.join(image['Cmd'])}\n")
    socket = folder / "socket"
    socket.mkdir()
    socket.chmod(0o777)
    port, password = free_port(), secrets.token_urlsafe(12)
    with ExitStack() as running, empty_database(folder, postgresql) as database:
        names = {"SECRET_KEY": secrets.token_urlsafe(50), "SERVER_NAME": "127.0.0.1", "REDIS_PASSWORD": password}
        services = compose({**names, "POSTGRES_PASSWORD": "unused"})
        settings = {
            name: value.replace("redis:6379", f"127.0.0.1:{port}")
            for name, value in services["web"]["environment"].items()
        } | {"DATABASE_URL": database, "DJANGO_SETTINGS_MODULE": "dimensions_site.settings"}
        container = builder.container(socket)

        def run(*words: str) -> str:
            return builder.output(container, words, settings)

        assert run("id", "-u").strip() == "10001", "the image's user is not root"
        assert "pytest" not in run("python", "-m", "pip", "list"), "no tools of the tests"
        command = [*services["redis"]["command"], "--bind", "127.0.0.1", "--port", str(port)]
        running.enter_context(_redis(command, folder))
        _report("migrations", lambda: run(*services["migrations"]["command"]))
        run("python", "manage.py", "check", "--deploy", "--fail-level", "WARNING")
        web = running.enter_context(builder.started(container, image["Cmd"], settings))
        wait_for(str(socket / "web.sock"), web)
        running.enter_context(builder.started(container, services["worker"]["command"], settings))
        _report("health check of the image", lambda: run(*image["Healthcheck"]["Test"][1:]))
        run("python", "manage.py", "create_repository", "group", "--name", "Group accounts")
        run("python", "manage.py", "create_user", "erp")
        run("python", "manage.py", "grant_access", "erp", "group", "manager")
        key = run("python", "manage.py", "create_api_key", "erp", "--name", "check").split()[-1]
        _calls(running, folder, socket, key)
    sys.stdout.write("Containerfile and compose.yaml work, as far as that can be seen without an engine.\n")


def _calls(running: ExitStack, folder: Path, socket: Path, key: str) -> None:
    """A call through nginx that writes, one that reads, and one that the worker answers for."""
    proxy, _ = running.enter_context(nginx(folder, f"unix:{socket}/web.sock"))
    known = ["--cacert", str(proxy.certificate.file), "-H", f"X-API-Key: {key}"]
    curl, https = ["curl", "--silent", "--fail-with-body", *known], proxy.https
    elements = f"https://127.0.0.1:{https}/api/aih/dimensions/v1/group/currency/elements"
    body = '{"id": "EUR", "description": "Euro", "decimalNumbers": 2, "percentageDifference": "0.05"}'
    answer = subprocess.run([*curl, elements, "--json", body], check=True, capture_output=True, encoding="utf-8")
    sys.stdout.write(f"{'first call through nginx':32} {answer.stdout[:60]}…\n")
    ready = [*curl, "--retry", "60", "--retry-delay", "1", f"https://127.0.0.1:{https}/health/ready"]
    answer = subprocess.run(ready, check=True, capture_output=True, encoding="utf-8")
    sys.stdout.write(f"{'readiness with the worker':32} {answer.stdout[-90:]}\n")


@contextmanager
def _redis(command: list[str], folder: Path) -> Iterator[None]:
    """This machine's Redis with the command of compose.yaml."""
    assert shutil.which(command[0]), "There is no redis-server."
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()


def _report(what: str, do: Callable[[], object]) -> None:
    started = time.monotonic()
    do()
    sys.stdout.write(f"{what:32} {time.monotonic() - started:.1f} s\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
