"""A client that keeps a copy of all accounts, and learns of changes from the feed alone."""

import json
import time
from dataclasses import dataclass, field
from http.client import HTTPException

from tests.services.service import Answer, Service

ACCOUNTS = "/dimensions/v1/northwind/account/elements"
_LINES = "application/x-ndjson"
_SAVED, _DELETED = b'{"change":"saved","element":', b'{"change":"deleted","id":'
_TIMEOUT = 120


@dataclass
class Copy:
    """The elements by id, in the bytes in which the service has sent them, and the token from which it goes on."""

    service: Service
    token: str = ""
    lines: dict[str, bytes] = field(default_factory=dict)
    polls: int = 0
    changes: int = 0

    def poll(self) -> None:
        """Ask once for what has changed, and apply it; a poll that fails is repeated with the same token."""
        answer = served(self.service, f"{ACCOUNTS}-changes" + (f"?since={self.token}" if self.token else ""))
        for line in answer.body.splitlines():
            self.changes += 1
            if line.startswith(_SAVED):
                text = line.removeprefix(_SAVED)[:-1]
                self.lines[json.loads(text)["id"]] = text
            else:
                assert line.startswith(_DELETED), line
                self.lines.pop(json.loads(line)["id"], None)
        self.polls += 1
        self.token = answer.headers["Sync-Token"]

    def difference(self) -> str:
        """Compare the copy with the list, byte for byte, at a moment when both are of one state; "" if it is equal.

        That nothing was committed between is seen from the tokens before and after.
        """
        deadline = time.monotonic() + _TIMEOUT
        while time.monotonic() < deadline:
            self.poll()
            before = self.token
            listed = served(self.service, ACCOUNTS)
            self.poll()
            if before == listed.headers["Sync-Token"] == self.token:
                mine = [self.lines[id] for id in sorted(self.lines)]
                theirs = listed.body.splitlines()
                if mine == theirs:
                    return ""
                differing = {*mine} ^ {*theirs}
                return (
                    f"{len(mine)} of {len(theirs)} elements, {len(differing)} lines differ: {sorted(differing)[:2]!r}"
                )
        return "the database does not come to rest"


def served(service: Service, address: str) -> Answer:
    """The answer to a GET of lines with status 200, as soon as there is one: processes are being killed."""
    deadline = time.monotonic() + _TIMEOUT
    while True:
        try:
            answer = service.send("GET", address, Accept=_LINES)
        except (OSError, HTTPException):
            answer = Answer(0, {}, b"")
        if answer.status == 200:
            return answer
        assert answer.status in (0, 503), answer
        assert time.monotonic() < deadline, "the service does not answer any more"
        time.sleep(0.05)
