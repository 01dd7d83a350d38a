"""The errors of a request or a file with many elements are collected in order and counted to a bound (contract B1)."""

from contextlib import ExitStack

import pytest
from django.db import DatabaseError

from bulkops.session.databases import insert_rows
from bulkops.session.errors import BEFORE_ALL, Errors, Refused
from dimensions_site.api.errors import MAX_FAILURES, Failure, Problem
from dimensions_site.api.failures import MAX_COUNTED


def failure(name: object) -> Failure:
    return Failure(str(name), "INVALID", "…")


@pytest.mark.contract("B1")
def test_the_first_errors_are_kept_in_the_order_of_the_elements():
    """In whatever order they come: those of the whole are first, and each one counts."""
    errors = Errors()
    for position in reversed(range(3 * MAX_FAILURES)):
        errors.add(position, [failure(position)])
    errors.add_later([(BEFORE_ALL, failure("all"))], 1)
    assert [found.path for found in errors.first()] == ["all", *map(str, range(MAX_FAILURES - 1))]
    assert errors.count == 3 * MAX_FAILURES + 1


def test_errors_on_disk_are_all_kept_and_those_of_one_element_in_their_order():
    with ExitStack() as stack:
        errors = Errors(stack)
        for position in range(2 * MAX_FAILURES):
            errors.add(position % 2, [failure(position)])
        kept = [int(found.path) for _, found in errors.in_order()]
    assert kept == [*range(0, 2 * MAX_FAILURES, 2), *range(1, 2 * MAX_FAILURES, 2)]
    assert errors.positions == {0, 1}


@pytest.mark.contract("B1")
def test_more_errors_than_are_counted_end_the_reading():
    errors = Errors()
    errors.add(0, [failure("first")], MAX_COUNTED)
    errors.add(1, [])
    with pytest.raises(Refused):
        errors.add(2, [failure("last")])
    with pytest.raises(Problem) as refused:
        errors.refuse()
    assert not errors.is_count_exact
    assert [found.path for found in refused.value.failures] == ["first"]


def test_rows_that_are_left_out_may_have_more_errors_while_most_rows_are_right():
    with ExitStack() as stack:
        errors = Errors(stack, leaves_out=True)
        for row in range(MAX_COUNTED + 5):
            errors.add(3 * row, [failure(row)])
        with pytest.raises(Refused):
            errors.add(MAX_COUNTED, [failure("of one of the first rows")])
    assert errors.count == MAX_COUNTED + 5


def test_without_errors_nothing_is_refused():
    errors = Errors()
    errors.refuse()
    assert not errors


@pytest.mark.contract("B3")
def test_a_failure_of_the_driver_is_one_of_the_database(db):
    """A raw error of psycopg or sqlite3 would be 500 where 503 is right, for example on a full disk."""
    with pytest.raises(DatabaseError, match="nowhere"):
        insert_rows("nowhere", ["element_id"], iter([("A",)]))
