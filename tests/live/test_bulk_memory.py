"""A bulk save needs little more memory than its body, and none for its answer; a plan, at most three times its body."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lengths import tries
from tests.load.memory import COPIED, SINGLE, kibibytes
from tests.load.speed.bulk import PATH, body, call
from tests.services.big_bodies import accounts
from tests.services.service import Service, serving

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="reads the peak from Linux's /proc")

COUNT = 5_000  # 20 MB as a body or as an answer
# Of an answer, which as a whole would take more than half of it beside freed memory: a batch of elements, a piece.
ANSWERS = 0.4
# The body, and elements of a batch as they are read and written; of all elements they would be five.
BODIES = 1.6
PLANNED = tries(COUNT, long=100_000)  # a multiple of COUNT
PLAN_BODIES = 3.0
LIST = PATH.removesuffix("-bulk")
# Bytes of an id; the service takes bodies of 512 MiB.
LONG_ID = tries(40_000_000, long=400_000_000)
# As a text of four bytes for each character it would be five.
ID_BODIES = 2.0


@pytest.fixture
def single(untouched: tuple[str, str], tmp_path: Path) -> Iterator[Service]:
    """The service with one thread in one worker process, whose memory is looked at."""
    with serving(*untouched, tmp_path, **SINGLE) as running:
        yield running


@pytest.mark.contract("E1", "E3")
def test_the_answer_with_all_accounts_is_not_kept_in_memory(single: Service):
    """For small changes, whose answers are 40 MB; with a key, too."""
    for first in range(0, 2 * COUNT, COUNT):
        call(single, body("put", accounts(COUNT, first=first)), Prefer="return=minimal")
    kinds: tuple[dict[str, str], ...] = {}, {"Idempotency_Key": "many accounts"}
    for number, headers in enumerate(kinds):
        changes = ({"id": f"{each:07}", "documentationLink": f"{number}"} for each in range(2 * COUNT))
        measurement = call(single, body("merge", changes), "", PATH, 0, **headers)
        assert measurement.answer > 2 * COUNT * 3_000
        assert measurement.peak * 1024 < ANSWERS * measurement.answer


@pytest.mark.contract("E1")
def test_no_body_is_kept_after_its_answer(single: Service):
    """Not even until the garbage collector runs."""
    first = call(single, body("put", accounts(COUNT)))
    (worker,) = single.workers()
    before = kibibytes(worker, "VmRSS")
    for number in range(3):
        call(single, body("put", accounts(COUNT, changed=number % 2 == 0)))
    # Each of the three would be kept as a whole.
    assert (kibibytes(worker, "VmRSS") - before) * 1024 < BODIES * first.body + COPIED


@pytest.mark.contract("E1", "E3", "K3")
@pytest.mark.parametrize(
    ("format", "count", "bodies"), [("application/x-ndjson", 2 * COUNT, 1.25), ("text/csv", 3 * COUNT, BODIES)]
)
def test_neither_lines_nor_tables_are_kept_in_memory(single: Service, format: str, count: int, bodies: float):
    """What the list answers, with a change in each account: 40 and 20 MB; with each line twice it would be two."""
    for first in range(0, count, COUNT):
        call(single, body("put", accounts(COUNT, first=first)))
    text = single.send("GET", f"{LIST}?take={count}", Accept=format).body
    few = b"".join(text.splitlines(keepends=True)[:101])
    call(single, few, Content_Type=format)  # loads what reads them

    measurement = call(single, text.replace(b"changed=False", b"changed=True"), Content_Type=format)

    assert measurement.peak * 1024 < bodies * measurement.body + COPIED


@pytest.mark.contract("K4")
def test_a_plan_needs_at_most_three_times_its_snapshot(single: Service):
    """Of a chart as it is stored, and of one in which each account changes."""
    for first in range(0, PLANNED, COUNT):
        call(single, body("put", accounts(COUNT, first=first)))
    for changed in (False, True):
        measurement = call(single, body("snapshot", accounts(PLANNED, changed=changed)), path=f"{LIST}-plans")
        assert measurement.peak * 1024 < PLAN_BODIES * measurement.body + COPIED


@pytest.mark.contract("B1", "C20", "K3")
@pytest.mark.parametrize(
    ("name", "beginning", "end", "media_type"),
    [
        ("elements-bulk?mode=merge", b'{"id":"', b'"}\n', "application/x-ndjson"),
        ("elements-plans", b'{"bulk":{"delete":[{"id":"', b'"}]}}', "application/json"),
        ("elements-bulk-delete-async", b'[{"id":"', b'"}]', "application/json"),
    ],
)
def test_an_endless_id_costs_little_more_than_its_body(
    single: Service, name: str, beginning: bytes, end: bytes, media_type: str
):
    """It is refused by its length, before it is looked up."""
    path = f"{LIST.removesuffix('elements')}{name}"
    small, large = (b"".join((beginning, "😀".encode(), b"a" * count, end)) for count in (200, LONG_ID))
    call(single, small, path=path, refusal=400, Content_Type=media_type)  # loads what reads it

    measurement = call(single, large, path=path, refusal=400, Content_Type=media_type)

    assert measurement.peak * 1024 < ID_BODIES * measurement.body + COPIED
