"""The report of `make bench` about its results."""

import json

import pytest

from tests.load.bench import picture
from tests.load.bench.report import DATA, PAGE, PICTURE, main_table, page_with
from tests.load.bench.rows import BY_KEY, ROWS, against_floor, against_plain, medians
from tests.load.bench.scenarios import scenarios


def test_the_page_and_the_picture_are_made_of_the_results():
    """No result in them was written by hand."""
    found = json.loads(DATA.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    assert page_with(page, found) == page
    assert picture.drawn(found) == PICTURE.read_text(encoding="utf-8")


def test_the_results_have_each_row_of_the_table():
    """A part of the scenarios is never published."""
    assert [row.key for row in ROWS] == list(json.loads(DATA.read_text(encoding="utf-8"))["rows"])
    assert [row.key for row in ROWS] == [key for scenario in scenarios(20_000) for key in scenario.rows]


@pytest.mark.parametrize(
    ("key", "measurements", "reached", "met"),
    [
        ("list", {"floor": 100.0, "service": 50.0}, 0.5, True),
        ("list", {"floor": 100.0, "service": 49.0}, 0.49, False),
        ("fetch", {"floor": 100.0, "service": 400.0}, 4.0, True),
        ("deletion", {"floor": 0.1, "service": 0.7, "wake_up": 0.2}, 5.0, True),
        ("deletion", {"floor": 0.1, "service": 0.8, "wake_up": 0.2}, 6.0, False),
        ("deletion-refuse", {"service": 125.2, "wake_up": 0.2}, 0.8, True),
        ("deletion-refuse", {"service": 200.2, "wake_up": 0.2}, 0.5, False),
        ("memory-list", {"service": 31.0}, 31.0, False),
    ],
    ids=[
        *("list met", "list missed", "fetch", "deletion met", "deletion missed"),
        *("refusing deletion met", "refusing deletion missed", "memory missed"),
    ],
)
def test_a_row_is_held_against_its_target(key, measurements, reached, met):
    """Speeds as a part of the floor's or of the list's, times as a multiple of the floor's without the wake-up."""
    verdict = against_floor(BY_KEY[key], measurements, {"service": 100.0})
    assert verdict is not None
    assert (round(verdict.reached, 6), verdict.met) == (reached, met)


def test_the_middle_of_the_rounds_counts():
    """One round in which the machine was busy otherwise changes nothing."""
    measurements = medians({"service": [50.0, 1.0, 48.0], "plain": [5.0, 5.0, 4.0], "floor": [90.0, 100.0, 110.0]})
    verdict = against_plain(BY_KEY["read-one"], measurements)
    assert verdict is not None
    assert (verdict.reached, verdict.met) == (9.6, True)


def test_a_missed_target_is_reported_as_such():
    """The table hides none."""
    found = {"rows": {"read-one": {"floor": [100.0], "service": [20.0], "plain": [10.0]}}}
    assert "0.2, target 0.4: **missed** | 2×, target 4: **missed** |" in main_table(found)
