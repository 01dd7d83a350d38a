"""How the values of a filter are converted, and what is said of those that do not fit."""

from datetime import UTC, datetime

import pytest
from django.db.models import F

from dimensions_site.rsql.compiler import compile_filter
from dimensions_site.rsql.errors import RsqlError
from dimensions_site.rsql.fields import Field, Kind
from dimensions_site.rsql.parser import parse
from dimensions_site.rsql.values import convert, convert_bound
from tests.rsql.sample.fields import SampleFields


def error_of(text: str) -> RsqlError:
    with pytest.raises(RsqlError) as caught:
        compile_filter(parse(text), SampleFields())
    return caught.value


@pytest.mark.contract("D4")
@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Kind.TEXT, " as it is ", " as it is "),
        (Kind.TEXT_MAP, "", ""),
        (Kind.INTEGER, "-2147483648", -(2**31)),
        (Kind.INTEGER, "2147483647", 2**31 - 1),
        (Kind.INTEGER, "007", 7),
        (Kind.BOOLEAN, "true", True),
        (Kind.BOOLEAN, "false", False),
        (Kind.TIMESTAMP, "2024-12-31T23:59:59.999+0000", datetime(2024, 12, 31, 23, 59, 59, 999000, UTC)),
    ],
)
def test_a_value_becomes_what_the_field_holds(kind: Kind, text: str, value: object) -> None:
    """Before any query, so that no database ever has to guess."""
    converted = convert(Field("field", kind, F("column")), text)

    assert converted == value
    assert type(converted) is type(value)


@pytest.mark.contract("D4", "C10")
@pytest.mark.parametrize(("one", "other"), [("0", "-0.000"), ("1", "01.0"), ("-1.5", "-001.5000000000")])
def test_decimals_that_are_the_same_number_are_the_same_value(one: str, other: str) -> None:
    """However many digits they are written with."""
    field = Field("amount", Kind.DECIMAL, F("amount"))

    assert convert(field, one) == convert(field, other)


@pytest.mark.contract("C7")
def test_an_enum_is_found_in_each_of_its_spellings() -> None:
    """The other spelling stands for the stored one, in conditions of equality."""
    field = SampleFields().resolve("status")

    assert convert(field, "ON_HOLD") == convert(field, "ON HOLD") == "ON HOLD"
    assert convert_bound(field, "ON_HOLD") == "ON_HOLD"


@pytest.mark.contract("C7")
def test_an_open_enum_takes_any_text() -> None:
    """Like `entityCtpFilter`, which holds names too."""
    assert convert(SampleFields().resolve("openStatus"), "E-100") == "E-100"


WHOLE_NUMBER = "a whole number from -2147483648 to 2147483647"
DECIMAL = "a decimal number with at most 15 digits before and 10 after the point, such as -12.50"
TIME = "a date such as 2024-12-31 or a time such as 2024-12-31T23:59:59.000+0000 (write + as %2B in a URL)"


@pytest.mark.contract("D4", "B1")
@pytest.mark.parametrize(
    ("field", "right", "values"),
    [
        ("quantity", WHOLE_NUMBER, ["1.5", "2147483648", "-2147483649", "", "٣", "1 ", "+1", "9" * 4000]),
        ("amount", DECIMAL, ["1e3", "1234567890123456", "0.12345678901", ".5", "5.", "+5", "NaN", "", "1,5", "true"]),
        ("coefficient", f"{DECIMAL} or true or false", ["yes", "TRUE", ""]),
        ("active", "true or false", ["True", "1", ""]),
        ("bundle.limits.strict", "true or false", ["no"]),
        ("status", "one of OPEN, CLOSED, ON HOLD", ["open", "", "OPEN "]),
        ("changed", TIME, ["yesterday", "2024-12-31T23:59:59.000 0000", "2024-02-30", "0000-01-01", ""]),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_its_field_and_what_would_be_right(
    field: str, right: str, values: list[str]
) -> None:
    """In plain words, and with the place of the condition."""
    for value in values:
        error = error_of(f"code==A;{field}=='{value}'")

        quoted = value if len(value) <= 60 else value[:60] + "…"
        assert error.message == f"The value '{quoted}' does not fit {field}: it must be {right}."
        assert (error.code, error.position) == ("INVALID_VALUE", 9)


@pytest.mark.contract("D4")
@pytest.mark.parametrize(
    ("text", "right"),
    [("coefficient>true", DECIMAL), ("changed<soon", TIME), ("code=isnull=yes", "true or false after =isnull=")],
)
def test_bounds_and_null_tests_refuse_what_does_not_fit_them(text: str, right: str) -> None:
    """A word equals itself, but bounds no number."""
    assert error_of(text).message.endswith(f": it must be {right}.")
