"""The table of the sample model, and the queries of the tests."""

from collections.abc import Callable, Iterator

import pytest
from django.db import connection

from dimensions_site.rsql.compiler import compile_filter, parse_sort
from dimensions_site.rsql.parser import parse
from tests.dimensions_site.rsql.sample.fields import SampleFields
from tests.dimensions_site.rsql.sample.models import Sample


@pytest.fixture(scope="session")
def sample_table(django_db_setup, django_db_blocker) -> Iterator[None]:
    """The sample's table: no migration makes it, for no application of the service knows it."""
    with django_db_blocker.unblock():
        with connection.schema_editor() as editor:
            editor.create_model(Sample)
        yield
        with connection.schema_editor() as editor:
            editor.delete_model(Sample)


@pytest.fixture
def codes_of(sample_table, db) -> Callable[[str], list[str]]:
    """The codes of the rows for which a filter holds, sorted."""

    def codes(filter_text: str) -> list[str]:
        rows = Sample.objects.filter(compile_filter(parse(filter_text), SampleFields()))
        return sorted(rows.values_list("code", flat=True))

    return codes


@pytest.fixture
def sorted_codes(sample_table, db) -> Callable[[str], list[str]]:
    """The codes of all rows in a sort order, rows that tie in the order of their making."""

    def codes(sort_text: str) -> list[str]:
        return list(
            Sample.objects.order_by(*parse_sort(sort_text, SampleFields()), "pk").values_list("code", flat=True)
        )

    return codes
