"""Lists are streamed: memory stays flat whatever their length."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.load.memory import ADDRESSES, SINGLE, fill, peak_above_idle
from tests.services.service import Service, serving

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="reads the peak from Linux's /proc")

FEW, MANY = 2_000, 10_000
# By what the two peaks may differ, in KiB: 8,000 accounts more are 32 MB more of text.
NOISE = 4 * 1024
# A chunk of rows, as tuples and as text.
CHUNK = 16 * 1024


@pytest.fixture
def single(prepared: tuple[str, str], tmp_path: Path) -> Iterator[Service]:
    """The service with one thread in one worker process, whose memory is looked at."""
    with serving(*prepared, tmp_path, **SINGLE) as running:
        yield running


@pytest.mark.contract("D7")
def test_the_memory_for_a_list_does_not_grow_with_its_length(single: Service, prepared: tuple[str, str]):
    """Five times as many accounts of 4 KB take no more memory above idle, whole or with selected properties."""
    peaks: dict[str, list[int]] = {name: [] for name in ADDRESSES}
    for count in (FEW, MANY):
        fill(prepared[0], count)
        for name, address in ADDRESSES.items():
            length, peak = peak_above_idle(single, address)
            assert length > count * 700
            peaks[name].append(peak)
    for few, many in peaks.values():
        assert max(few, many) < CHUNK
        assert many - few < NOISE


@pytest.mark.contract("D7", "M1")
def test_the_memory_for_a_compressed_list_does_not_grow_with_its_length(single: Service, prepared: tuple[str, str]):
    """Compressed data is sent at once, and nothing of it is kept."""
    peaks = []
    for count in (FEW, MANY):
        fill(prepared[0], count)
        length, peak = peak_above_idle(single, ADDRESSES["list"], Accept_Encoding="gzip")
        assert length > count * 20
        peaks.append(peak)
    assert max(peaks) < CHUNK
    assert peaks[1] - peaks[0] < NOISE
