"""What `make bench` measures is comparable: all three contestants answer and save the same."""

import os

import psycopg
from django.db import connection

from tests.load.bench.equality import check, check_writes
from tests.load.bench.loading import filled_database
from tests.load.bench.processors import Meter
from tests.services.worker import is_alive, wait_until

COUNT = 60
# Takes PostgreSQL a tenth of a second or so.
WORK = "SELECT count(*) FROM generate_series(1, 1000000)"

if connection.vendor == "postgresql":  # the floor is a floor of PostgreSQL

    def test_the_floor_the_service_and_the_plain_one_answer_and_save_the_same(tmp_path):
        """Lists, pages, counts, filters and fetches are equal, and so is what bulk saves and a patch leave."""
        with (
            filled_database(os.environ["DATABASE_URL"], tmp_path, COUNT) as ready,
            ready.started(tmp_path) as contestants,
        ):
            assert check(contestants, COUNT) == 24
            check_writes(contestants)

    def test_a_connection_that_has_ended_takes_nothing_back():
        """Work before the measurement does not count, and a process that ends does not reduce the others' work."""
        url = os.environ["DATABASE_URL"]
        with psycopg.connect(url, autocommit=True) as watching, psycopg.connect(url, autocommit=True) as working:
            ending = psycopg.connect(url, autocommit=True)
            pid = ending.info.backend_pid
            for _ in range(3):
                ending.execute(WORK)
            with Meter(os.getpid(), watching) as spent:
                ending.close()
                wait_until(lambda: not is_alive(pid), "The connection does not end")
                working.execute(WORK)
        assert spent.database >= 0
