"""How much of the processors the web server of a contestant takes, and how much PostgreSQL does for it."""

import os
from pathlib import Path
from typing import Self

import psycopg

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_BACKENDS = """
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


class Meter:
    """Adds up the seconds of one processor that are spent while it is entered, by the `web` server and the `database`.

    `master` is the process that the server's others come from. Nobody else may ask that database meanwhile. Processes
    that are not to be seen from here, on another machine for example, count nothing.
    """

    def __init__(self, master: int, database: "psycopg.Connection") -> None:
        self.web = 0.0
        self.database = 0.0
        self._master = master
        self._connection = database

    def __enter__(self) -> Self:
        self._add(-1)
        return self

    def __exit__(self, *_: object) -> None:
        self._add(1)

    def _add(self, sign: int) -> None:
        self.web += sign * _web(self._master)
        self.database += sign * _database(self._connection)


def _web(master: int) -> float:
    return sum(_seconds(int(pid)) for pid in Path(f"/proc/{master}/task/{master}/children").read_text().split())


def _database(database: "psycopg.Connection") -> float:
    return sum(_seconds(pid) for (pid,) in database.execute(_BACKENDS))


def _seconds(pid: int) -> float:
    """What a process has taken so far, in its own code and in the kernel; nothing when it is gone."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return 0.0
    # The second field is the name of the program, in brackets, and may have blanks.
    fields = told.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_A_SECOND
