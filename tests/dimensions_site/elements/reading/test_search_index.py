"""The search index is there for every dimension."""

import pytest
from django.db import connection

from dimensions_site.elements.dimension import Dimension
from tests.dimensions import DIMENSIONS


@pytest.mark.django_db
@pytest.mark.parametrize("dimension", DIMENSIONS.values(), ids=DIMENSIONS)
def test_each_dimension_has_its_search_index(dimension: Dimension):
    """Only PostgreSQL has it; without it, each search would read the whole table."""
    table = dimension.model._meta.db_table
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, table)
    assert (f"{table}_search" in found) == (connection.vendor == "postgresql")
