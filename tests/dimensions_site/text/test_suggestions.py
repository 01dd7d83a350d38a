"""Unknown names are refused with the nearest known one, wherever they are sent; that costs next to nothing."""

import pytest

from dimensions_site.text.suggestions import MAX_SEARCHES, allow_searches, close_names
from tests.factories import account

KNOWN = ("nature", "type", "BALANCE_SHEET", "NORMAL", "id")


@pytest.fixture(autouse=True)
def _fresh():
    """As at the beginning of a request."""
    allow_searches()


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("natur", ["nature"]),
        ("Nature", ["nature"]),
        ("tpye", ["type"]),
        ("balance sheet", ["BALANCE_SHEET"]),
        ("BALANCE-SHEET", ["BALANCE_SHEET"]),
        ("normal", ["NORMAL"]),
        ("colour", []),
        ("oid", []),
        ("", []),
        ("x" * 100, []),
        ("n" + "a" * 1_000_000, []),
    ],
)
def test_only_a_name_that_is_close_is_suggested(name, nearest):
    """Other letters, hyphens and blanks first; then what looks alike."""
    assert close_names(name, KNOWN) == nearest


def test_a_request_compares_so_many_names_and_no_more():
    """Names that differ only in case are still found, and the next request starts to count again."""
    for number in range(MAX_SEARCHES):
        close_names(f"unknown{number}", KNOWN)

    assert close_names("natuer", KNOWN) == []
    assert close_names("NATURE", KNOWN) == ["nature"]
    allow_searches()
    assert close_names("natuer", KNOWN) == ["nature"]


@pytest.mark.contract("C5", "B1")
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"natur": 1}, "Unknown field 'natur'. Did you mean 'nature'?"),
        ({"Nature": 1}, "Unknown field 'Nature'. Did you mean 'nature'?"),
        ({"colour": 1}, "Unknown field 'colour'. /docs has the list of all fields."),
        ({"description": "x"}, "Unknown field 'description'. Use descriptions, such as {\"en\": …}."),
        ({"conversionType": 1}, "Unknown field 'conversionType'. It belongs in 'conversion'."),
        ({"conversionTyp": 1}, "Unknown field 'conversionTyp'. Did you mean 'conversion.conversionType'?"),
        ({"startDate": 1}, "Unknown field 'startDate'. It belongs in 'dataEntryAndReporting.validity'."),
        ({"debit": 1}, "Unknown field 'debit'. It belongs in objects such as 'cashFlowPlanning.variation'."),
        (
            {"cashFlowPlanning": {"credit": 1}},
            "Unknown field 'cashFlowPlanning.credit'. It belongs in objects such as 'cashFlowPlanning.variation'.",
        ),
        (
            {"conversion.startDate": 1},
            "Unknown field 'conversion.startDate'. It belongs in 'dataEntryAndReporting.validity'.",
        ),
        ({"descriptions.en": 1}, "Unknown field 'descriptions.en'. Did you mean 'descriptions'?"),
        (
            {"conversion.conversionType": 1},
            """Unknown field 'conversion.conversionType'. Did you mean {"conversion": {"conversionType": …}}?""",
        ),
        (
            {"rules": {"accrual.debitAccrual": 1}},
            """Unknown field 'rules.accrual.debitAccrual'. Did you mean {"accrual": {"debitAccrual": …}}?""",
        ),
        ({"rules.accrual": 1}, 'Unknown field \'rules.accrual\'. Did you mean {"rules": {"accrual": …}}?'),
        (
            {"debitAccrual.Accrual": 1},
            """Unknown field 'debitAccrual.Accrual'. Did you mean {"debitAccrual": {"Accrual": …}}?""",
        ),
        (
            {"rules.consolidaton.useAccountForSetup": 1},
            (
                """Unknown field 'rules.consolidaton.useAccountForSetup'. Did you mean """
                """{"rules": {"consolidaton": {"useAccountForSetup": …}}}?"""
            ),
        ),
        (
            {"rules": {"accrual.debit": 1}},
            """Unknown field 'rules.accrual.debit'. Did you mean {"accrual": {"debit": …}}?""",
        ),
        ({"colour.accrual": 1}, "Unknown field 'colour.accrual'. It belongs in 'rules'."),
        ({"rules": {"nature": 1}}, "Unknown field 'rules.nature'. It belongs at the top level."),
        ({"rules": {"acrual": 1}}, "Unknown field 'rules.acrual'. Did you mean 'rules.accrual'?"),
        (
            {"debitAccrual": {"accrual": 1}},
            "Unknown field 'debitAccrual.accrual'. Did you mean 'debitAccrual.Accrual'?",
        ),
    ],
)
def test_an_unknown_member_is_refused_with_the_one_that_is_meant(alice, fields, expected):
    """Or with the place where it belongs; alone, in a bulk save, and in a patch."""
    payload = account(**fields)

    alone = alice.send("POST", alice.account(), payload)
    many = alice.send("POST", alice.account("elements-bulk"), {"put": [payload]})
    alice.send("POST", alice.account(), account())
    patched = alice.send("PATCH", alice.account("elements/1000"), fields)

    for response in (alone, many, patched):
        [error] = response.json()["errors"]
        assert (error["code"], error["message"]) == ("UNKNOWN_MEMBER", expected)


@pytest.mark.contract("C5", "A7", "B1", "D3", "D5", "D8")
@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("elements?fliter=id==1", "Unknown query parameter 'fliter'. Did you mean 'filter'?"),
        ("elements?page=1", "Unknown query parameter 'page'. This call takes asOf, filter, skip, sort, take, unused."),
        ("elements/1000?dryRun=true", "Unknown query parameter 'dryRun'. This call takes no query parameters."),
        ("elements?filter=natur==x", "Unknown field 'natur'. Did you mean 'nature'?"),
        (
            "elements?filter=conversionTyp==x",
            "Unknown field 'conversionTyp'. Did you mean 'conversion.conversionType'?",
        ),
        ("elements?filter=description.de==x", "Unknown field 'description.de'. Did you mean 'descriptions.de'?"),
        ("elements?filter=updateInfo.foo==x", "Unknown field 'updateInfo.foo'."),
        ("elements?filter=updateInfo.usr==x", "Unknown field 'updateInfo.usr'. Did you mean 'updateInfo.user'?"),
        (
            "elements?filter=conversion.startDate==x",
            "Unknown field 'conversion.startDate'. Did you mean 'dataEntryAndReporting.validity.startDate'?",
        ),
        ("elements?sort=-Type", "Unknown field 'Type'. Did you mean 'type'?"),
        ("elements?sort=colour", "Unknown field 'colour'."),
        ("elements?sort=id:DESC", "Unknown field 'id:DESC'. /docs has the list of all fields. Write field, -field,"),
        ("elements?sort=id%20desc", "Unknown field 'id desc'. /docs has the list of all fields. Write field, -field,"),
        ("elements-fetch?properties=id,", "properties has an empty name between its commas."),
        ("elements-fetch", "properties is missing; write for example properties=id,description."),
        ("elements-fetch?properties=tpye", "Unknown field 'tpye'. Did you mean 'type'?"),
        (
            "elements?filter=type==normal",
            'type must be one of NORMAL, DETAIL, VARIATION; got "normal". Did you mean NOR',
        ),
    ],
)
def test_an_unknown_name_in_a_query_is_refused_with_the_nearest(alice, address, expected):
    """Parameters, fields of filters and sort orders, properties and values."""
    response = alice.get(alice.account(address))

    assert response.status_code == 400
    assert response.json()["detail"].startswith(expected)


@pytest.mark.contract("C5", "B1")
def test_a_patch_like_a_put_in_a_bulk_body_is_refused_with_where_its_fields_stand(alice):
    """The most common error in bulk patches."""
    response = alice.send("POST", alice.account("elements-bulk"), {"patch": [{"id": "1000", "type": "DETAIL"}]})

    messages = {error["path"]: error["message"] for error in response.json()["errors"]}
    assert messages["/patch/0/id"] == "Unknown field 'id'. It belongs in 'key'."
    assert messages["/patch/0/type"] == (
        "Unknown field 'type'. The entry takes key and data; the fields to change stand in data."
    )


@pytest.mark.contract("C5")
def test_bulk_entries_name_the_member_that_is_meant(alice):
    """Those around the elements, too."""
    bodies = {
        "Unknown field 'pots'. Did you mean 'post'?": {"put": [], "pots": []},
        "Unknown field 'id'. It belongs in 'key'.": {"patch": [{"id": "1", "key": {"id": "1"}, "data": {}}]},
        "Unknown field 'key.ID'. Did you mean 'key.id'?": {"patch": [{"key": {"id": "1", "ID": "1"}, "data": {}}]},
    }
    for expected, body in bodies.items():
        first, *_ = alice.send("POST", alice.account("elements-bulk"), body).json()["errors"]
        assert first["message"].startswith(expected)
