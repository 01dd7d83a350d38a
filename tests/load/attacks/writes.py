"""Writes that wait for each other, or take long to check, and attempts at a password."""

import base64
import gzip
import json
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from itertools import product
from threading import Event
from typing import Any

from tests.load.attacks.reads import ELEMENTS
from tests.load.attacks.scene import Scene, repeatedly
from tests.services.bulk_state import marked, rows
from tests.services.clerk import errand
from tests.services.long_reads import CONDITIONS

_CLIENTS = 8
_HEAVY_CLIENTS = 4
_TIMEOUT = 180
_PEOPLE = "from tests.load.attacks.people import"


def patches_until_the_limit(scene: Scene) -> Counter[str]:
    """Each client adds texts to all maps of an element of its own, again and again."""
    maps = ("descriptions", "alternativeDescriptions", "customAttributes")
    patches = [
        {name: {f"{prefix}-{number:04}": "x" * 900 for number in range(95)}}
        for prefix, name in product(("aa", "bb", "cc", "dd"), maps)
    ]

    def call(number: int) -> int:
        client, turn = number % _CLIENTS, number // _CLIENTS
        address = f"{ELEMENTS}/patched-{client}"
        if turn == 0:
            return scene.attacker.send("PUT", address, marked(f"patched-{client}", "patched")).status
        return scene.attacker.send("PATCH", address, patches[turn % len(patches)]).status

    return repeatedly(_CLIENTS, scene.scale.seconds, call)


def bulk_saves_beside_an_import(scene: Scene) -> Counter[str]:
    """Each of one element, into the repository into which a file is checked and imported, until that has ended."""
    return _beside_an_import(scene, lambda client: _bulk(scene, {"put": [marked(f"beside-{client}", "bulk")]}))


def single_writes_beside_an_import(scene: Scene) -> Counter[str]:
    """Each creates an element that the file has, too, until it is imported."""
    element = marked("import-0000000", "single")
    return _beside_an_import(scene, lambda _client: scene.attacker.send("POST", ELEMENTS, element).status)


def _beside_an_import(scene: Scene, write: Callable[[int], int]) -> Counter[str]:
    oid = errand(scene.database, f"{_PEOPLE} begin_import; begin_import({scene.scale.rows})").split()[-1]
    over = Event()

    def save(client: int) -> Counter[str]:
        outcomes: Counter[str] = Counter()
        while not over.is_set():
            outcomes += repeatedly(1, 0, lambda _: write(client))
        return outcomes

    with ThreadPoolExecutor(_CLIENTS) as clients:
        work = [clients.submit(save, client) for client in range(_CLIENTS)]
        try:
            checked = _state_after(scene, oid, "CHECKING")
            if checked == "CHECKED":
                errand(scene.database, f"{_PEOPLE} confirm_import; confirm_import({oid!r})")
            ended = _state_after(scene, oid, "IMPORTING") if checked == "CHECKED" else checked
        finally:
            over.set()
    outcomes = sum((each.result() for each in work), Counter[str]())
    outcomes[f"import {ended}"] += 1
    return outcomes


def plans_with_long_scopes(scene: Scene) -> Counter[str]:
    """Fifty conditions as the scope of a plan that changes nothing."""
    body = {"bulk": {"put": []}, "scope": CONDITIONS}
    return repeatedly(
        _CLIENTS, scene.scale.seconds, lambda _: scene.attacker.send("POST", f"{ELEMENTS}-plans", body).status
    )


def empty_elements(scene: Scene) -> Counter[str]:
    """As many empty elements as a bulk save may have."""
    return _hopeless(scene, {"post": [{}] * scene.scale.bulk})


def wrong_types(scene: Scene) -> Counter[str]:
    """As many elements with a number where an enum belongs."""
    elements = [{**marked(f"wrong-{number}", "wrong"), "nature": 7} for number in range(scene.scale.bulk)]
    return _hopeless(scene, {"post": elements})


def login_attempts(scene: Scene) -> Counter[str]:
    """Wrong passwords for one user, each from an address in a separate network."""
    with ThreadPoolExecutor(_CLIENTS) as clients:
        statuses = clients.map(lambda number: _log_in(scene, number), range(scene.scale.login_attempts))
        return Counter(map(str, statuses))


def _hopeless(scene: Scene, body: Any) -> Counter[str]:
    compressed = gzip.compress(json.dumps(body).encode())
    return repeatedly(_HEAVY_CLIENTS, scene.scale.seconds, lambda _: _bulk(scene, compressed, Content_Encoding="gzip"))


def _bulk(scene: Scene, body: Any, **headers: str) -> int:
    return scene.attacker.send("POST", f"{ELEMENTS}-bulk", body, **headers).status


def _state_after(scene: Scene, oid: str, state: str) -> str:
    """The state of the import as soon as it is another one."""
    deadline = time.monotonic() + _TIMEOUT
    while time.monotonic() < deadline:
        ((found,),) = rows(scene.database, "SELECT status FROM bulkops_fileimport WHERE oid = %s", oid)
        if found != state:
            return str(found)
        time.sleep(0.2)
    return state


def _log_in(scene: Scene, number: int) -> int:
    """Try a password from an address of this machine that nobody else has."""
    connection = HTTPConnection(
        scene.attacker.host, scene.attacker.port, timeout=60, source_address=(f"127.{1 + number % 250}.7.1", 0)
    )
    credentials = base64.b64encode(f"mallory:wrong {number}".encode()).decode()
    try:
        connection.request("GET", f"{ELEMENTS}-count", headers={"Authorization": f"Basic {credentials}"})
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()
