"""Readers do not wait for a writer, not even in a new process: SQLite has one writer at a time."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.services.clerk import prepare
from tests.services.programs import LIST
from tests.services.service import serving


@pytest.mark.contract("F6")
def test_reads_of_a_new_process_are_answered_while_somebody_writes(tmp_path: Path):
    file = tmp_path / "dimensions.sqlite3"
    key = prepare(f"sqlite:///{file}")
    with serving(f"sqlite:///{file}", key, tmp_path) as service, closing(sqlite3.connect(file)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        answers = [service.send("GET", f"{LIST}{which}") for which in ("", "?skip=0&take=3", "/nobody", "-count")]
    assert [answer.status for answer in answers] == [200, 200, 404, 200], answers
