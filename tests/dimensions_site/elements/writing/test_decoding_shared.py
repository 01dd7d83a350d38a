"""One decoder decodes elements of several threads, and one within another: each has a context of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from dimensions_site.api.json.reader import read_json
from dimensions_site.api.parsers import RawElement
from dimensions_site.elements.writing.decoding import Row
from tests.dimensions_site.elements.writing.decoders import DECODERS, beside
from tests.dimensions_site.elements.writing.json_writing import plain
from tests.factories import currency

DECODER = DECODERS["currency"]
# With such a character an id is valid only if it is stored already, so the decoder asks for the stored id.
OLD = "a\u202ab"


class Existing:
    """A stored currency; `meanwhile` is called when its id is read, which is before its oid is."""

    def __init__(self, number: int, meanwhile: Callable[[], object]) -> None:
        self.oid = f"oid-{number}"
        self._id = f"{OLD}{number}"
        self._meanwhile = meanwhile

    @property
    def element_id(self) -> str:
        self._meanwhile()
        return self._id


def fast(text: bytes, existing: Any) -> Row | None:
    return DECODER.fast(RawElement(text), beside(existing))


def exact(text: bytes, existing: Any) -> Row:
    return DECODER.exact(read_json(text), beside(existing))


both_ways = pytest.mark.parametrize("decode", [fast, exact])


def decoded(
    decode: Callable[[bytes, Any], Row | None], number: int, meanwhile: Callable[[], object]
) -> tuple[Any, ...]:
    """The id and the oid in the row of the currency with the `number`."""
    row = decode(plain(currency(f"{OLD}{number}")), Existing(number, meanwhile))
    assert row is not None
    return row[DECODER.columns.index("element_id")], row[DECODER.columns.index("oid")]


@both_ways
def test_threads_share_a_decoder(decode: Callable[[bytes, Any], Row | None]) -> None:
    """Each waits for the other one in the middle of its element."""
    barrier = Barrier(2, timeout=10)
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(lambda number: decoded(decode, number, barrier.wait), range(2)))

    assert found == [(f"{OLD}0", "oid-0"), (f"{OLD}1", "oid-1")]


@both_ways
def test_an_element_is_decoded_while_another_one_is(decode: Callable[[bytes, Any], Row | None]) -> None:
    """A decode within a decode, by the same decoder, does not disturb the outer one."""
    inner: list[object] = []

    outer = decoded(decode, 0, lambda: inner.append(decoded(decode, 1, lambda: None)))

    assert (outer, inner) == ((f"{OLD}0", "oid-0"), [(f"{OLD}1", "oid-1")])
