"""The errors of a filter that can be parsed but not executed."""

import re

import pytest
from django.utils.translation import override

from dimensions_site.rsql.parser import MAX_CONDITIONS, MAX_FILTER_DEPTH, MAX_FILTER_LENGTH, MAX_VALUES
from tests.dimensions_site.rsql.refusals import error_of
from tests.messages import LANGUAGES

# Two words of an English sentence.
_WORDS = re.compile(r"(?=\b([a-z]{2,} [a-z]{2,})\b)")


@pytest.mark.contract("D3", "B1")
def test_an_unknown_field_is_named_with_those_that_look_like_it() -> None:
    """A mistyped name never means "no condition"."""
    error = error_of("code==A;(quality==1,code==B)")

    assert error.message == "Unknown field 'quality'. Did you mean 'quantity'?"
    assert (error.code, error.position) == ("UNKNOWN_FIELD", 10)


def test_an_unknown_field_that_looks_like_several_is_named_with_them() -> None:
    """Whoever wrote it knows which was meant."""
    message = error_of("bundle.limit==1").message

    assert message == "Unknown field 'bundle.limit'. Did you mean 'bundle.label' or 'bundle.limits.strict'?"


def test_an_unknown_field_without_similar_ones_is_named_alone() -> None:
    """A wild guess is worse than none; a huge name is quoted in part."""
    assert error_of("zzz==1").message == "Unknown field 'zzz'."
    assert error_of("z" * 100 + "==1").message == f"Unknown field '{'z' * 100}'."
    assert error_of("z" * 101 + "==1").message == f"Unknown field '{'z' * 100}…'."


@pytest.mark.contract("D3")
def test_a_field_that_no_filter_may_use_is_refused() -> None:
    """As the `oid` of a currency."""
    error = error_of("oid==1")

    assert (error.code, error.message) == ("NOT_FILTERABLE", "oid must not be used in a filter.")


@pytest.mark.contract("B1")
def test_all_errors_of_a_filter_are_reported_in_the_order_of_the_text() -> None:
    """Also those inside lists and deeper groups."""
    error = error_of("nothing==1;quantity=in=(1,x,y);(code==A,(active==1;code=like=B))")

    assert [(one.code, one.position) for one in error.errors] == [
        ("UNKNOWN_FIELD", 1),
        ("INVALID_VALUE", 12),
        ("INVALID_VALUE", 12),
        ("INVALID_VALUE", 42),
    ]
    assert error.message == " ".join(one.message for one in error.errors)
    assert (error.code, error.position) == ("UNKNOWN_FIELD", 1)


def test_one_error_is_its_own_list() -> None:
    """So that code that reports errors needs no special case."""
    error = error_of("nothing==1")

    assert error.errors == (error,)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "filter",
    [
        "code",
        "code==",
        "code==A B",
        "(code==A",
        "code=in=(A",
        "code==A AND code==B",
        "==A",
        "code=='A",
        "code==\n",
        "code=='\0'",
        "code=x=A",
        "code==" + "A" * MAX_FILTER_LENGTH,
        "(" * (MAX_FILTER_DEPTH + 1),
        "code==A;" * (MAX_CONDITIONS + 1),
        "code=in=(" + "A," * (MAX_VALUES + 1),
        "oid==A",
        "active>true",
        "code==(A,B)",
        "code=isnull=A",
        "status==A",
        "quantity==A",
        "amount==A",
        "coefficient==A",
        "active==A",
        "changed==A",
        "changed==2026-02-30",
    ],
)
def test_every_error_has_words_in_the_language_of_the_page(filter: str, language: str) -> None:
    """REST has no language, so that its messages stay English."""
    english = set(_WORDS.findall(error_of(filter).message))
    with override(language):
        message = error_of(filter).message
    assert english
    assert not english & set(_WORDS.findall(message)), message
