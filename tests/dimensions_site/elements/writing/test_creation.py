"""Creating elements."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from urllib.parse import unquote

import pytest
from django.db import connection

from account.models import AccountVersion
from tests.factories import account, currency, read


@pytest.mark.contract("C13")
@pytest.mark.parametrize("id", ["1000", "a b/c;d%", "日本"])
def test_a_created_element_is_answered_with_its_location(alice, id):
    """201, and the `Location` leads to the element."""
    created = alice.send("POST", alice.account(), account(id))

    assert created.status_code == 201
    assert unquote(created.headers["Location"]) == alice.account(f"elements/{id}")
    assert read(alice.get(created.headers["Location"])) == read(created)


@pytest.mark.contract("C13")
@pytest.mark.parametrize("dimension", ["account", "currency"])
def test_an_existing_element_is_not_created_again(alice, dimension):
    """400 ALREADY_EXISTS at `id`, and the element stays as it is."""
    path, payload = (alice.account(), account()) if dimension == "account" else (alice.currency(), currency())
    first = read(alice.send("POST", path, payload))

    response = alice.send("POST", path, payload | {"descriptions": {"en": "Another"}})

    assert response.status_code == 400
    assert response.json()["code"] == "ALREADY_EXISTS"
    [error] = response.json()["errors"]
    assert (error["path"], error["code"]) == ("id", "ALREADY_EXISTS")
    assert f"'{payload['id']}'" in error["message"]
    assert read(alice.get(path)) == [first]


@pytest.mark.contract("C13")
@pytest.mark.django_db(transaction=True)
def test_one_of_many_simultaneous_creations_wins(alice):
    """The others get the error that the element exists; none of them fails in another way."""
    responses = at_once(8, lambda: alice.send("POST", alice.account(), account()))

    assert Counter(response.status_code for response in responses) == {201: 1, 400: 7}
    assert {response.json()["code"] for response in responses if response.status_code == 400} == {"ALREADY_EXISTS"}
    assert AccountVersion.objects.count() == 1


@pytest.mark.contract("C14")
@pytest.mark.django_db(transaction=True)
def test_one_of_many_simultaneous_puts_inserts_and_the_others_replace(alice):
    """All succeed."""
    responses = at_once(8, lambda: alice.send("PUT", alice.account("elements/1000"), account()))

    assert Counter(response.status_code for response in responses) == {201: 1, 200: 7}


def at_once(times: int, call: Any) -> list[Any]:
    """What a call gives in each of that many threads that start together."""
    start = Barrier(times)

    def in_thread(_: int) -> Any:
        try:
            start.wait()
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(in_thread, range(times)))
