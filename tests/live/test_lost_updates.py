"""No change is lost with `If-Match`; `make lost-updates` tries it with a hundred clients."""

import pytest

from tests.load.lost_updates import count
from tests.services.service import Service

PROGRAMS = 20
INCREMENTS = 3


@pytest.mark.contract("C16")
def test_each_increment_that_was_answered_counts_once(prepared: tuple[str, str], service: Service):
    """Read, add one, PATCH with `If-Match`, by all at once: the number is that of the answers 200; 412 begins again."""
    outcome = count(service, prepared[0], PROGRAMS, INCREMENTS)
    assert outcome.is_right, outcome
    assert outcome.number == PROGRAMS * INCREMENTS
    # They have collided: otherwise this shows nothing.
    assert outcome.statuses[412] > 0
