"""What errors say: the full path, what was sent, and what is expected."""

import pytest

from tests.factories import account, currency

NATURES = "BALANCE_SHEET, PROFIT_AND_LOSS, GUARANTIES_AND_COMMITMENTS, OTHER_VARIATIONS, OTHER_STOCKS"


def message(person, address, payload):
    """The message of the only error for the refused element."""
    response = person.send("POST", address, payload)
    assert response.status_code == 400, response.content
    [error] = response.json()["errors"]
    return error["message"]


@pytest.mark.contract("B1")
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"id": 5}, "id must be a string, not the number 5."),
        ({"id": None}, "id must be text of 1 to 128 characters, not null."),
        ({"id": ""}, "id must not be empty."),
        ({"ctpElement": {"id": "1"}}, "Unknown field 'ctpElement'. Did you mean 'CtpElement'?"),
        ({"debitAccrual": {"id": "1"}}, "Unknown field 'debitAccrual.id'. It belongs in 'rules.accrual.debitAccrual'."),
        (
            {"bankingData": {"icIitemOld": {"id": "1"}}},
            "Unknown field 'bankingData.icIitemOld'. It belongs in 'consolidation.bankingData'.",
        ),
        (
            {"CtpElement": {"id": "1"}, "restrictions": {"ctpRestriction": {"id": "2"}}},
            (
                'CtpElement ({"id": "1"}) and restrictions.ctpRestriction ({"id": "2"}) are two spellings of one field '
                "and must have the same value; send only one of them."
            ),
        ),
        ({"id": ".."}, "id must not be '.' or '..'."),
        ({"id": " 1"}, 'id must not begin or end with white space; got " 1".'),
        ({"id": "a\tb"}, 'id must not contain the control character U+0009; got "a\\tb".'),
        ({"id": "x" * 129}, "id is 129 characters long; the limit is 128."),
        (
            {"descriptions": {}},
            'descriptions must have a text in at least one language, such as {"en": "Cash"}; got {}.',
        ),
        ({"descriptions": 5}, 'descriptions must be an object such as {"en": "Cash"}, not the number 5.'),
        ({"descriptions": {"en": 5}}, "descriptions.en must be a string or null, not the number 5."),
        ({"descriptions": {"en": "x" * 1_001}}, "descriptions.en is 1,001 characters long; the limit is 1,000."),
        ({"descriptions": {"German": "x"}}, "descriptions: 'German' is not a language tag such as de."),
        ({"customAttributes": {"": "x"}}, "customAttributes: '' is not a name of 1 to 128 characters."),
        ({"customAttributes": ["x"]}, 'customAttributes must be an object such as {"Owner": "Anna"}, not an array.'),
        ({"documentationLink": "x" * 2_001}, "documentationLink is 2,001 characters long; the limit is 2,000."),
        ({"type": "normal"}, 'type must be one of NORMAL, DETAIL, VARIATION; got "normal". Did you mean NORMAL?'),
        ({"type": "DETAILS"}, 'type must be one of NORMAL, DETAIL, VARIATION; got "DETAILS". Did you mean DETAIL?'),
        ({"type": "BUDGET"}, 'type must be one of NORMAL, DETAIL, VARIATION; got "BUDGET".'),
        ({"type": 5}, "type must be one of NORMAL, DETAIL, VARIATION; got 5."),
        ({"nature": "Balance sheet"}, f'nature must be one of {NATURES}; got "Balance sheet". Did you mean BALANCE_S'),
        (
            {"rules": {"accrual": {"debitAccrual": {"id": 5}}}},
            "rules.accrual.debitAccrual.id must be a string, not the number 5.",
        ),
        ({"rules": {"accrual": {"debit": {"id": True}}}}, "rules.accrual.debitAccrual.id must be a string, not true."),
        (
            {"cashFlowPlanning": {"variation": {"debit": "1000"}}},
            'cashFlowPlanning.variation.debit must be an object, not the string "1000".',
        ),
        (
            {"monthlySplittingRules": {"reference": {"entityCtpFilter": "x" * 129}}},
            "monthlySplittingRules.reference.entityCtpFilter is 129 characters long; the limit is 128.",
        ),
        (
            {"dataEntryAndReporting": {"icManagement": "TRUE"}},
            'dataEntryAndReporting.icManagement must be true or false, without quotes; got "TRUE".',
        ),
        (
            {"dataEntryAndReporting": {"validity": {"startDate": "2026-02-30"}}},
            "dataEntryAndReporting.validity.startDate: 2026-02-30 does not exist.",
        ),
        (
            {"dataEntryAndReporting": {"validity": {"startDate": "2026-03-01", "endDate": "2026-02-01T10:00"}}},
            (
                "dataEntryAndReporting.validity.endDate (2026-02-01 10:00:00) must not be before "
                "dataEntryAndReporting.validity.startDate (2026-03-01)."
            ),
        ),
    ],
)
def test_an_error_of_an_account_names_the_path_the_value_and_what_would_be_right(alice, fields, expected):
    """Nobody needs the documentation to correct it."""
    assert message(alice, alice.account(), account(**fields)).startswith(expected)


@pytest.mark.contract("B1", "C10")
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"decimalNumbers": "2"}, 'decimalNumbers must be a JSON number from 0 to 20, without quotes; got "2".'),
        ({"decimalNumbers": 21}, "decimalNumbers must be a whole number from 0 to 20; got 21."),
        ({"decimalNumbers": "two"}, 'decimalNumbers must be a whole number from 0 to 20; got "two".'),
        ({"decimalNumbers": None}, "decimalNumbers must be a whole number from 0 to 20, not null."),
        (
            {"percentageDifference": "5%"},
            (
                "percentageDifference must be a decimal number with at most 15 digits before and 10 after the point, "
                'such as "12.50"; got "5%".'
            ),
        ),
        (
            {"referenceCurrency": {"coefficient": "yes"}},
            (
                "referenceCurrency.coefficient must be a decimal number with at most 15 digits before and 10 after the "
                'point, such as "12.50", or true or false; got "yes".'
            ),
        ),
        ({"oid": ""}, "oid must not be empty."),
        ({"description": 5}, "description must be a string, not the number 5."),
        (
            {"description": "Dollar", "descriptions": {"en": "Euro"}},
            (
                'description ("Dollar") means descriptions.en ("Euro") and must have the same value; send only one of '
                "them."
            ),
        ),
    ],
)
def test_an_error_of_a_currency_names_the_path_the_value_and_what_would_be_right(alice, fields, expected):
    """The same, for numbers."""
    assert message(alice, alice.currency(), currency(**fields)) == expected


@pytest.mark.contract("B1")
def test_a_missing_field_is_named_with_what_it_must_be(alice):
    """By its full path."""
    payload = {name: value for name, value in account().items() if name != "conversion"}

    assert message(alice, alice.account(), payload).startswith(
        "conversion.conversionType is missing; it must be one of PROFIT_AND_LOSS, AVERAGE, "
    )


@pytest.mark.contract("C16")
@pytest.mark.parametrize(
    ("id", "tag", "status", "detail"),
    [
        ("1000", '"x"', 412, "The element has changed since you read it (If-Match). Read it again and retry."),
        ("1000", "abc", 400, 'If-Match must be * or entity tags in double quotes, as in the header ETag; got "abc".'),
        ("2000", "*", 412, "The element that If-Match names does not exist. To create it, send no If-Match."),
    ],
)
def test_a_condition_that_does_not_hold_is_refused_with_what_to_do(alice, id, tag, status, detail):
    """It claims no more than that."""
    alice.send("POST", alice.account(), account())
    response = alice.send("PUT", alice.account(f"elements/{id}"), account(id), If_Match=tag)
    assert (response.status_code, response.json()["detail"]) == (status, detail)


@pytest.mark.contract("D4", "D5", "B1")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("filter=decimalNumbers==two", 'decimalNumbers must be a whole number from 0 to 20; got "two".'),
        (
            "filter=decimalNumbers==99999999999",
            'decimalNumbers must be a whole number from 0 to 20; got "99999999999".',
        ),
        ("filter=preferred==yes", 'preferred must be true or false; got "yes".'),
        ("filter=updateInfo.date=gt=2026-02-30", "updateInfo.date: 2026-02-30 does not exist."),
        ("filter=referenceCurrency==EUR", "'referenceCurrency' is a group; name one of its fields, such as referenceC"),
        ("filter=descriptions.German==x", "descriptions: 'German' is not a language tag such as de."),
        ("sort=", "sort is empty; write for example sort=-id."),
        ("sort=descriptions", "sort must not name descriptions, which has many texts; name one of them, such as descr"),
        ("take=-1", 'take must be a whole number, 0 or more; got "-1".'),
        ("take=%EF%BC%91", 'take must be a whole number, 0 or more; got "１".'),
        (f"take={2**63}", f'take must be at most 9,223,372,036,854,775,807; got "{2**63}".'),
        ("take=1&take=2", "take must appear only once; it appears 2 times."),
    ],
)
def test_an_error_of_a_query_names_the_parameter_or_field_and_what_would_be_right(alice, query, expected):
    """In the same words as errors of bodies."""
    response = alice.get(alice.currency(f"elements?{query}"))

    assert response.status_code == 400
    assert response.json()["detail"].startswith(expected)
