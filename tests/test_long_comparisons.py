"""A test that fails on long values says where they differ, at once."""

import pytest

from tests.differences import pytest_assertrepr_compare


@pytest.mark.parametrize("kind", [list, str])
def test_the_first_difference_of_long_values_is_named(kind):
    accounts = [{"id": f"4{number:05}", "description": "Revenue of the group"} for number in range(2_000)]
    expected = [{**account, "description": "Revenue"} for account in accounts]
    left, right = (
        (accounts, expected) if kind is list else ("\n".join(map(str, accounts)), "\n".join(map(str, expected)))
    )

    lines = pytest_assertrepr_compare("==", left, right)

    assert lines
    assert any("400000" in line and "Revenue of the group" in line for line in lines)
    assert len(lines) == 12


def test_short_values_are_reported_as_ever():
    assert pytest_assertrepr_compare("==", ["a"], ["b"]) is None
    assert pytest_assertrepr_compare("!=", "a" * 50_000, "a" * 50_000) is None
