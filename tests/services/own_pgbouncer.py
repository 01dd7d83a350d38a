"""A separate PgBouncer, from the file of docs/deploy."""

import os
import string
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.services.deployment import FOLDER, skip_without, wait_for
from tests.services.service import free_port, stop

# Where PostgreSQL asks for no password, PgBouncer does all the same.
_PASSWORD = "the-password-of-the-pool"


@dataclass(frozen=True)
class Pool:
    """A running PgBouncer; `url` is the address of the database behind it."""

    url: str
    log: Path


@contextmanager
def own_pgbouncer(
    folder: Path,
    database_url: str,
    pool_size: int,
    address: tuple[str, int] | None = None,
    inside: Sequence[str] = (),
    **changed: int,
) -> Iterator[Pool]:
    """PgBouncer before that database, with that many connections to it, until the block ends.

    It listens at the `address`, host and port, or else at a free port of this host, and is started by the words
    `inside`, on which the command follows. The settings `changed` are not as in the file. It refuses to run as root,
    and then runs as the user of PostgreSQL. Without the program the test is skipped, and fails in CI.
    """
    program = skip_without("pgbouncer")
    server = urlsplit(database_url)
    user, password = unquote(server.username or ""), unquote(server.password or _PASSWORD)
    name = server.path.removeprefix("/")
    host, port = address or ("127.0.0.1", free_port())
    users = folder / "userlist.txt"
    users.write_text(f'"{user}" "{password}"\n')
    configuration = folder / "pgbouncer.ini"
    words = {
        "DATABASE": name,
        "POSTGRESQL_HOST": server.hostname or "",
        "POSTGRESQL_PORT": str(server.port or 5432),
        "LISTEN_ADDRESS": host,
        "LISTEN_PORT": str(port),
        "USERS": str(users),
        "POOL_SIZE": str(pool_size),
    }
    # Of a setting that comes twice, the last one counts.
    last = "".join(f"{name} = {value}\n" for name, value in changed.items())
    configuration.write_text(string.Template((FOLDER / "pgbouncer.ini").read_text()).substitute(words) + last)
    # It rereads its files as the other user, without access to the folders of the tests by their names.
    command = [*inside, program, "-q", *(["-u", "postgres"] if os.geteuid() == 0 else []), str(configuration)]
    log = folder / "pgbouncer.log"
    with log.open("wb") as output, subprocess.Popen(command, stderr=output) as process:
        try:
            wait_for((host, port), process)
            yield Pool(f"postgresql://{user}:{password}@{host}:{port}/{name}", log)
        finally:
            stop(process)
