"""The long forms of tests, which try more: with LONG=true in the environment, as `make test-long` does."""

import os

import pytest

IS_LONG = os.environ.get("LONG") == "true"
# For tests that have no short form.
long_only = pytest.mark.skipif(not IS_LONG, reason="runs with `make test-long`")


def tries(short: int, *, long: int) -> int:
    """Return how many of something a test tries."""
    return long if IS_LONG else short
