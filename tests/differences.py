"""Report a failed comparison of long values briefly."""

from pprint import pformat

import pytest

LONG = 20_000


@pytest.hookimpl(tryfirst=True)
def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Name the first difference of two long values.

    In CI pytest looks for the shortest way from one to the other, which for two lists of a thousand similar accounts
    takes hours: a test that fails would look like one that hangs.
    """
    if op != "==" or isinstance(left, int | float) or max(len(repr(left)), len(repr(right))) < LONG:
        return None
    lines, expected = _lines(left), _lines(right)
    pairs = zip(lines, expected, strict=False)
    first = next((at for at, (line, other) in enumerate(pairs) if line != other), min(len(lines), len(expected)))
    return [
        "two long values, which are not equal",
        f"of {len(lines):,} and {len(expected):,} lines the first that differ are:",
        *(f"- {line[:500]}" for line in lines[first : first + 5]),
        *(f"+ {line[:500]}" for line in expected[first : first + 5]),
    ]


def _lines(value: object) -> list[str]:
    return value.splitlines() if isinstance(value, str) else pformat(value, width=160).splitlines()
