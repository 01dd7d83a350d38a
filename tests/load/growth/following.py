"""What a follower of the large repository waits for: that nothing has changed, a hundred changes, and what uses one."""

import time
from collections.abc import Iterator
from urllib.parse import urlencode

import orjson

from tests.load.bench import load
from tests.load.bench.bodies import bulk, identifier
from tests.load.growth.loading import Rig
from tests.load.growth.reading import ELEMENTS
from tests.load.growth.stages import LARGE, Stage

_CHANGED = 100


def followed(rig: Rig, stage: Stage, seconds: float) -> Iterator[tuple[str, float]]:
    """The milliseconds of polls, comparisons and uses, asked for again and again for that many `seconds`, and the
    seconds of the list as of the moment before the changes.
    """
    service = rig.service
    token = service.header("Sync-Token", f"{ELEMENTS}?take=1")
    yield "poll", _milliseconds(rig, f"{ELEMENTS}-changes?{urlencode({'since': token})}", seconds)
    data = {"documentationLink": f"https://example.com/{time.time_ns()}"}
    ids = map(identifier, range(min(_CHANGED, stage.large)))
    patches = ({"key": {"id": id}, "data": data} for id in ids)
    service.call("POST", service.addresses.of("bulk", LARGE), bulk("patch", patches))
    changes = f"{ELEMENTS}-changes?{urlencode({'since': token})}"
    comparison = f"{ELEMENTS}-compare?{urlencode({'from': token})}"
    for path in (changes, comparison):
        assert len(orjson.loads(service.call("GET", path))) == min(_CHANGED, stage.large)
    yield "poll-100", _milliseconds(rig, changes, seconds)
    yield "compare-100", _milliseconds(rig, comparison, seconds)
    yield "uses", _milliseconds(rig, f"{ELEMENTS}-uses?id={identifier(1)}", seconds)
    as_of = load.request("GET", f"{ELEMENTS}?{urlencode({'asOf': token})}", service.credentials, last=True)
    yield "as-of", load.drain(service.port, as_of)


def _milliseconds(rig: Rig, path: str, seconds: float) -> float:
    service = rig.service
    asked = [load.request("GET", path, service.credentials)]
    return 1000 / load.rate(service.port, asked, connections=1, seconds=seconds).per_second
