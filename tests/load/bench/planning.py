"""How fast the service plans that nothing changes, and applies many changes: only it has plans."""

import json
from collections.abc import Iterator

from tests.load.bench.addresses import MEASURED, SAVED
from tests.load.bench.bodies import accounts, bulk
from tests.load.bench.contestants import Contestant
from tests.load.bench.load import drain, request

ROWS = ("dry-put", "plan", "apply")
_PLANS = "/dimensions/v1/{tenant}/account/elements-plans"


def planned(service: Contestant, count: int) -> Iterator[tuple[str, float]]:
    """The measurements of `ROWS`: with the `count` accounts of the measured repository, which stay as they are, and
    with half as many that this saves into an empty one and changes."""
    dry = f"{service.addresses.of('bulk', MEASURED)}?dryRun=true"
    # A plan answers without its elements, too.
    yield "dry-put", count / _posted(service, dry, bulk("put", accounts(count)), Prefer="return=minimal")
    plans = _PLANS.format(tenant=MEASURED)
    yield "plan", count / _posted(service, plans, bulk("snapshot", accounts(count)))
    (plan,) = json.loads(service.call("GET", plans))
    assert plan["unchanged"] == count, plan
    service.call("DELETE", f"{plans}/{plan['planId']}")
    yield "apply", count // 2 / _applied(service, count // 2)


def _applied(service: Contestant, count: int) -> float:
    """Return the seconds that the changes of so many new accounts took, as a plan."""
    service.call("POST", service.addresses.of("bulk", SAVED), bulk("post", accounts(count)))
    plans = _PLANS.format(tenant=SAVED)
    body = b'{"bulk":%s}' % bulk("put", accounts(count, changed=True))
    plan = json.loads(service.call("POST", plans, body))
    assert plan["changed"] == count, plan
    path = f"{plans}/{plan['planId']}"
    seconds = _posted(service, f"{path}/apply", b"", **{"If-Match": service.header("ETag", path)})
    service.call("DELETE", path)
    return seconds


def _posted(service: Contestant, path: str, body: bytes, **headers: str) -> float:
    return drain(service.port, request("POST", path, {**service.credentials, **headers}, body, last=True))
