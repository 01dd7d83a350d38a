"""What is checked about the machine when the service starts."""

import sys

import pytest

from bulkops.apps import check_limits


@pytest.mark.contract("B3")
def test_a_system_without_memory_limits_is_reported(monkeypatch):
    """Linux does; elsewhere the operator gets a warning at start, and the time limits apply."""
    assert (check_limits() == []) == (sys.platform == "linux")
    monkeypatch.setattr("bulkops.apps.HAS_LIMITS", False)
    assert [(warning.id, warning.level < 40) for warning in check_limits()] == [("bulkops.W001", True)]
