"""Plans whose web process dies in the middle: a plan is made or not, approved or not, applied or not, and says which.

    DATABASE_URL=postgresql://… python -m tests.load.chaos.plans --kills 50 --size 5000

kills gunicorn's worker with SIGKILL, on the kind of database that DATABASE_URL names, that often while it makes a plan,
that often while it approves one, and that often while it applies an approved one, at random moments; a table shows what
was left (Linux). `--seed` repeats them.
"""

import argparse
import base64
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from tests.load.chaos.bulk import HEADINGS, LIST, Ordeal, Tally, kill_workers
from tests.services.bulk_state import Counts, counts, rows
from tests.services.clerk import errand
from tests.services.database import migrated_database
from tests.services.service import Answer

PLANS = f"{LIST}-plans"
_DECISION = (
    "SELECT status, decided_by, decision_text, CASE WHEN decided_at IS NULL THEN 0 ELSE 1 END FROM bulkops_plan "
    "WHERE reason = %s"
)
_SECOND_PERSON = """
from django.contrib.auth.models import User
User.objects.create_superuser("second", password="second-password")
"""
_PLAN = "SELECT id, status, created + changed + deleted, change_set FROM bulkops_plan WHERE reason = %s"


class _PlanOrdeal(Ordeal):
    """Plans of as many changes as the calls of an ordeal have accounts; their reason is the mark."""

    def _make(self, mark: str) -> Answer | None:
        return self._answer(PLANS, {"bulk": self._body(mark), "reason": mark})

    def _plan(self, mark: str) -> tuple[str, str, int, Any] | None:
        """The id, status, number of changes, and change set of the plan that is stored, if one is."""
        found = [(str(UUID(str(id))), *others) for id, *others in rows(self._url, _PLAN, mark)]
        return found[0] if found else None

    def _changes(self, mark: str) -> int:
        """How many changes the plan has; a plan without all of them is not whole."""
        ((count,),) = rows(
            self._url,
            "SELECT count(*) FROM bulkops_planchange WHERE plan_id IN (SELECT id FROM bulkops_plan WHERE reason = %s)",
            mark,
        )
        return int(count)

    def _report(self, mark: str, flaw: str) -> None:
        self.tally.other.append(f"{mark}: {flaw}; plan {self._plan(mark)}")


class MakingOrdeal(_PlanOrdeal):
    """The making of a plan, which changes no element."""

    def _save(self, mark: str) -> int:
        answer = self._make(mark)
        return 0 if answer is None else 200 if answer.status == 201 else answer.status

    def _judge(self, mark: str, status: int) -> None:
        plan, changes = self._plan(mark), self._changes(mark)
        self.tally.interrupted += status != 200
        if counts(self._url, mark) != Counts(0, 0, 0):
            self._report(mark, "it has changed elements")
        elif plan is None and status != 200:
            self.tally.nothing += 1
        elif plan is not None and plan[1:] == ("READY", self._size, None) and changes == self._size:
            self.tally.everything += 1
        else:
            self._report(mark, f"status {status}, {changes} changes")
        ((orphans,),) = rows(
            self._url, "SELECT count(*) FROM bulkops_planchange WHERE plan_id NOT IN (SELECT id FROM bulkops_plan)"
        )
        if orphans:
            self._report(mark, f"{orphans} changes without a plan")
        if plan is not None:  # there may be only so many
            assert self._service.send("DELETE", f"{PLANS}/{plan[0]}").status == 204


class ApprovingOrdeal(_PlanOrdeal):
    """The approval of a plan by a second person, which is stored with who gave it, or not at all."""

    _address = ""
    _etag = ""
    _second: Mapping[str, str] = {}

    def _prepare(self, mark: str) -> None:
        if not self._second:
            errand(self._url, _SECOND_PERSON)
            second = base64.b64encode(b"second:second-password").decode()
            self._second = {"Authorization": f"Basic {second}", "X-API-Key": ""}
        answer = self._make(mark)
        assert answer is not None
        assert answer.status == 201, answer.body[:1_000]
        self._address = f"{PLANS}/{answer.json()['planId']}"
        self._etag = answer.headers["ETag"]

    def _approve(self) -> Answer | None:
        headers = {"If-Match": self._etag, **self._second}
        return self._answer(f"{self._address}/approve", {"text": "Agreed."}, **headers)

    def _save(self, mark: str) -> int:
        answer = self._approve()
        return 0 if answer is None else answer.status

    def _judge(self, mark: str, status: int) -> None:
        ((state, *decision),) = rows(self._url, _DECISION, mark)
        self.tally.interrupted += status != 200
        if counts(self._url, mark) != Counts(0, 0, 0):
            self._report(mark, "it has changed elements")
        elif (state, *decision) == ("APPROVED", "second", "Agreed.", 1):
            self.tally.everything += 1
        elif (state, *decision) == ("READY", None, None, 0) and status != 200:
            self.tally.nothing += 1
        else:
            self._report(mark, f"status {status}, {state}, {decision}")
        self._end(mark, state)

    def _end(self, mark: str, state: str) -> None:
        """Ask for the status of the plan, and delete it."""
        reported = self._service.send("GET", self._address).json()["status"]
        if reported != state:
            self._report(mark, f"it says {reported}")
        assert self._service.send("DELETE", self._address).status == 204


class ApplyingOrdeal(ApprovingOrdeal):
    """The application of an approved plan, which says whether its change set and its elements are there."""

    def _prepare(self, mark: str) -> None:
        super()._prepare(mark)
        answer = self._approve()
        assert answer is not None
        assert answer.status == 200, answer.body[:1_000]
        self._etag = answer.headers["ETag"]

    def _save(self, mark: str) -> int:
        answer = self._answer(f"{self._address}/apply", None, **{"If-Match": self._etag})
        status = 0 if answer is None else answer.status
        self._accounts += self._size // 2 if status == 200 else 0
        return status

    def _judge(self, mark: str, status: int) -> None:
        Ordeal._judge(self, mark, status)
        plan = self._plan(mark)
        assert plan is not None
        id, state, _, change_set = plan
        sql = "SELECT id, created + changed, approved_by FROM changes_changeset WHERE operation = %s"
        written = rows(self._url, sql, id)
        if counts(self._url, mark) == Counts(0, 0, 0):
            if (state, change_set, written) != ("APPROVED", None, []):
                self._report(mark, f"nothing is stored, and the change sets are {written}")
        elif (state, [(change_set, self._size, "second")]) != ("APPLIED", written):
            self._report(mark, f"it is stored, and the change sets are {written}")
        self._end(mark, state)


def main(kills: int, size: int, seed: int) -> int:
    """Strike that often, print the table, and return 0 when only permitted states were left."""
    random = Random(seed)
    tallies: list[Tally] = []
    for kind, what in ((MakingOrdeal, "making"), (ApprovingOrdeal, "approving"), (ApplyingOrdeal, "applying")):
        moments = [random.uniform(0, 1.1) for _ in range(kills)]
        with TemporaryDirectory() as name, migrated_database(Path(name), os.environ.get("DATABASE_URL", "")) as url:
            tallies.append(kill_workers(url, Path(name), moments, size, kind, what))
    sys.stdout.write(
        "\n".join([HEADINGS, *map(str, tallies), *(line for tally in tallies for line in tally.other), ""])
    )
    return 1 if any(tally.other for tally in tallies) else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.load.chaos.plans")
    for option, default in (("--kills", 50), ("--size", 5_000), ("--seed", 1)):
        parser.add_argument(option, type=int, default=default)
    sys.exit(main(**vars(parser.parse_args())))
