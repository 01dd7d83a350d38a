"""What integrators try first, and how the answer helps them on."""

from typing import Any

import pytest
from django.test import Client

from tests.bulkops.save.bulk import refused
from tests.factories import Person, account

pytestmark = pytest.mark.contract("B1")


@pytest.mark.parametrize(
    ("query", "advice"),
    [
        ({"filter": "id=EUR"}, "Write '==' for 'equal'."),
        ({"filter": "id='x'"}, "Write '==' for 'equal'."),
        ({"filter": "id = x"}, "Write '==' for 'equal'."),
        ({"filter": "id===x"}, "Write '==' for 'equal'."),
        ({"filter": "id<>x"}, "Write '!=' for 'not equal'."),
        ({"filter": "id==x|id==y"}, "Write ';' for 'and', ',' for 'or'."),
        ({"filter": "id==x||id==y"}, "Write ';' for 'and', ',' for 'or'."),
        ({"filter": "id=='x' || id=='y'"}, "Write ';' for 'and', ',' for 'or'."),
        ({"filter": "id==x && id==y"}, "Write ';' for 'and', ',' for 'or'."),
        ({"filter": "id==x & id==y"}, "Write ';' for 'and', ',' for 'or'."),
        ({"properties": "id;nature"}, "Separate names by commas."),
        ({"properties": "id nature"}, "Separate names by commas."),
        ({"properties": "conversion.type"}, "Did you mean 'conversion.conversionType'?"),
        ({"properties": "*"}, "For all fields, use elements."),
        ({"properties": "Bezeichnung"}, "/docs has the list of all fields."),
        ({"properties": "id", "filter": "Bezeichnung==x"}, "/docs has the list of all fields."),
        ({"properties": "id", "asOf": "yesterday"}, "asOf must be an instant such as 2026-03-31T22:00:00Z, or a Sync"),
        ({"properties": "id", "take": "-1"}, 'take must be a whole number, 0 or more; got "-1".'),
    ],
)
def test_a_query_in_other_words_is_answered_with_the_right_ones(alice: Person, query: dict[str, str], advice: str):
    """Of another filter language, or with a guess."""
    report = refused(alice.get(alice.account("elements-fetch"), {"properties": "id", **query}))
    assert advice in report["detail"]
    assert report["code"] != "INVALID_TOKEN"


@pytest.mark.contract("D1")
@pytest.mark.parametrize("filter", ["id==R&D 5", "==A", "(=x", "id==a;=x", "id=x=y"])
def test_another_error_has_none_of_this_advice(alice: Person, filter: str):
    detail = refused(alice.get(alice.account(), {"filter": filter}))["detail"]
    assert "Write " not in detail, detail


@pytest.mark.parametrize(
    ("fields", "path", "advice"),
    [
        ({"consolidation": {"rules": {"useAccountForSetup": False}}}, None, 'It is a text: write "FALSE".'),
        ({"foo": 1}, "foo", "/docs has the list of all fields."),
        ({"customAttributes": {"": "x"}}, 'customAttributes.""', "is not a name of 1 to 128 characters"),
    ],
)
def test_an_element_in_other_words(alice: Person, fields: Any, path: str | None, advice: str):
    report = refused(alice.send("POST", alice.account(), account(**fields)))
    assert advice in report["detail"]
    assert path in (None, report["errors"][0]["path"])


def test_elements_are_deleted_elsewhere(alice: Person):
    """Everybody tries `DELETE` first, and then `delete` in a bulk save."""
    response = alice.delete(alice.account("elements/F1"))
    assert response.status_code == 405
    assert response.json()["detail"].endswith("Elements are deleted by POST elements-bulk-delete-async.")
    report = refused(alice.send("POST", alice.account("elements-bulk"), {"delete": [{"id": "1"}]}))
    assert "To delete elements, use elements-bulk-delete-async or elements-plans." in report["errors"][0]["message"]
    assert "To delete" not in alice.patch(alice.account("elements-bulk")).json()["detail"]


@pytest.mark.contract("K3")
def test_a_parameter_of_tables_is_said_otherwise_in_json(alice: Person):
    for name, own in (("mode=put", "has post, put or merge instead"), ("saveMode=STRICT", "has saveMode instead")):
        report = refused(alice.send("POST", alice.account(f"elements-bulk?{name}"), {"put": []}))
        assert own in report["detail"]


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("/dimensions/v1/northwind/account/element/F1", "/dimensions/v1/northwind/account/elements/F1"),
        ("/dimensions/v1/northwind/account/Elements", "/dimensions/v1/northwind/account/elements"),
        ("/dimensions/v1/northwind/account/elements-list", "/dimensions/v1/northwind/account/elements"),
        ("/dimensions/v1/northwind/acount/elements", "/dimensions/v1/northwind/account/elements"),
        ("/dimensions/v1/r/account/elements-plans/x/change", "/dimensions/v1/r/account/elements-plans/x/"),
        ("/openapi/accounts.json", "/openapi/account.json"),
        ("/dimensions/v1/northwind/account/" + "x" * 5_000, None),
        ("/dimensions/v1/" + "x" * 5_000 + "/account/element", "/dimensions/v1/xxx"),
    ],
)
def test_a_wrong_path_is_answered_with_the_nearest(client: Client, path: str, near: str | None):
    """As a wrong name of a field."""
    response = client.get(path)
    detail = response.json()["detail"]
    assert response.status_code == 404
    assert (f"Did you mean '{near}" in detail or f" or '{near}" in detail) if near else "Did you mean" not in detail
    assert len(detail) < 1_000


@pytest.mark.parametrize(("name", "needed"), [("token", "grant_type"), ("introspect", "token"), ("revoke", "token")])
def test_an_endpoint_of_tokens_without_a_body_names_what_is_missing(client: Client, db: None, name: str, needed: str):
    response = client.generic("POST", f"/auth/oauth2/{name}")
    assert (response.status_code, response.json()["error"]) == (400, "invalid_request")
    assert response.json()["error_description"].startswith(f"{needed} is missing")
