"""Threads of one process that write to one SQLite database wait for its lock, and not for each other otherwise."""

import gc
import threading
import time

import pytest
from django.db import OperationalError, connection, transaction

from dimensions_site.db.transactions import sqlite_timeout
from dimensions_site.repositories.models import Repository

if connection.vendor == "sqlite":

    @pytest.mark.django_db(transaction=True)
    def test_whoever_holds_the_lock_may_clean_up_after_others(northwind):
        """Python frees what an error has left in any thread, including the one that all wait for.

        What was left must not need the connection of the other thread, which is unavailable while that one waits.
        """
        left: list[BaseException] = []
        waits = threading.Event()

        def write(seconds: float) -> None:
            with sqlite_timeout(seconds), transaction.atomic():
                Repository.objects.update(name="written in the end")

        def live() -> None:
            try:
                write(0)
            except OperationalError as error:
                left.append(error)
            waits.set()
            write(60)
            connection.close()

        other = threading.Thread(target=live)
        with transaction.atomic():
            other.start()
            waits.wait()
            time.sleep(0.5)
            begin = time.monotonic()
            assert left
            left.clear()
            gc.collect()
            assert time.monotonic() - begin < 30  # the other thread would wait twice as long
        other.join()
        assert Repository.objects.get().name == "written in the end"
