"""The browser and some people, for the tests of this folder."""

import pytest
from django.test import Client

from dimensions_site.repositories.models import Repository, Role
from tests.browser import browser, browser_thread, visit
from tests.dimensions_site.administration.site.people import superuser
from tests.factories import Person, add_person

__all__ = ["browser", "browser_thread", "polly", "root", "visit"]


@pytest.fixture
def root(db: None) -> Client:
    """The browser of a superuser."""
    return superuser()


@pytest.fixture
def polly(northwind: Repository) -> Person:
    """Proposer of everything in Northwind."""
    return add_person("polly", northwind, Role.PROPOSER)
