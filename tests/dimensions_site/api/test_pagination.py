"""Paging by `skip` and `take`."""

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dimensions_site.api.errors import Problem
from dimensions_site.api.lists import MAX_COUNT, SkipTake


def page(rows, **parameters):
    return rows[SkipTake.parse(parameters.get("skip"), parameters.get("take")).window]


@pytest.mark.contract("D6")
@pytest.mark.parametrize(
    ("skip", "take", "expected"),
    [
        (None, None, "abcde"),
        ("0", None, "abcde"),
        ("2", None, "cde"),
        (None, "2", "ab"),
        ("1", "2", "bc"),
        ("4", "9", "e"),
        ("5", "1", ""),
        ("0", "0", ""),
        ("3", "0", ""),
        ("007", "1", ""),
        (str(MAX_COUNT), str(MAX_COUNT), ""),
        ("0", str(MAX_COUNT), "abcde"),
    ],
)
def test_skip_and_take_cut_a_window(skip, take, expected):
    """Defaults are 0 and everything; beyond the end there is nothing; take=0 is an empty list."""
    assert "abcde"[SkipTake.parse(skip, take).window] == expected


@pytest.mark.contract("D6")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "-1",
        "+1",
        "1.0",
        "1e3",
        " 1",
        "1 ",
        "one",
        "null",
        "٣",
        "²",
        "0x1",
        "1_000",
        str(MAX_COUNT + 1),
        "9" * 5_000,
    ],
)
@pytest.mark.parametrize("name", ["skip", "take"])
def test_anything_but_an_integer_from_0_is_400(name, text):
    """Never clamped, and never a failure inside: the parameter and its value are named."""
    with pytest.raises(Problem) as refusal:
        page([], **{name: text})
    assert refusal.value.status_code == 400
    (failure,) = refusal.value.failures
    assert (failure.path, failure.code) == (name, "INVALID_VALUE")
    assert f'got "{text[:100]}' in failure.message
    assert len(failure.message) < 300


@pytest.mark.contract("D6", "D7")
@pytest.mark.django_db
def test_the_database_cuts_the_window():
    """The part is still a queryset: one query, and no row that is not wanted."""
    Group.objects.bulk_create(Group(name=name) for name in "abcde")
    with CaptureQueriesContext(connection) as queries:
        names = [group.name for group in page(Group.objects.order_by("name"), skip="1", take="2")]
    assert names == ["b", "c"]
    assert len(queries) == 1
    assert "LIMIT 2" in queries[0]["sql"]


@pytest.mark.contract("D6")
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"skip": str(MAX_COUNT)}, []),
        ({"take": str(MAX_COUNT)}, ["a"]),
        ({"skip": "1", "take": str(MAX_COUNT)}, []),
        ({"skip": str(MAX_COUNT), "take": str(MAX_COUNT)}, []),
        ({"take": "0"}, []),
    ],
    ids=str,
)
def test_the_largest_numbers_are_taken_by_the_database(parameters, expected):
    """Both databases count rows with 63 bits."""
    Group.objects.create(name="a")
    assert [group.name for group in page(Group.objects.order_by("name"), **parameters)] == expected
