"""The limits of one filter."""

import pytest

from dimensions_site.rsql.parser import parse
from tests.dimensions_site.rsql.refusals import error_of
from tests.dimensions_site.rsql.sample.models import Sample


def of_length(length: int) -> str:
    return "code==" + "x" * (length - len("code=="))


def of_conditions(number: int) -> str:
    return ";".join(["code!=A"] * number)


def of_depth(depth: int) -> str:
    return "(" * depth + "code=in=(A)" + ")" * depth


def of_values(number: int, value: str = "A") -> str:
    return f"code=in=({','.join([value] * number)})"


@pytest.mark.contract("D4")
@pytest.mark.parametrize(
    "text", [of_length(4096), of_conditions(50), of_depth(20), of_values(100), of_values(100, "'A'")]
)
def test_a_filter_at_a_limit_is_read(text: str) -> None:
    """4,096 characters, 50 conditions, 20 parentheses deep, 100 values; a list does not count as a parenthesis."""
    parse(text)


@pytest.mark.contract("D4")
@pytest.mark.parametrize(
    ("text", "code", "position", "message"),
    [
        (of_length(4097), "TOO_LONG", 4097, "filter is 4,097 characters long; the limit is 4,096."),
        (
            of_conditions(51),
            "TOO_MANY",
            405,
            "filter has more than 50 conditions; the limit is reached at character 405.",
        ),
        (of_depth(21), "TOO_DEEP", 21, "filter nests parentheses more than 20 deep at character 21."),
        (
            of_values(101),
            "TOO_MANY",
            210,
            "filter has more than 100 values in one list; the limit is reached at character 210.",
        ),
        (
            of_values(101, "'A'"),
            "TOO_MANY",
            410,
            "filter has more than 100 values in one list; the limit is reached at character 410.",
        ),
    ],
)
def test_a_filter_above_a_limit_is_refused(text: str, code: str, position: int, message: str) -> None:
    """One more than allowed is one too many, and the message says of what."""
    error = error_of(text)

    assert (error.code, error.position, error.message) == (code, position, message)


@pytest.mark.contract("D4")
def test_limits_count_each_list_and_each_branch_for_itself() -> None:
    """Parentheses beside each other are not deep, and two lists of 100 are not one of 200."""
    parse(";".join([f"({of_values(100)})"] * 2 + ["(code==A)"] * 48))


@pytest.mark.contract("D4", "B3")
@pytest.mark.parametrize("deepest", ["first", "last"])
def test_the_deepest_filter_is_answered(codes_of, deepest: str) -> None:
    """And and or in turns, 20 parentheses deep: what the limits allow, the parser of SQLite has room for."""
    text = "names!=x"
    for _ in range(20):
        text = f"({text});names!=a,names!=b" if deepest == "first" else f"names!=a,names!=b;({text})"
    Sample.objects.create(code="A")

    assert codes_of(text) == ["A"]
