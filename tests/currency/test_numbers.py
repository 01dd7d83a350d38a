"""Booleans, whole numbers and decimal text."""

import json

import pytest

from tests.factories import currency, read


def sent(alice, field, text):
    """The response to a currency in which the JSON `text` is the value of a field, digit by digit."""
    payload = currency(**{field: "@"}) if field != "coefficient" else currency(referenceCurrency={"coefficient": "@"})
    return alice.send("POST", alice.currency(), json.dumps(payload).replace('"@"', text))


@pytest.mark.contract("C10")
@pytest.mark.parametrize("text", ["true", "false", "null"])
def test_a_boolean_is_a_json_boolean_or_null(alice, text):
    """It comes back as it was sent."""
    assert read(sent(alice, "preferred", text))["preferred"] is json.loads(text)


@pytest.mark.contract("C10")
@pytest.mark.parametrize("text", ['"true"', "1", "0", '""', "[]", "{}", "1.0"])
def test_nothing_else_is_a_boolean(alice, text):
    """The message says what is expected, and shows what was sent."""
    response = sent(alice, "preferred", text)

    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert error["path"] == "preferred"
    without_quotes = ", without quotes" if text == '"true"' else ""
    assert error["message"] == f"preferred must be true or false{without_quotes}; got {text}."


@pytest.mark.contract("C10")
@pytest.mark.parametrize("number", [0, 2, 20])
def test_decimal_numbers_are_a_whole_number_from_0_to_20(alice, number):
    """It comes back as a JSON integer."""
    assert read(sent(alice, "decimalNumbers", str(number)))["decimalNumbers"] == number


@pytest.mark.contract("C10", "B3")
@pytest.mark.parametrize(
    "text", ["-1", "21", "2.0", "2e0", '"2"', "true", "null", "[]", "1" + "0" * 30, "-" + "9" * 300]
)
def test_nothing_else_is_the_number_of_decimals(alice, text):
    """Too small, too large, far too large, not an integer, not a number: 400 at the field."""
    response = sent(alice, "decimalNumbers", text)

    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert error["path"] == "decimalNumbers"
    assert "number from 0 to 20" in error["message"]


@pytest.mark.contract("C10", "B1")
@pytest.mark.parametrize(("text", "shown"), [("2e0", "2E+0"), ("2.0e1", "20E+0"), ("2E1", "2E+1"), ("2.0", "2.0")])
def test_a_whole_number_that_is_no_json_integer_is_shown_with_what_makes_it_none(alice, text, shown):
    """2 would be right; what was sent has an exponent."""
    [error] = sent(alice, "decimalNumbers", text).json()["errors"]
    assert error["message"] == f"decimalNumbers must be a whole number from 0 to 20; got {shown}."


@pytest.mark.contract("C10")
@pytest.mark.parametrize("field", ["percentageDifference", "coefficient"])
@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ('"0.0000"', "0.0000"),
        ('"0"', "0"),
        ('"-0.10"', "-0.10"),
        ('"007.50"', "007.50"),
        ('"999999999999999.9999999999"', "999999999999999.9999999999"),
        ("0.050", "0.050"),
        ("12", "12"),
        ("-3", "-3"),
        ("1.10E+2", "110"),
        ("5e-3", "0.005"),
        ("123456789012345.0123456789", "123456789012345.0123456789"),
    ],
)
def test_decimal_text_keeps_its_digits_and_a_number_becomes_text(alice, field, text, stored):
    """A JSON number is taken digit by digit; only its exponent is written out."""
    response = sent(alice, field, text)

    assert response.status_code == 201, response.content
    element = read(response)
    assert (element | element["referenceCurrency"])[field] == stored


@pytest.mark.contract("C10", "B3")
@pytest.mark.parametrize("field", ["percentageDifference", "coefficient"])
@pytest.mark.parametrize(
    "text",
    [
        *(
            '""',
            '"1,5"',
            '" 1"',
            '"1 "',
            '"+1"',
            '"1."',
            '".5"',
            '"1e3"',
            '"NaN"',
            '"٣"',
            '"1_000"',
            '"1\\n"',
            "{}",
            "[1]",
        ),
        *(
            '"1000000000000000"',
            '"0.00000000001"',
            "1e15",
            "1e-11",
            "1e400",
            "1e-400",
            "1" + "0" * 50,
            "0." + "1" * 300,
        ),
    ],
)
def test_nothing_else_is_decimal_text(alice, field, text):
    """More digits than fit, another notation, not a number: 400 at the field."""
    response = sent(alice, field, text)

    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert error["path"].endswith(field)
    assert "at most 15 digits before and 10 after the point" in error["message"]


@pytest.mark.contract("C10")
@pytest.mark.parametrize("truth", [True, False])
def test_a_coefficient_may_be_true_or_false(alice, truth):
    """Then it is returned as a boolean, alone and in lists."""
    created = read(
        alice.send("POST", alice.currency(), currency(referenceCurrency={"id": "USD", "coefficient": truth}))
    )
    [listed] = read(alice.get(alice.currency()))

    assert created["referenceCurrency"]["coefficient"] is truth
    assert listed == created


@pytest.mark.contract("C10")
@pytest.mark.parametrize("value", ["true", "null"])
def test_percentage_difference_is_neither_boolean_nor_null(alice, value):
    """It is required, and a number."""
    assert sent(alice, "percentageDifference", value).status_code == 400
