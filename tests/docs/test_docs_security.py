"""Every test that the page for auditors names exists."""

import re

import pytest

from tests.docs.test_docs import ROOT

PAGE = ROOT / "docs" / "security.md"
NAMED = sorted(set(re.findall(r"`(tests/[a-z0-9_/]+\.py)`", PAGE.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("name", NAMED)
def test_a_file_of_tests_that_is_named_has_tests(name):
    assert re.search("^def test_", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_each_of_the_ten_points_names_tests():
    """The ten of 2023, in their order."""
    points = re.split("^### ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert [point.partition(":")[0] for point in points] == [f"API{number}" for number in range(1, 11)]
    assert all("`tests/" in point for point in points)
