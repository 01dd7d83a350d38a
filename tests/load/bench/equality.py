"""All three contestants return the same: otherwise a comparison of their speed would mean nothing."""

import csv
from collections.abc import Mapping
from typing import Any

import msgspec
import orjson

from tests.load.bench.addresses import MEASURED, SAVED, Name
from tests.load.bench.bodies import accounts, bulk, identifier
from tests.load.bench.contestants import Contestant

_FEW = 5
# How a table distinguishes an entry that is null from a missing one.
_NULL = "[[null]]"


def check(contestants: Mapping[Name, Contestant], count: int) -> int:
    """Compare what each of them answers of the repository with that many accounts; return how many answers were equal.

    What differs is an AssertionError. Members of objects may be in any order.
    """
    middle = identifier(count // 2)
    questions: list[tuple[str, dict[str, Any], int]] = [
        ("list", {}, count),
        ("ndjson", {}, count),
        ("one", {"id": middle}, 1),
        ("page", {"offset": count // 2}, min(100, count - count // 2)),
        ("after", {"id": middle}, min(100, count - count // 2 - 1)),
        ("count", {}, 1),
        ("containing", {}, sum(number % 1_000 == 7 for number in range(count))),
        ("fetch", {}, count),
    ]
    equal = 0
    for what, of, length in questions:
        expected = _content(contestants[Name.SERVICE], what, of)
        assert len(expected) == length, f"{what} has {len(expected)} accounts and should have {length}"
        for contestant in contestants.values():
            if getattr(contestant.addresses, what):
                _compare(f"{what} of {contestant.name}", _content(contestant, what, of), expected)
                equal += 1
    _check_table(contestants[Name.SERVICE])
    return equal + 1


def check_writes(contestants: Mapping[Name, Contestant]) -> None:
    """Let each of them save, replace and change accounts, and compare what it answers with what it was sent.

    The repository that is saved into is empty before; what was saved stays.
    """
    for name, contestant in contestants.items():
        for operation in ("post", "put"):
            sent = list(accounts(_FEW, changed=operation == "put"))
            answer = contestant.call("POST", contestant.addresses.of("bulk", SAVED), bulk(operation, sent))
            _compare(f"{operation} of {name}", _saved(orjson.loads(answer)), _saved(sent))
        path = contestant.addresses.of("one", SAVED, id=identifier(0))
        patched = contestant.call("PATCH", path, orjson.dumps({"documentationLink": "https://example.com/new"}))
        expected = [{**next(accounts(1, changed=True)), "documentationLink": "https://example.com/new"}]
        _compare(f"patch of {name}", _saved([orjson.loads(patched)]), _saved(expected))
        _compare(f"patched account of {name}", _saved([orjson.loads(contestant.call("GET", path))]), _saved(expected))


def _saved(found: list[dict[str, Any]]) -> list[bytes]:
    """The accounts without who saved them: the floor stores only what it was sent."""
    return [
        orjson.dumps({**each, "updateInfo": None}, option=orjson.OPT_SORT_KEYS)
        for each in sorted(found, key=lambda account: str(account["id"]))
    ]


def _check_table(service: Contestant) -> None:
    """The service's table has the same content as its lines, cell by cell; no other contestant has tables."""
    names, *rows = csv.reader(service.answer("csv").decode().splitlines())
    for cells, line in zip(rows, service.answer("ndjson").splitlines(), strict=True):
        document = orjson.loads(line)
        for name, cell in zip(names, cells, strict=True):
            value = document
            for member in name.split("."):
                value = value[member]
            spellings = {True: ("true",), False: ("false",), None: ("", _NULL)}.get(value, (value,))
            assert cell in spellings, f"{name} is {cell} and should be {value}"


def _content(contestant: Contestant, what: str, of: Mapping[str, Any]) -> list[bytes]:
    """The accounts of an answer, each in a form that is the same when they are equal."""
    body = contestant.answer(what, MEASURED, **of)
    if what == "ndjson":
        return [_sorted(line) for line in body.splitlines()]
    if contestant.name == Name.PLAIN and what in ("page", "after"):
        body = bytes(msgspec.json.decode(body, type=dict[str, msgspec.Raw])["results"])
    if what in ("one", "count"):
        return [_sorted(body)]
    return [_sorted(bytes(each)) for each in msgspec.json.decode(body, type=list[msgspec.Raw])]


def _sorted(text: bytes) -> bytes:
    return orjson.dumps(orjson.loads(text), option=orjson.OPT_SORT_KEYS)


def _compare(what: str, found: list[bytes], expected: list[bytes]) -> None:
    assert len(found) == len(expected), f"{what}: {len(found)} instead of {len(expected)}"
    for mine, others in zip(found, expected, strict=True):
        assert mine == others, f"{what}: {mine.decode()} is not {others.decode()}"
