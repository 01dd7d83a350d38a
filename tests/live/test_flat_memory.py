"""Lists are streamed: memory stays flat whatever their length."""

from pathlib import Path

import pytest

from tests.load.memory import ADDRESSES, LIST, SINGLE, fill, peak_above_idle
from tests.services.service import serving

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="reads the peak from Linux's /proc")

FEW, MANY = 2_000, 10_000
# The largest difference between the two peaks, in KiB: 8,000 accounts more are 32 MB more of text.
NOISE = 10 * 1024
# A chunk of rows, as tuples and as text, in KiB.
CHUNK = 16 * 1024


@pytest.fixture(scope="module")
def measured(untouched: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[int, int]]]:
    """The length, and the memory above idle, of a short and a long list, however it is read.

    The service has one thread in one worker process.
    """
    ways = {**{name: (address, {}) for name, address in ADDRESSES.items()}, "gzip": (LIST, {"Accept_Encoding": "gzip"})}
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in ways}
    with serving(*untouched, tmp_path_factory.mktemp("single"), **SINGLE) as single:
        for count in (FEW, MANY):
            fill(untouched[0], count)
            for name, (address, headers) in ways.items():
                found[name].append(peak_above_idle(single, address, **headers))
    return found


def check(lengths_and_peaks: list[tuple[int, int]], shortest: int) -> None:
    """Each list has at least the `shortest` length per account, and the long one takes no more memory."""
    (short, few), (long, many) = lengths_and_peaks
    assert short > FEW * shortest
    assert long > MANY * shortest
    assert max(few, many) < CHUNK
    assert many - few < NOISE


@pytest.mark.contract("D7")
@pytest.mark.parametrize("name", ADDRESSES)
def test_the_memory_for_a_list_does_not_grow_with_its_length(measured: dict[str, list[tuple[int, int]]], name: str):
    """Five times as many accounts of 4 KB take no more memory above idle, whole or with selected properties."""
    check(measured[name], 700)


@pytest.mark.contract("D7", "M1")
def test_the_memory_for_a_compressed_list_does_not_grow_with_its_length(measured: dict[str, list[tuple[int, int]]]):
    """Compressed data is sent at once, and nothing of it is kept."""
    check(measured["gzip"], 20)
