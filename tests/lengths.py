"""The long forms of tests, which try more: with LONG=true in the environment, as `make test-long` does."""

import os

IS_LONG = os.environ.get("LONG") == "true"


def tries(short: int, *, long: int) -> int:
    """Return how many of something a test tries."""
    return long if IS_LONG else short
