"""What `make bench` measures is comparable: all three contestants answer and save the same."""

import os

from django.db import connection

from tests.bench.equality import check, check_writes
from tests.bench.loading import filled_database

COUNT = 60

if connection.vendor == "postgresql":  # the floor is a floor of PostgreSQL

    def test_the_floor_the_service_and_the_plain_one_answer_and_save_the_same(tmp_path):
        """Lists, pages, counts, filters and fetches are equal, and so is what bulk saves and a patch leave."""
        with (
            filled_database(os.environ["DATABASE_URL"], tmp_path, COUNT) as ready,
            ready.started(tmp_path) as contestants,
        ):
            assert check(contestants, COUNT) == 24
            check_writes(contestants)
