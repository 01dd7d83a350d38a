"""A list composes its SQL once for each shape: later requests bind their values, and find what a new query finds."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from django.db.models.sql.compiler import SQLCompiler
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from account.models import ACCOUNT
from account.serializers import ACCOUNT_WIRE
from currency.models import CURRENCY
from currency.serializers import CURRENCY_WIRE
from dimensions_site.api.lists import SkipTake
from dimensions_site.elements.reading import statements
from dimensions_site.elements.reading.filters import KEPT_LENGTH, KEPT_SHAPES, ElementFilter
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.reading.statements import Selection, read_texts
from dimensions_site.repositories.models import AccessGrant, Role
from dimensions_site.rsql.compiler import without_values
from dimensions_site.rsql.parser import Comparison, Node, parse
from tests.dimensions_site.elements.reading.test_filters_answer_as_meant import (
    Listed,
    accounts,
    comparisons,
    currencies,
)
from tests.dimensions_site.rsql.strategies import trees
from tests.dimensions_site.rsql.writing import write
from tests.factories import account, content, read
from tests.storing import store_accounts, store_currencies


def selection(dimension, repository, filter: str | None = None, sort: str | None = None) -> Selection:
    return Selection(ElementFilter(dimension, repository, filter), sort)


def with_values_of(node: Node, conditions: Iterator[Comparison]) -> Node:
    """The filter with the values of other conditions, where these have the same field and operator."""
    if not isinstance(node, Comparison):
        return type(node)(tuple(with_values_of(child, conditions) for child in node.children))
    one = next(conditions)
    is_alike = (one.selector, one.operator, len(one.values)) == (node.selector, node.operator, len(node.values))
    return replace(node, values=one.values) if is_alike else node


@pytest.mark.contract("D2", "D3", "D4", "D5", "D6", "D7")
@pytest.mark.parametrize("dimension", [CURRENCY, ACCOUNT], ids=str)
def test_a_shape_that_is_kept_finds_what_a_query_finds_that_is_composed_for_the_request(alice, northwind, dimension):
    """The rows of a page, and the number of all, for other values than those for which it was composed."""
    if dimension is CURRENCY:
        store_currencies(northwind, *currencies())
    else:
        store_accounts(northwind, *accounts())
    wire, address = (CURRENCY_WIRE, alice.currency) if dimension is CURRENCY else (ACCOUNT_WIRE, alice.account)
    elements = Listed(read(alice.get(address())))
    leaves = comparisons(wire, elements, "en")
    sorts = st.sampled_from((None, "-id", "updateInfo.date,-description"))
    pages = st.sampled_from([SkipTake(*numbers) for numbers in product((0, 1, 7), (None, 0, 1, 9))])
    renderer = full_renderer(dimension, "en")

    @settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(trees(leaves), st.lists(leaves, min_size=6, max_size=6), sorts, pages, st.randoms(use_true_random=False))
    def check(node, others, sort, paging, style):
        for tree in (node, with_values_of(node, iter(others))):
            selected = selection(dimension, northwind, write(tree, style), sort)
            assert selected.filter.failures(sort) == ()
            page = replace(selected, paging=paging)
            assert list(read_texts(renderer, page)) == list(read_texts(renderer, page.rows))
            assert selected.count() == selected.rows.count()

    check()


@pytest.fixture
def composed(monkeypatch) -> list[str]:
    """The SQL that Django composes from now on."""
    found: list[str] = []
    compose = SQLCompiler.as_sql

    def as_sql(self, *args: Any, **kwargs: Any) -> Any:
        found.append(str(self.query.model))
        return compose(self, *args, **kwargs)

    monkeypatch.setattr(SQLCompiler, "as_sql", as_sql)
    return found


SAME_SHAPES = {
    "list": ("elements", "elements"),
    "lines": ("elements?take=1", "elements?take=2"),
    "page": ("elements?skip=1&take=1", "elements?skip=2&take=3"),
    "page after the last id": (
        "elements?filter=id=gt=1&sort=id&take=1",
        'elements?filter=(id=gt="2000")&sort=id&take=2',
    ),
    "count": ("elements-count?filter=type==DETAIL", "elements-count?filter=type==NORMAL"),
    "search": ("elements?filter=descriptions=ilike=cash", "elements?filter=descriptions=ilike=Bank%25"),
    "some": ("elements?filter=id=in=(1,2)", "elements?filter=id=in=(1000,2000)"),
    "those not in use": ("elements?unused=true&filter=id>1", "elements?unused=true&filter=id>2"),
    "fetch": (
        "elements-fetch?properties=id,description&filter=updateInfo.date<2026-01-01",
        "elements-fetch?properties=id,description&filter=updateInfo.date<9999-01-01",
    ),
    "one": ("elements/1000", "elements/2000"),
    "state": ("elements?asOf={token}&filter=id>1", "elements?asOf={token}&filter=id>2"),
    "moment": ("elements?asOf={moment}&filter=id>1", "elements?asOf={moment}&filter=id>2"),
    "uses": ("elements-uses?id=1000", "elements-uses?id=2000&id=1000"),
    "copy": ("elements-changes?filter=id==1000", "elements-changes?filter=id==2000"),
    "feed": ("elements-changes?since={token}", "elements-changes?since={token}"),
    "filtered feed": (
        "elements-changes?since={token}&filter=updateInfo.date<2026-01-01",
        "elements-changes?since={token}&filter=updateInfo.date<9999-01-01",
    ),
    "comparison": ("elements-compare?from={token}", "elements-compare?to={token}"),
    "filtered comparison": (
        "elements-compare?from={token}&filter=nature==OTHER_STOCKS",
        "elements-compare?from={token}&filter=nature==BALANCE_SHEET",
    ),
    "comparison with a moment": ("elements-compare?from={moment}", "elements-compare?from={moment}&filter="),
    "versions": ("elements-versions?id=1000", "elements-versions?id=2000"),
    "page of versions": ("elements-versions?id=2000&take=1", "elements-versions?id=2000&skip=1&take=2"),
    "versions of a change set": (
        "elements-versions?changeSet={change_set}",
        "elements-versions?changeSet={change_set}&take=9",
    ),
    "comparison of repositories": (
        "elements-compare?fromRepository=contoso&to={token}&filter=id>1",
        "elements-compare?fromRepository=contoso&to={token}&filter=id>0",
    ),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.contract("D7")
@pytest.mark.parametrize("shape", SAME_SHAPES)
def test_a_second_request_of_the_same_shape_composes_nothing(alice, northwind, contoso, composed, shape):
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    store_accounts(northwind, account("1000"), account("2000"))
    first, second = SAME_SHAPES[shape]
    listed = alice.get(alice.account())
    assert content(listed)
    change_set, *_ = read(alice.get(alice.account("elements-changesets")))
    moments = {
        "token": listed.headers["Sync-Token"],
        "moment": change_set["committedAt"],
        "change_set": change_set["id"],
    }
    for text in ("Cash", "Bank"):
        assert alice.send("PATCH", alice.account("elements/2000"), {"descriptions": {"en": text}}).status_code == 200
    content(alice.get(alice.account(first.format(**moments))))
    composed.clear()
    answer = alice.get(alice.account(second.format(**moments)))
    assert answer.status_code == 200
    assert content(answer)
    assert composed == []


@pytest.mark.contract("B1", "D4")
def test_an_error_in_a_shape_that_is_kept_is_reported_with_its_place(alice, northwind):
    address = alice.account("elements")
    assert alice.get(address, {"filter": "id==1;type==DETAIL"}).status_code == 200
    refused = alice.get(address, {"filter": "id==1;type==NONE"})
    assert refused.status_code == 400
    assert "type must be one of" in refused.json()["errors"][0]["message"]
    assert alice.get(address, {"filter": "id=isnull=true"}).status_code == 200
    assert alice.get(address, {"filter": "id=isnull=maybe"}).status_code == 400


@pytest.mark.contract("B3")
def test_however_many_shapes_clients_send_a_bounded_number_of_short_ones_is_kept(northwind):
    for number in range(KEPT_SHAPES + 10):
        assert selection(ACCOUNT, northwind, f"customAttributes.a{number}==1").count() == 0
    kept = statements._count.cache_info()
    assert kept.currsize == kept.maxsize == KEPT_SHAPES
    for _ in range(2):
        selected = selection(ACCOUNT, northwind, f"id=={'x' * KEPT_LENGTH}")
        assert list(read_texts(full_renderer(ACCOUNT, "en"), selected)) == []
    assert statements._count.cache_info() == kept


def test_a_shape_has_no_values_but_what_decides_about_its_sql():
    """Whether an index can find a part of a text, whether a value is wanted to be missing, and how many there are."""
    alike = [
        ("id==1", "id=='x y z'"),
        ("id=in=(1,2)", "id=in=(1000,abc)"),
        ("id=like=abc", "id=like=xyzw"),
        ("id=like=ab", "id=like='%'"),
        ("a==1;(b==2,c==3)", "a==4 and (b==5 or c==6)"),
    ]
    different = [("id==1", "id!=1"), ("id=in=(1,2)", "id=in=(1)"), ("id=like=abc", "id=like=ab"), ("a==1", "b==1")]
    different += [("id=isnull=true", "id=isnull=false"), ("a==1;b==1", "a==1,b==1")]
    for pairs, are_equal in ((alike, True), (different, False)):
        for one, other in pairs:
            assert (without_values(parse(one), []) == without_values(parse(other), [])) == are_equal, one


def test_the_values_come_in_the_order_in_which_they_are_compiled():
    texts: list[str] = []
    without_values(parse("a==1;(b==2,(c==3;d=in=(4,5)))"), texts)
    assert texts == ["3", "4", "5", "2", "1"]
