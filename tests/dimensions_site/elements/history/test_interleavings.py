"""However transactions overlap, the feed has what was committed between two polls, and an instant keeps its state."""

import json
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random

import pytest
from django.db import connection

from dimensions_site.changes.models import ChangeSet
from dimensions_site.repositories.models import Repository
from tests.dimensions_site.elements.history.calls import changes, token
from tests.dimensions_site.elements.history.writers import Writer, writers
from tests.factories import Person, content, read
from tests.lengths import tries

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("I3", "I4", "J1")]

SEEDS = range(tries(3, long=200))
STEPS = 150
WRITERS = 5
IS_SQLITE = connection.vendor == "sqlite"


@dataclass
class Open:
    """What a transaction that has not ended will have written: a mark by id, None for a deletion."""

    written: dict[str, str | None] = field(default_factory=dict)
    is_placed: bool = False


@dataclass
class Model:
    """The plain truth: what was committed when, what is stored now, and which ids were written since the last poll."""

    commits: list[tuple[datetime, dict[str, str | None]]] = field(default_factory=list)
    since: set[str] = field(default_factory=set)

    def stored(self, instant: datetime | None = None) -> dict[str, str]:
        """The marks of the elements that were stored at an instant, or are now."""
        found: dict[str, str | None] = {}
        for committed_at, written in self.commits:
            if instant is None or committed_at <= instant:
                found |= written
        return {id: mark for id, mark in found.items() if mark is not None}

    def commit(self, committed_at: datetime, written: dict[str, str | None]) -> None:
        self.commits.append((committed_at, written))
        self.since |= written.keys()


class Run:
    """A random order of the steps of several writers, polls, and questions about instants."""

    def __init__(self, alice: Person, people: list[Writer], seed: int) -> None:
        self.alice = alice
        self.alice.raise_request_exception = False  # 503 is an answer
        self.random = Random(seed)
        self.model = Model()
        self.open: dict[Writer, Open] = {}
        self.people = people
        self.save_first()
        self.token = token(alice)
        self.asking = ThreadPoolExecutor(2)
        self.asked: list[tuple[datetime, Future[tuple[int, bytes]]]] = []

    def save_first(self) -> None:
        """Before it nothing is known of any instant."""
        writer = self.people[0]
        writer.begin()
        self.open[writer] = Open({"first": "first"})
        writer.save("first", mark="first")
        self.end(writer, commits=True)
        self.model.since.clear()

    def step(self, number: int) -> None:
        kind = self.random.choice(("begin", "save", "save", "delete", "undo", "place", "end", "end", "poll", "ask"))
        if kind == "poll":
            self.poll()
        elif kind == "ask":
            self.ask()
        else:
            self.write(kind, self.random.choice(self.people), f"{number}")

    def write(self, kind: str, writer: Writer, mark: str) -> None:
        held = self.open.get(writer)
        if held is None:
            if not (IS_SQLITE and self.open):  # which has one writer at a time
                writer.begin()
                self.open[writer] = Open()
        elif held.is_placed:
            if kind == "end":
                self.end(writer, commits=self.random.random() < 0.7)
        elif kind in ("place", "end"):
            if self.would_wait(writer):
                return
            if kind == "place":
                writer.place()
                held.is_placed = bool(held.written)
            else:
                self.end(writer, commits=self.random.random() < 0.7)
        else:
            self.change(kind, writer, held, mark)

    def would_wait(self, writer: Writer) -> bool:
        """Whether the writer cannot be placed before another one ends, which is in its slot or is awaited."""
        placed = {other.slot for other, one in self.open.items() if one.is_placed}
        is_requested = any(not answer.done() for _, answer in self.asked)
        return writer.slot in placed or (is_requested and bool(placed))

    def change(self, kind: str, writer: Writer, held: Open, mark: str) -> None:
        """Each writer has elements of its own, so that none waits for those of another."""
        id = f"{self.people.index(writer)}-{self.random.randrange(4)}"
        if kind == "undo":
            writer.save_and_undo(id)
        elif kind == "delete" and {**self.model.stored(), **held.written}.get(id) is not None:
            writer.delete(id)
            held.written[id] = None
        else:
            writer.save(id, mark=mark)
            held.written[id] = mark

    def end(self, writer: Writer, *, commits: bool) -> None:
        held = self.open.pop(writer)
        if not commits:
            writer.roll_back()
            return
        writer.commit()
        if held.written:
            last = ChangeSet.objects.filter(slot=writer.slot).latest("number")
            self.model.commit(last.committed_at, held.written)

    def poll(self) -> None:
        """What was committed since the last poll is answered, in its newest state; nothing else is."""
        response = self.alice.get(self.alice.account("elements-changes"), {"since": self.token})
        reported = {one["id"] if "id" in one else one["element"]["id"]: one.get("element") for one in read(response)}
        marks = {id: None if element is None else element["documentationLink"] for id, element in reported.items()}
        stored = self.model.stored()
        assert marks == {id: stored.get(id) for id in self.model.since}
        self.token = response["Sync-Token"]
        self.model.since.clear()

    def ask(self) -> None:
        """Ask for the elements as of this moment; the answer waits for those that are committing."""
        now = datetime.now(UTC)
        instant = now.replace(microsecond=now.microsecond // 1000 * 1000)
        self.asked.append((instant, self.asking.submit(self.elements_at, instant)))

    def elements_at(self, instant: datetime) -> tuple[int, bytes]:
        try:
            query = {"asOf": instant.isoformat(timespec="milliseconds")}
            response = self.alice.get(self.alice.account(), query)
            return response.status_code, content(response)
        finally:
            connection.close()

    def finish(self) -> int:
        """End all transactions; return how many questions were answered, as they are answered now and by the model."""
        for writer in sorted(self.open, key=lambda writer: not self.open[writer].is_placed):
            self.end(writer, commits=True)
        self.poll()
        answered = 0
        for instant, answer in self.asked:
            status, body = answer.result(timeout=60)
            assert status == 200 or (status == 503 and IS_SQLITE)  # SQLite's only lock was held for long
            if status == 200:
                answered += 1
                assert self.asking.submit(self.elements_at, instant).result(timeout=60) == (200, body)
                marks = {element["id"]: element["documentationLink"] for element in json.loads(body)}
                assert marks == self.model.stored(instant), instant
        return answered


@pytest.mark.parametrize("seed", SEEDS)
def test_any_order_of_steps_is_reported_as_committed(alice: Person, northwind: Repository, seed: int):
    """Transactions that write, undo, delete, are placed, wait, end or are rolled back; each poll and each instant."""
    with writers(northwind, WRITERS) as people:
        run = Run(alice, people, seed)
        for number in range(STEPS):
            run.step(number)
        run.finish()
        run.asking.shutdown()
    assert len(run.model.commits) > 1


def test_what_is_held_open_for_long_is_answered_when_it_is_committed(alice: Person, northwind: Repository):
    """Though others that began later were committed and polled before."""
    with writers(northwind, 3) as (slow, quick, _):
        since = token(alice)
        if IS_SQLITE:  # others have to wait for it
            slow.begin()
            slow.save(*(f"slow {number}" for number in range(20)), mark="slow")
            assert changes(alice, since) == []
            slow.commit()
        else:
            slow.begin()
            slow.save(*(f"slow {number}" for number in range(20)), mark="slow")
            for number in range(5):
                before, since = since, poll_one(alice, quick, since, f"quick {number}")
                assert before != since
            slow.place()
            assert changes(alice, since) == []
            slow.commit()
        assert changes(alice, since) == sorted(("saved", f"slow {number}") for number in range(20))


def poll_one(alice: Person, writer: Writer, since: str, id: str) -> str:
    """Commit an account, poll it and nothing else; return the next token."""
    writer.begin()
    writer.save(id, mark=id)
    writer.commit()
    response = alice.get(alice.account("elements-changes"), {"since": since})
    assert [one["element"]["id"] for one in read(response)] == [id]
    return str(response["Sync-Token"])


if not IS_SQLITE:  # which has one writer at a time

    def test_two_of_one_slot_commit_one_after_the_other(alice: Person, northwind: Repository):
        """The second waits for the first, and gets the later number and no earlier time."""
        with writers(northwind, 2) as (first, second), ThreadPoolExecutor(1) as waiting:
            assert first.slot == second.slot
            for writer in (first, second):
                writer.begin()
                writer.save(f"{id(writer)}", mark="x")
            first.place()
            commit = waiting.submit(second.commit)
            time.sleep(0.3)
            assert not commit.done()
            since = token(alice)
            first.commit()
            commit.result(timeout=60)
            assert len(changes(alice, since)) == 2
        one, other = ChangeSet.objects.order_by("number")
        assert (one.number + 1, one.committed_at <= other.committed_at) == (other.number, True)


@pytest.mark.contract("J1", "J2")
def test_a_state_is_answered_with_the_same_bytes_while_others_write(alice: Person, northwind: Repository):
    """By token and by instant, for lists, tables, counts and comparisons."""
    alice.raise_request_exception = False  # 503 is an answer
    with writers(northwind, 2) as (first, second), ThreadPoolExecutor(1) as writing:
        first.begin()
        first.save(*(f"{number}" for number in range(5)), mark="first")
        first.commit()
        then = token(alice)
        time.sleep(0.002)
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        questions = [
            ("elements", {"asOf": now}),
            ("elements", {"asOf": then, "sort": "-updateInfo.date", "filter": "id!=3"}),
            ("elements-fetch", {"asOf": then, "properties": "id,updateInfo"}),
            ("elements-count", {"asOf": now}),
            ("elements-compare", {"from": then, "to": now}),
        ]
        answers = [content(alice.get(alice.account(path), query)) for path, query in questions]
        is_over = threading.Event()

        def write() -> None:
            number = 0
            while not is_over.is_set():
                second.begin()
                second.save(f"{number % 7}", mark=f"{number}")
                second.commit()
                number += 1

        busy = writing.submit(write)
        try:
            for _ in range(5):
                for (path, query), expected in zip(questions, answers, strict=True):
                    response = alice.get(alice.account(path), query)
                    while IS_SQLITE and response.status_code == 503:
                        response = alice.get(alice.account(path), query)
                    assert content(response) == expected, (path, query)
        finally:
            is_over.set()
            busy.result(timeout=60)
