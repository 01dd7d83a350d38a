"""How the values of a filter are converted, and the errors of invalid ones."""

from datetime import UTC, datetime

import pytest
from django.db.models import F

from dimensions_site.rsql.fields import Field, ValueKind
from tests.dimensions_site.rsql.refusals import error_of
from tests.dimensions_site.rsql.sample.fields import SampleFields


@pytest.mark.contract("D4")
@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (ValueKind.TEXT, " as it is ", " as it is "),
        (ValueKind.TEXT_MAP, "", ""),
        (ValueKind.INTEGER, "-2147483648", -(2**31)),
        (ValueKind.INTEGER, "2147483647", 2**31 - 1),
        (ValueKind.INTEGER, "007", 7),
        (ValueKind.BOOLEAN, "true", True),
        (ValueKind.BOOLEAN, "false", False),
        (ValueKind.TIMESTAMP, "2024-12-31T23:59:59.999+0000", datetime(2024, 12, 31, 23, 59, 59, 999000, UTC)),
    ],
)
def test_a_value_becomes_what_the_field_holds(kind: ValueKind, text: str, value: object) -> None:
    """Before any query, so that no database ever has to guess."""
    converted = Field.read(Field("field", kind, F("column")), text)

    assert converted == value
    assert type(converted) is type(value)


@pytest.mark.contract("D4", "C10")
@pytest.mark.parametrize(("one", "other"), [("0", "-0.000"), ("1", "01.0"), ("-1.5", "-001.5000000000")])
def test_decimals_that_are_the_same_number_are_the_same_value(one: str, other: str) -> None:
    """However many digits they are written with."""
    field = Field("amount", ValueKind.DECIMAL, F("amount"))

    assert Field.read(field, one) == Field.read(field, other)


@pytest.mark.contract("C7")
def test_an_enum_is_found_in_each_of_its_spellings() -> None:
    """The other spelling stands for the stored one, in conditions of equality."""
    field = SampleFields().resolve("status")

    assert Field.read(field, "ON_HOLD") == Field.read(field, "ON HOLD") == "ON HOLD"
    assert Field.read_bound(field, "ON_HOLD") == "ON_HOLD"


@pytest.mark.contract("C7")
def test_an_open_enum_takes_any_text() -> None:
    """Like `entityCtpFilter`, which holds names too."""
    assert Field.read(SampleFields().resolve("openStatus"), "E-100") == "E-100"


WHOLE_NUMBER = "a whole number from -2147483648 to 2147483647"
DECIMAL = "a decimal number with at most 15 digits before and 10 after the point, such as -12.50"
TIME = "a date or time such as 2024-12-31 or 2024-12-31T23:59:59.000+0000 (write + as %2B in a URL)"


@pytest.mark.contract("D4", "B1")
@pytest.mark.parametrize(
    ("field", "right", "values"),
    [
        ("quantity", WHOLE_NUMBER, ["1.5", "2147483648", "-2147483649", "", "٣", "1 ", "+1", "9" * 4000]),
        ("amount", DECIMAL, ["1e3", "1234567890123456", "0.12345678901", ".5", "5.", "+5", "NaN", "", "1,5", "true"]),
        ("coefficient", f"{DECIMAL}, or true or false", ["yes", "TRUE", ""]),
        ("active", "true or false", ["True", "1", ""]),
        ("bundle.limits.strict", "true or false", ["no"]),
        ("status", "one of OPEN, CLOSED, ON HOLD", ["ON", "", "SHUT"]),
        ("changed", TIME, ["yesterday", "2024-12-31T23:59:59.000 0000", ""]),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_its_field_and_what_would_be_right(
    field: str, right: str, values: list[str]
) -> None:
    """In plain English, and with the place of the condition."""
    for value in values:
        error = error_of(f"code==A;{field}=='{value}'")

        quoted = value if len(value) <= 60 else value[:60] + "…"
        assert error.message == f'{field} must be {right}; got "{quoted}".'
        assert (error.code, error.position) == ("INVALID_VALUE", 9)


@pytest.mark.contract("D4", "B1")
def test_a_value_of_an_enum_in_other_letters_is_refused_with_the_nearest() -> None:
    """Nobody need compare the list letter by letter."""
    expected = "status must be one of OPEN, CLOSED, ON HOLD; got"

    assert error_of("status==open").message == f'{expected} "open". Did you mean OPEN?'
    assert error_of("status==CLOSE").message == f'{expected} "CLOSE". Did you mean CLOSED?'
    assert error_of("status==GREEN").message == f'{expected} "GREEN".'


@pytest.mark.contract("C11", "D4")
@pytest.mark.parametrize("value", ["2024-02-30", "0000-01-01", "2024-12-31T10:60Z", "0001-01-01T00:00:00+01:00"])
def test_a_date_that_the_calendar_does_not_have_is_named(value: str) -> None:
    """Its form is right, so the message does not ask for another one."""
    assert error_of(f"changed=='{value}'").message == f"changed: {value} does not exist."


@pytest.mark.contract("D4")
@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("coefficient>true", f'coefficient must be {DECIMAL}; got "true".'),
        ("changed<soon", f'changed must be {TIME}; got "soon".'),
        ("code=isnull=yes", 'code=isnull= must be followed by true or false; got "yes".'),
    ],
)
def test_bounds_and_null_tests_refuse_what_does_not_fit_them(text: str, right: str) -> None:
    """A word equals itself, but bounds no number."""
    assert error_of(text).message == right
