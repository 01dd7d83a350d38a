"""The search index is there for every dimension."""

import pytest
from django.db import connection
from django.db.models import F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from account.models import Account
from dimensions_site.elements.dimension import Dimension
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.conditions import AnyEntry, Contains, EntryText, Needle, narrow, narrow_by_case
from dimensions_site.rsql.expressions import Fold, MapEntry
from tests.dimensions import DIMENSIONS
from tests.dimensions_site.rsql.strategies import TRICKY
from tests.factories import account
from tests.storing import store_accounts


@pytest.mark.django_db
@pytest.mark.parametrize("dimension", DIMENSIONS.values(), ids=DIMENSIONS)
def test_each_dimension_has_its_search_index(dimension: Dimension):
    """Only PostgreSQL has it; without it, each search would read the whole table."""
    table = dimension.model._meta.db_table
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, table)
    assert (f"{table}_search" in found) == (connection.vendor == "postgresql")


ESCAPED = ('"', "\\", "\n", "\t", "\x1f", "\x7f", "%", "_", "abc", "Cash", "1000", "Straße", "ΟΔΟΣ")
texts = st.lists(st.sampled_from([*TRICKY, *ESCAPED]), min_size=1, max_size=12).map("".join)


@pytest.fixture
def cash(northwind: Repository) -> Account:
    store_accounts(northwind, account("1000"))
    return Account.of(northwind).get()


@pytest.mark.contract("D2", "D3")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=texts, part=texts, after=texts)
def test_a_part_of_a_description_is_found_as_it_is_without_the_index(
    cash: Account, before: str, part: str, after: str
) -> None:
    """In its own case, in one language and in any of them, whatever is around it."""
    Account.of(cash.repository).update(descriptions={"en": before + part + after})
    exact = Contains(MapEntry("descriptions", "en"), Needle(part))
    folded = Contains(Fold(MapEntry("descriptions", "en")), Fold(Needle(part)))
    anywhere = AnyEntry(F("descriptions"), Contains(Fold(EntryText()), Fold(Needle(part))))
    assert Account.of(cash.repository).filter(exact).exists()
    for condition in (exact, folded, anywhere):
        narrowed = narrow(condition, "descriptions", part)
        without = Account.of(cash.repository).filter(condition).exists()
        assert Account.of(cash.repository).filter(narrowed).exists() == without


@pytest.mark.contract("D2")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=texts, part=texts, after=texts)
def test_a_part_of_an_id_is_found_as_it_is_without_the_index(cash: Account, before: str, part: str, after: str) -> None:
    """The index knows ids in one case only; its other matches are left out."""
    Account.of(cash.repository).update(element_id=before + part + after)
    exact = Contains(F("element_id"), Needle(part))
    assert Account.of(cash.repository).filter(narrow_by_case(exact, F("element_id"), part)).exists()
    other = Contains(F("element_id"), Needle(f"{part}Abc"))
    narrowed = narrow_by_case(other, F("element_id"), f"{part}Abc")
    without = Account.of(cash.repository).filter(other).exists()
    assert Account.of(cash.repository).filter(narrowed).exists() == without
