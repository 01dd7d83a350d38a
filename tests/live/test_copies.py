"""A repository is copied while others write: the copy is exactly what had been committed at one moment."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from tests.live.test_bulk_races import ACCOUNTS, bulk
from tests.services.bulk_state import rows
from tests.services.clerk import run_command
from tests.services.service import Service

SIZE = 1_500
WRITERS = 4


@pytest.mark.contract("I4", "J2")
def test_a_copy_is_that_of_one_moment(service: Service, prepared: tuple[str, str]):
    """Compared with the base in the state that the copy has noted, nothing differs."""
    ids = [f"copied-{number:04}" for number in range(SIZE)]
    assert bulk("copied", put=ids).send(service).status == 200
    is_over = Event()

    def write(writer: int) -> int:
        count = 0
        while not is_over.is_set():
            mark = f"copied-{writer}-{count}"
            both = bulk(mark, patched=[ids[writer + count], ids[-1 - writer - count]])
            assert both.send(service).status == 200
            count += 1
        return count

    with ThreadPoolExecutor(WRITERS) as pool:
        running = [pool.submit(write, writer) for writer in range(WRITERS)]
        try:
            run_command(prepared[0], "copy_repository", "northwind", "copy-of-one-moment")
        finally:
            is_over.set()
        assert all(each.result() for each in running)
    ((noted,),) = rows(
        prepared[0], "SELECT base_states FROM repositories_repository WHERE db_id = %s", "copy-of-one-moment"
    )
    token = (json.loads(noted) if isinstance(noted, str) else noted)["account"]
    copy = ACCOUNTS.replace("northwind", "copy-of-one-moment")

    def compared(query: str) -> Any:
        return service.send("GET", f"{copy}-compare?fromRepository=northwind{query}").json()

    assert compared(f"&from={token}") == []
    # Others have written meanwhile: otherwise this shows nothing.
    assert compared("") != []
