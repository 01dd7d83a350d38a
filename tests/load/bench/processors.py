"""How much of the processors the web server of a contestant takes, and how much PostgreSQL does for it."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Self

import psycopg

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_BACKENDS = """
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
_IS_CITUS = "SELECT FROM pg_extension WHERE extname = 'citus'"
# Those of the other nodes, which are servers on this machine, too.
_BACKENDS_OF_WORKERS = f"""
SELECT unnest(result::integer[])
FROM run_command_on_workers($$SELECT coalesce(array_agg(pid), '{{}}') FROM ({_BACKENDS}) AS backends$$)
"""


class Meter:
    """Adds up the processor seconds that the `web` server and the `database` spend within the block.

    `master` is the process that the server's others come from. Nothing else may use that database meanwhile. What a
    process did that has ended by then is unknown, as is work on another machine. Neither counts.
    """

    def __init__(self, master: int, database: "psycopg.Connection") -> None:
        self.web = 0.0
        self.database = 0.0
        self._master = master
        self._connection = database
        is_citus = database.execute(_IS_CITUS).fetchone() is not None
        self._queries = (_BACKENDS, _BACKENDS_OF_WORKERS) if is_citus else (_BACKENDS,)
        self._before: dict[int, float] = {}

    def __enter__(self) -> Self:
        self._before = _seconds([*self._web(), *self._backends()])
        return self

    def __exit__(self, *_: object) -> None:
        self.web += self._since(self._web())
        self.database += self._since(self._backends())

    def _web(self) -> Iterable[int]:
        return map(int, Path(f"/proc/{self._master}/task/{self._master}/children").read_text().split())

    def _backends(self) -> Iterable[int]:
        return [pid for query in self._queries for (pid,) in self._connection.execute(query)]

    def _since(self, pids: Iterable[int]) -> float:
        return sum(now - self._before.get(pid, 0) for pid, now in _seconds(pids).items())


def _seconds(pids: Iterable[int]) -> dict[int, float]:
    """What each process has taken so far, in its own code and in the kernel."""
    taken = {}
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/stat").read_text()
        except FileNotFoundError:
            continue
        # The second field is the name of the program, in brackets, and may have blanks.
        fields = text.rpartition(")")[2].split()
        taken[pid] = (int(fields[11]) + int(fields[12])) / _TICKS_A_SECOND
    return taken
