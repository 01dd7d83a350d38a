"""A deletion, for the tests of this folder."""

from typing import Any

import pytest

from dimensions_site.repositories.models import Repository
from tests.bulkops.jobs.deletions import fill, start
from tests.factories import Person


@pytest.fixture
def running(alice: Person, northwind: Repository, settings: Any) -> str:
    """A deletion of four accounts in two chunks."""
    settings.DELETION_CHUNK_SIZE = 2
    return start(alice, fill(northwind, 4))
