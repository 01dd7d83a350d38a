"""Where each contestant answers what is measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote

from tests.load.bench.bodies import NATURE, RARE

# The repository that is read, the one that is patched, and the one that is saved into and deleted from.
MEASURED, PATCHED, SAVED = "northwind", "contoso", "fabrikam"
_PAGE = 100


class Name(StrEnum):
    """The contestants."""

    FLOOR = "floor"
    SERVICE = "service"
    PLAIN = "plain"


@dataclass(frozen=True)
class Addresses:
    """The paths of one contestant, with places for a tenant, an id and numbers; one that is empty is not answered.

    `csv` and `ndjson` are requested with these media types, `one` is read and patched.
    """

    list: str
    csv: str
    ndjson: str
    one: str
    page: str
    after: str
    count: str
    containing: str
    fetch: str
    uses: str
    bulk: str

    def of(self, what: str, tenant: str = MEASURED, *, id: str = "", offset: int = 0) -> str:
        """The path for the address that is called so."""
        template: str = getattr(self, what)
        return template.format(tenant=tenant, id=id, offset=offset, take=_PAGE, nature=NATURE, rare=quote(RARE))


_ACCOUNTS = "/dimensions/v1/{tenant}/account/elements"

ADDRESSES: Mapping[Name, Addresses] = {
    Name.FLOOR: Addresses(
        list="/{tenant}/list",
        csv="/{tenant}/ndjson",  # it has no other texts
        ndjson="/{tenant}/ndjson",
        one="/{tenant}/one/{id}",
        page="/{tenant}/page/{offset}",
        after="/{tenant}/after/{id}",
        count="/{tenant}/count/{nature}",
        containing="/{tenant}/containing/{rare}",
        fetch="/{tenant}/summaries",
        uses="",
        bulk="/{tenant}/bulk",
    ),
    Name.SERVICE: Addresses(
        list=_ACCOUNTS,
        csv=_ACCOUNTS,
        ndjson=_ACCOUNTS,
        one=f"{_ACCOUNTS}/{{id}}",
        page=f"{_ACCOUNTS}?skip={{offset}}&take={{take}}",
        after=f"{_ACCOUNTS}?filter=id=gt={{id}}&sort=id&take={{take}}",
        count=f"{_ACCOUNTS}-count?filter=nature=={{nature}}",
        containing=f"{_ACCOUNTS}?filter=descriptions.de=like={{rare}}",
        fetch=f"{_ACCOUNTS}-fetch?properties=id,description,nature",
        uses=f"{_ACCOUNTS}-uses?id={{id}}",
        bulk=f"{_ACCOUNTS}-bulk",
    ),
    Name.PLAIN: Addresses(
        list="/{tenant}/accounts",
        csv="",
        ndjson="",
        one="/{tenant}/accounts/{id}",
        page="/{tenant}/accounts?limit={take}&offset={offset}",
        after="/{tenant}/accounts?after={id}&limit={take}",
        count="/{tenant}/accounts/count?nature={nature}",
        containing="/{tenant}/accounts?description_de={rare}",
        fetch="/{tenant}/accounts/summaries",
        uses="",
        bulk="/{tenant}/accounts/bulk",
    ),
}
MEDIA_TYPES = {"csv": "text/csv", "ndjson": "application/x-ndjson"}
