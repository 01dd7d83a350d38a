"""Elements and a filter with which one reader keeps a database busy for minutes."""

import os
import socket
from urllib.parse import quote

from tests.services.clerk import errand
from tests.services.service import Service

REPOSITORY = "heavy"
BASE = f"/dimensions/v1/{REPOSITORY}/account"
# Elements that are found at once precede those whose texts take long to look through. `HEAVY_ELEMENTS=211` is the
# attack as it was found; fewer do the same in less time.
LIGHT, HEAVY = 250, int(os.environ.get("HEAVY_ELEMENTS", "120"))
# More texts than the interface accepts, so they are inserted into the database directly.
_HEAVY_TEXTS = f"""
from tests.services.big_accounts import fill
from account.models import Account
fill({REPOSITORY!r}, {LIGHT})
heavy = Account.objects.filter(repository__db_id={REPOSITORY!r}).first()
heavy.descriptions = {{f"aa-{{number:05}}": "Forderungen aus Lieferungen " * 2 for number in range(1_900)}}
for number in range({LIGHT}, {LIGHT + HEAVY}):
    heavy.pk, heavy.element_id = None, f"{{number:07}}"
    heavy.save(force_insert=True)
"""
# Each text is folded and looked through fifty times; two letters have no index.
CONDITIONS = ",".join(
    f"descriptions=ilike=q{chr(ord('a') + number % 26)}{'%' * (number // 26)}" for number in range(50)
)
ENDLESS = f"{BASE}/elements?filter={quote(CONDITIONS)}"


def fill_heavily(database_url: str) -> None:
    """Put the elements into the database; the repository may be there."""
    errand(database_url, _HEAVY_TEXTS)


def hang_up(service: Service, address: str) -> None:
    """Send a GET and close the connection without waiting for the answer."""
    with socket.create_connection((service.host, service.port)) as connection:
        lines = f"GET {address} HTTP/1.1", f"Host: {service.host}", f"X-API-Key: {service.key}"
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
