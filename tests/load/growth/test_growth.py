"""What `make growth` measures is what it says: a short form of it, in which no time counts."""

import os
from collections.abc import Iterator

import pytest
from django.db import connection

from tests.lengths import tries
from tests.load.growth.loading import Rig, prepared
from tests.load.growth.measuring import measured
from tests.load.growth.rows import BY_KEY
from tests.load.growth.stages import Stage

STAGES = (Stage(60, 24, 10), Stage(120, 48, 10), Stage(240, 96, 10))[: tries(2, long=3)]

if connection.vendor == "postgresql":

    @pytest.fixture
    def rig(tmp_path) -> Iterator[Rig]:
        """A database with the accounts that are multiplied."""
        with prepared(os.environ["DATABASE_URL"], tmp_path, 16) as made:
            yield made

    def test_each_stage_has_its_accounts_and_answers_right(rig):
        """Counts, pages and hits are those of the stage, what is deleted is gone, and what is old is purged."""
        for stage in STAGES:
            lines: list[str] = []
            measurements = measured(rig, stage, 1, 0.01, lines.append)
            assert list(measurements) == list(BY_KEY)
            assert all(measurements.values())
            assert any("28 answers are right" in line for line in lines)
            (there,) = rig.database.execute("SELECT count(*) FROM account_account").fetchone()
            assert there == stage.total - stage.deleted
