"""The report of `make growth` about its results."""

import json

import pytest

from tests.load.growth.report import DATA, PAGE, page_with, table
from tests.load.growth.rows import BY_KEY, ROWS, exponent
from tests.load.growth.stages import STAGES, Stage

SMALL, MIDDLE, LARGE = STAGES


def test_the_page_is_made_of_the_results():
    """No result in it was written by hand."""
    page = PAGE.read_text(encoding="utf-8")
    assert page_with(page, json.loads(DATA.read_text(encoding="utf-8"))) == page


def test_the_results_have_each_row_at_each_stage():
    """A part of the stages is never published."""
    found = json.loads(DATA.read_text(encoding="utf-8"))
    assert list(found["rows"]) == [row.key for row in ROWS]
    assert [Stage(*sizes) for sizes in found["stages"]] == list(STAGES)
    totals = [str(stage.total) for stage in STAGES]
    assert all(list(samples) == totals for samples in found["rows"].values())


@pytest.mark.parametrize(
    ("measurements", "reached"),
    [((3.0, 3.0, 3.0), 0.0), ((0.2, 1.0, 10.0), 1.0), ((0.4, 10.0, 1000.0), 2.0)],
    ids=["the same", "in proportion", "by the square"],
)
def test_the_exponent_shows_how_a_measurement_grows(measurements, reached):
    assert exponent(dict(zip(STAGES, measurements, strict=True))) == pytest.approx(reached)


def test_the_exponent_is_that_of_all_stages():
    """The middle one counts, too: what is slow there alone does not grow."""
    assert exponent({SMALL: 1.0, MIDDLE: 10.0, LARGE: 1.0}) == pytest.approx(-0.07, abs=0.01)


def line_of(key: str, measurements: tuple[float, float, float]) -> str:
    """The row of the table with these results, the others being one."""
    samples = {row.key: {str(stage.total): [1.0] for stage in STAGES} for row in ROWS}
    samples[key] = {str(stage.total): [measurement] for stage, measurement in zip(STAGES, measurements, strict=True)}
    stages = [[stage.total, stage.large, stage.bulk] for stage in STAGES]
    (line,) = (line for line in table({"rows": samples, "stages": stages}).splitlines() if BY_KEY[key].title in line)
    return line


def test_what_grows_and_should_not_is_reported():
    """The table hides none."""
    assert line_of("one", (2.0, 2.1, 2.2)).endswith("| 2 ms | 2.1 ms | 2.2 ms | 0.02, at most 0.2: met |")
    assert line_of("one", (2.0, 4.0, 8.0)).endswith("| 2 ms | 4 ms | 8 ms | 0.35, at most 0.2: **grows** |")


def test_speeds_are_reported_beside_seconds():
    """Each stage deletes more."""
    assert "| 0.5 s, 2,000/s | 2.5 s, 2,000/s | 25 s, 2,000/s | 1.00," in line_of("deletion", (0.5, 2.5, 25.0))
