"""A filter that the service writes is read as the same filter."""

import pytest
from hypothesis import given

from dimensions_site.rsql.parser import can_select, parse, write
from tests.dimensions_site.rsql import strategies


@pytest.mark.contract("D1")
@given(strategies.trees(strategies.comparisons().filter(lambda node: can_select(node.selector))))
def test_a_written_filter_is_read_as_the_same(tree):
    """Whatever is in its values; groups keep their nesting."""
    assert parse(write(tree)) == tree


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (
            "nature == PROFIT_AND_LOSS and (id=in=('a b',c) or id=='')",
            'nature==PROFIT_AND_LOSS;(id=in=("a b",c),id=="")',
        ),
        ('id=="a\\"b"', 'id=="a\\"b"'),
    ],
)
def test_only_what_needs_quotes_has_them(text, written):
    assert write(parse(text)) == written
