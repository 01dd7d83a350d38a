"""What holds for every filter, whatever it is made of."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimensions_site.rsql import parser
from dimensions_site.rsql.errors import RsqlError
from dimensions_site.rsql.operators import OPERATORS
from dimensions_site.rsql.parser import Comparison, Node, can_select, parse
from tests.dimensions_site.rsql import strategies
from tests.dimensions_site.rsql.writing import write

words = st.sampled_from(("and", "or", "a", "x.y", "in", "-", "ключ", "😀")) | strategies.unquoted
values = st.lists(words | strategies.texts, min_size=1, max_size=3).map(tuple)
any_comparison = st.builds(Comparison, words, st.sampled_from(OPERATORS), values, st.just(1))


@pytest.mark.contract("D1")
@given(strategies.trees(any_comparison), st.randoms(use_true_random=False))
def test_whatever_is_written_is_read_back_as_it_was_meant(node: Node, style: Random) -> None:
    """Any tree, written in any style (quotes, escapes, blanks, spellings of operators), parses to the same tree."""
    text = write(node, style)

    assert parse(text) == node


@pytest.mark.contract("D1")
@given(strategies.trees(any_comparison.filter(lambda node: can_select(node.selector))))
def test_what_the_service_writes_is_read_as_the_same(node: Node) -> None:
    """Whatever is in its values; groups keep their nesting."""
    assert parse(parser.write(node)) == node


@pytest.mark.contract("D1", "B3")
@given(
    st.lists(st.sampled_from(("a", " and ", " or ", "==", "=in=", "=x=", *"();,=!~<> '\"\\\t\n\0é")) | st.characters())
)
def test_every_text_is_a_filter_or_an_error_with_a_place_in_it(parts: list[str]) -> None:
    """Nothing that looks like a filter, and no other text, raises another exception."""
    text = "".join(parts)
    try:
        outcome: Node | RsqlError = parse(text)
    except RsqlError as error:
        outcome = error

    position = outcome.position if isinstance(outcome, RsqlError) else 1
    assert position is not None
    assert 1 <= position <= len(text) + 1
