"""What is read of the large repository, and how long the answers take."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from urllib.parse import quote

from account import choices
from tests.load.bench import load
from tests.load.bench.addresses import ADDRESSES, Name
from tests.load.bench.bodies import NATURE, identifier
from tests.load.bench.contestants import Contestant
from tests.load.growth.bodies import COMMON, FREQUENT, RARE
from tests.load.growth.loading import Rig
from tests.load.growth.stages import LARGE, Stage
from tests.load.memory import SINGLE, Peak
from tests.services.service import Service

ELEMENTS = ADDRESSES[Name.SERVICE].list.format(tenant=LARGE)
TYPE = choices.AccountType.values[0]
_LISTED = "/admin/account/account/"
_NOWHERE = "Nirgendwo"
# For rows that request many ids, one after the other.
_DIFFERENT = 200
_TEN = 10


def paths(stage: Stage) -> Mapping[str, Sequence[str]]:
    """What is requested, again and again, for each row that is about reading alone."""
    drawn = [identifier(number) for number in Random(stage.large).choices(range(stage.large), k=_DIFFERENT)]
    in_tens = [",".join(drawn[place : place + _TEN]) for place in range(0, _DIFFERENT, _TEN)]
    searches = {"rare": RARE, "common": COMMON, "nothing": _NOWHERE}
    return {
        "first-page": [f"{ELEMENTS}?take=100"],
        "middle-page": [f"{ELEMENTS}?skip={stage.large // 2}&take=100"],
        "after": [f"{ELEMENTS}?filter=id=gt={id}&sort=id&take=100" for id in drawn],
        "other-order": [f"{ELEMENTS}?sort=-type&take=50"],
        "id": [f"{ELEMENTS}?filter=id=={id}" for id in drawn],
        "ids": [f"{ELEMENTS}?filter=id=in=({ids})" for ids in in_tens],
        "id-part": [f"{ELEMENTS}?filter=id=like={id}" for id in drawn],
        "one-language": [f"{ELEMENTS}?filter=descriptions.de=like={RARE}"],
        "any-language": [f"{ELEMENTS}?filter=descriptions=ilike={RARE.upper()}"],
        "common-page": [f"{ELEMENTS}?filter=descriptions.de=like={COMMON}&take=50"],
        "enum-page": [f"{ELEMENTS}?filter=type=={TYPE}&take=50"],
        "count": [f"{ELEMENTS}-count"],
        "count-enum": [f"{ELEMENTS}-count?filter=nature=={NATURE}"],
        "count-frequent": [f"{ELEMENTS}-count?filter=descriptions.de=like={FREQUENT}"],
        "one": [f"{ELEMENTS}/{id}" for id in drawn],
        "admin-list": [_LISTED],
        **{f"admin-{name}": [f"{_LISTED}?q={quote(word)}"] for name, word in searches.items()},
    }


def read(rig: Rig, stage: Stage, seconds: float) -> Iterator[tuple[str, float]]:
    """The seconds of the list, and the milliseconds of each of the others, asked for again for that many `seconds`."""
    service = rig.service
    yield "list", _listed(service)
    for key, asked in paths(stage).items():
        credentials = rig.session if key.startswith("admin-") else service.credentials
        requests = [load.request("GET", path, credentials) for path in asked]
        yield key, 1000 / load.rate(service.port, requests, connections=1, seconds=seconds).per_second


def memory_of_list(rig: Rig) -> float:
    """The megabytes that a web process with one thread takes above idle for the list."""
    with rig.alone(**SINGLE) as alone:
        alone.answer("page", LARGE, offset=0)  # so that what is loaded once counts as idle
        peak = Peak(Service(alone.port, alone.pid, "", Path()))
        _listed(alone)
        return peak.above_idle() * 1024 / 1e6


def _listed(service: Contestant) -> float:
    return load.drain(service.port, service.reading("list", LARGE, last=True))
