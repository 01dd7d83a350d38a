"""A service with its worker under thousands of hostile requests, and what must stay as it was."""

from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.load.fuzz.answers import Malformed, answers, complaint
from tests.load.fuzz.attempts import Manner, attempt
from tests.load.fuzz.connection import Silent, play
from tests.load.fuzz.corpus import Corpus
from tests.load.fuzz.sequences import Sequences
from tests.services.clerk import errand, prepare
from tests.services.processes import memory
from tests.services.service import Service, serving
from tests.services.worker import RunningWorker, working

CLIENTS = 6
VARIABLES = {
    "API_AUTHENTICATION": "basic,api-key,jwt,oauth2",
    # What refuses credentials has to be reached, and not only the counting of refusals.
    "THROTTLE_REFUSED": "off",
    "LOGIN_ATTEMPTS": "1000",
    # A bomb decompressed up to the limit of a bulk save would only measure the limit, half a gigabyte.
    "API_MAX_BULK_BODY_SIZE": "8388608",
}
# The share of the calls that schemathesis makes: it is the slower of the two.
_SEQUENCES = 0.1

# A manager of northwind and fabrikam, without rights in contoso.
_PEOPLE = """
from django.contrib.auth.models import User
from django.core.management import call_command
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from tests.services.big_accounts import fill
from tests.load.fuzz.holdings import hand_out

frank = User.objects.create_user("frank", password="frank-password")
hand_out(frank)
for db_id in ("northwind", "contoso", "fabrikam"):
    fill(db_id, 100)
for db_id in ("northwind", "fabrikam"):
    repository = Repository.objects.get(db_id=db_id)
    AccessGrant.objects.create(user=frank, repository=repository, role=Role.MANAGER, dimension="all")
call_command("create_api_key", "frank", name="fuzzing")
"""
# What Django refuses as unsafe it logs as an error.
_REFUSED = '"logger": "django.security.'
# No request names these, and the client has no rights in contoso.
_IDS = ",".join(f"{number:07}" for number in range(100))
_UNTOUCHED = [f"/dimensions/v1/{db_id}/account/elements?filter=id=in=({_IDS})" for db_id in ("northwind", "contoso")]


@dataclass
class Report:
    """The responses, and those that must never occur: `findings`."""

    # How often each status was returned for the mutated requests, and for those of the sequences.
    mutated: Counter[str] = field(default_factory=Counter)
    in_sequences: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    before: Mapping[str, int] = field(default_factory=dict)
    after: Mapping[str, int] = field(default_factory=dict)


class Ordeal:
    """Sends the requests of the run with that `seed` to a `service` that `hostile_house` has prepared for `key`."""

    def __init__(self, service: Service, worker: RunningWorker, key: str, seed: int) -> None:
        self.report = Report()
        self._service = service
        self._worker = worker
        self._seed = seed
        self._program = Service(service.port, service.pid, key, service.log)
        self._corpus = Corpus(key)

    def run(self, count: int) -> Report:
        """Send about `count` requests; return what was seen."""
        stored = self._stored()
        # What is loaded and kept with the first requests counts as the memory of before.
        warm_up = min(1_000, count // 5)
        self._send(range(warm_up))
        self.report.before = memory(self._service, self._worker)
        processes = {*self._service.workers(), *self._worker.processes()}
        sequences = Sequences(self._program, int(count * _SEQUENCES), self._seed)
        self.report.in_sequences.update({str(status): times for status, times in sequences.statuses.items()})
        self.report.findings += sequences.findings
        self._send(range(warm_up, count - sequences.statuses.total()))
        self.report.after = memory(self._service, self._worker)
        if gone := processes - {*self._service.workers(), *self._worker.processes()}:
            self.report.findings.append(f"the processes {sorted(gone)} are gone")
        if self._stored() != stored:
            self.report.findings.append("elements that no request names have changed")
        self.report.findings += _complaints_of(self._service.log) + _complaints_of(self._worker.log)
        return self.report

    def _send(self, numbers: range) -> None:
        with ThreadPoolExecutor(CLIENTS) as clients:
            for statuses, findings in clients.map(self._judge, numbers):
                self.report.mutated.update(statuses)
                self.report.findings += findings

    def _judge(self, number: int) -> tuple[list[str], list[str]]:
        """Send the request with that number; return the statuses of its answers, and what is wrong with them."""
        tried = attempt(self._corpus, self._seed, number)
        words = tried.raw[:200_000].split(b" ", 2)
        target, to_head = words[1] if len(words) > 1 else b"", words[0] == b"HEAD"
        try:
            replies = list(answers(play(self._service.port, tried), to_head=to_head))
        except Silent:
            return ["silence"], [f"request {number} ({tried.name}) was neither answered nor refused"]
        except Malformed as error:
            return ["malformed"], [f"request {number} ({tried.name}): {error}"]
        if not replies:
            findings = [f"request {number} ({tried.name}) was not answered"] if tried.must_answer else []
            return ["unread" if tried.manner in (Manner.ABORTED, Manner.UNREAD) else "closed"], findings
        complaints = [
            *filter(None, [complaint(replies[0], target, to_head=to_head)]),
            # What follows is the response to bytes whose meaning is unknown.
            *(f"status {later.status}" for later in replies[1:] if later.status in (500, 502, 504)),
        ]
        findings = [f"request {number} ({tried.name}): {each}" for each in complaints]
        return [str(reply.status) for reply in replies], findings

    def _stored(self) -> list[bytes]:
        """What is stored of what no request names."""
        found = [self._service.send("GET", address) for address in _UNTOUCHED]
        assert [answer.status for answer in found] == [200, 200], found
        return [answer.body for answer in found]


def _complaints_of(log: Path) -> list[str]:
    """The lines of a log that report a failure of the service."""
    words = ("request_failed", "Traceback", "[CRITICAL]", '"level": "error"', '"level": "critical"', "SIGKILL")
    with log.open(errors="replace") as lines:
        found = [line for line in lines if any(word in line for word in words) and _REFUSED not in line]
    return [f"log: {line[:2_000].strip()}" for line in found[:50]]


@contextmanager
def hostile_house(url: str, folder: Path, seed: int) -> Iterator[Ordeal]:
    """A service of two processes and a worker with an empty database at `url`, until the block ends."""
    key = prepare(url)
    hostile = errand(url, _PEOPLE).split()[-1]
    with serving(url, key, folder, **VARIABLES) as service, working(url, folder, **VARIABLES) as worker:
        yield Ordeal(service, worker, hostile, seed)
