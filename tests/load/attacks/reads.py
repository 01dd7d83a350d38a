"""Reads that occupy the database, a thread or the memory for long."""

import time
from collections import Counter
from contextlib import ExitStack
from urllib.parse import quote

from tests.load.attacks.connections import connections, dripping
from tests.load.attacks.scene import Scene, repeatedly
from tests.services.long_reads import CONDITIONS, hang_up

ELEMENTS = "/dimensions/v1/northwind/account/elements"
ENDLESS = f"{ELEMENTS}?filter={quote(CONDITIONS)}"
_CLIENTS = 8


def filters_of_clients_who_hang_up(scene: Scene) -> Counter[str]:
    """Fifty conditions over elements of the maximum size, and nobody waits for the answer."""

    def call(_number: int) -> str:
        hang_up(scene.attacker, ENDLESS)
        time.sleep(1)
        return "hung up"

    return repeatedly(_CLIENTS, scene.scale.seconds, call)


def filters_of_clients_who_stay(scene: Scene) -> Counter[str]:
    """The same, and each waits for the answer."""
    return repeatedly(_CLIENTS, scene.scale.seconds, lambda _: _read(scene, ENDLESS))


def lists_at_once(scene: Scene) -> Counter[str]:
    """Lists of the largest elements, read as fast as they come."""
    return repeatedly(_CLIENTS, scene.scale.seconds, lambda _: _read(scene, ELEMENTS))


def lists_slowly(scene: Scene) -> Counter[str]:
    """The same, 40 KB a second."""
    until = time.monotonic() + scene.scale.seconds
    with ExitStack() as stack:
        opened = [stack.enter_context(scene.attacker.begin_to_read(ELEMENTS)) for _ in range(_CLIENTS)]
        while time.monotonic() < until:
            for connection in opened:
                connection.settimeout(0.01)
                try:
                    connection.recv(4_096)
                except TimeoutError:
                    continue
            time.sleep(0.1)
    return Counter({"left unread": len(opened)})


def pages_of_a_large_element(scene: Scene) -> Counter[str]:
    """The form of an element of the maximum size in the administration."""
    address = f"/admin/account/account/{scene.largest}/change/"
    return repeatedly(_CLIENTS, scene.scale.seconds, lambda _: page(scene, address))


def many_pages(scene: Scene) -> Counter[str]:
    """Pages of the administration, as fast as they come; each web process counts its own."""
    return repeatedly(_CLIENTS, 2 * scene.scale.seconds, lambda _: page(scene, "/admin/bulkops/fileimport/add/"))


def silent(scene: Scene) -> Counter[str]:
    """Connections on which nothing comes."""
    with connections(scene.attacker, scene.scale.silent):
        time.sleep(scene.scale.seconds)
    return Counter({"silent": scene.scale.silent})


def dripping_bodies(scene: Scene, count: int) -> Counter[str]:
    """Bodies of which a byte comes each second."""
    with dripping(scene.attacker, count, seconds=1):
        time.sleep(scene.scale.seconds)
    return Counter({"dripping": count})


def _read(scene: Scene, address: str) -> int:
    """Read the answer through without keeping it; return its status."""
    connection = scene.attacker.connect()
    try:
        connection.request("GET", address, headers={"X-API-Key": scene.attacker.key})
        response = connection.getresponse()
        while response.read(1024**2):
            pass
        return response.status
    finally:
        connection.close()


def page(scene: Scene, address: str) -> int:
    """Ask for a page of the administration as the attacker; return the status."""
    return scene.attacker.send("GET", address, X_API_Key="", Cookie=scene.session).status
