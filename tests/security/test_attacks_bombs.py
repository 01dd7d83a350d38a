"""Small requests that would cause much work: their cost is limited, and what exceeds the limit is refused at once."""

import gc
import json
import time
from collections.abc import Callable
from itertools import product

import pytest

from dimensions_site.rsql.parser import MAX_CONDITIONS, MAX_DEPTH, MAX_LENGTH, MAX_VALUES
from tests.factories import account, content, currency, json_bytes

pytestmark = pytest.mark.contract("B3", "D4")

# A body that is four times as long may take at most this many times as long; sixteen would be quadratic.
MOST = 9
# Work that takes less is not compared, in seconds.
MOMENT = 0.15


def seconds(work: Callable[[], object], quick: float = 0, times: int = 3) -> float:
    """What it takes of the processor, at the quickest of three `times`, or at the first that is `quick` enough.

    Without the garbage collector, which now and then looks at all that the tests before this one have left.
    """
    taken: list[float] = []
    gc.disable()
    try:
        while len(taken) < times and not (taken and taken[-1] < quick):
            begin = time.thread_time()
            work()
            taken.append(time.thread_time() - begin)
    finally:
        gc.enable()
    return min(taken)


def grows_as_its_length(small: Callable[[], object], large: Callable[[], object]) -> bool:
    """Another process may slow one of them down, but seldom all three; quadratic time always fails."""
    for _ in range(3):
        most = max(MOST * seconds(small), MOMENT)
        if seconds(large, most) < most:
            return True
    return False


def text(size: int, *parts: str) -> bytes:
    """The middle one of three parts, repeated until the whole has about that size."""
    first, middle, last = parts
    return (first + middle * (size // len(middle)) + last).encode()


BOMBS: dict[str, Callable[[int], bytes]] = {
    "open lists": lambda size: b"[" * size,
    "open objects": lambda size: text(size, "", '{"a":', ""),
    "lists in lists": lambda size: b"[" * (size // 2) + b"]" * (size // 2),
    "brackets in a text": lambda size: text(size, '{"id":"', "[{", '"}'),
    "quotes": lambda size: text(size, '{"id":"', '\\"', '"}'),
    "backslashes": lambda size: text(size, '{"id":"', "\\\\", '"}'),
    "an open text": lambda size: text(size, '{"id":"', "a", ""),
    "escapes": lambda size: text(size, '{"id":"', "\\u0041", '"}'),
    "halves of characters": lambda size: text(size, '{"id":"', "\\ud800", '"}'),
    "one key": lambda size: text(size, "{", '"a":1,', '"a":1}'),
    "keys": lambda size: json.dumps({f"k{number}": 1 for number in range(size // 10)}).encode(),
    "languages": lambda size: json_bytes(account(descriptions={f"a-{number:06}": "x" for number in range(size // 20)})),
    "attributes": lambda size: json_bytes(account(customAttributes={f"k{n}": "x" for n in range(size // 12)})),
    "empty objects": lambda size: text(size, '{"descriptions":[', "{},", "{}]}"),
    "blanks": lambda size: text(size, "{", " \n", "}"),
    "a number": lambda size: text(size, '{"decimalNumbers":', "9", "}"),
    "a fraction": lambda size: text(size, '{"percentageDifference":0.', "9", "}"),
    "numbers": lambda size: text(size, '{"decimalNumbers":[', "1e399,", "1]}"),
    "letters that grow when folded": lambda size: text(size, '{"id":"', "ǰ", '"}'),
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
@pytest.mark.parametrize("rest", ["elements", "elements-bulk"])
def test_the_work_for_a_body_grows_as_its_length(alice, bomb, rest):
    """For one element and for many, from 40 kB to 160 kB; the answer stays short, however much is wrong."""

    def answered(size: int) -> Callable[[], bytes]:
        body = bomb(size) if rest == "elements" else b'{"post":[' + bomb(size) + b"]}"
        return lambda: content(alice.send("POST", alice.account(rest), body))

    small, large = answered(40_000), answered(160_000)
    assert len(small()) < 1_000_000
    # Anything faster needs no comparison.
    if seconds(large, MOMENT, times=1) >= MOMENT:
        assert grows_as_its_length(small, large)


def test_the_largest_filters_are_answered(alice):
    """The maximum of conditions, values and parentheses: both databases answer, whatever they contain."""
    alice.send("POST", alice.account(), account("1000"))
    fields = ("id", "descriptions", "description", "descriptions.en", "conversion.conversionType", "updateInfo.date")
    for field, joint in product(fields, (",", ";", ",descriptions=ilike=x;")):
        value = {"updateInfo.date": "2026-01-01", "conversion.conversionType": "FINAL"}.get(field, "x")
        conditions = joint.join([f"{field}=={value}"] * 24)
        assert alice.get(alice.account("elements-count"), {"filter": conditions}).status_code == 200
    deep = "(" * MAX_DEPTH + "id==x,id==y" + ")" * MAX_DEPTH
    alternating = "(id==a,(id==b;" * (MAX_DEPTH // 2) + "id==c" + "))" * (MAX_DEPTH // 2)
    many = ";".join(["id==1000"] * MAX_CONDITIONS)
    listed = f"id=in=({','.join(['1000'] * MAX_VALUES)})"
    lists = ",".join([f"id=in=({','.join(['1'] * MAX_VALUES)})"] * 19)
    for condition in (deep, alternating, many, listed, lists):
        assert len(condition) <= MAX_LENGTH
        assert alice.get(alice.account("elements-count"), {"filter": condition}).status_code == 200, condition


def test_texts_that_grow_when_case_is_folded_are_searched(alice):
    """One letter may become three; the filter and what is stored are folded alike."""
    alice.send("POST", alice.currency(), currency("A", descriptions={"en": "ﬃΐ" * 300}))
    found = alice.get(alice.currency("elements-count"), {"filter": f"descriptions.en=ilike={'ﬃΐ' * 300}"})
    assert found.json() == 1
