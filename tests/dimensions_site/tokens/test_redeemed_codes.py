"""The code that a program gets after consent: it works once, for a short time, and for that program."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant

from dimensions_site.tokens.oauth2.server import Validator
from tests.dimensions_site.tokens.clients import planning_tool, with_token
from tests.dimensions_site.tokens.consenting import answer_page, question, redeem, redirect_parameters, renewed
from tests.factories import Person

pytestmark = pytest.mark.contract("G1")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "changed",
    [
        {"code_verifier": "w" * 64},
        {"code_verifier": ""},
        {"code": "unknown"},
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": ""},
    ],
    ids=str,
)
def test_a_code_is_redeemed_by_whom_it_was_given_to(alices_browser: Client, changed: Any) -> None:
    client = planning_tool()
    code = redirect_parameters(answer_page(alices_browser, question(client)))["code"]
    answer = redeem(client, **{"code": code, **changed})
    assert answer.status_code == 400
    assert answer.json()["error"] in ("invalid_grant", "invalid_request")
    assert not AccessToken.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("end", ["redeemed", "expired", "another program", "user not active"])
def test_a_code_is_good_once_and_not_for_long(alices_browser: Client, alice: Person, end: str) -> None:
    client = planning_tool()
    code = redirect_parameters(answer_page(alices_browser, question(client)))["code"]
    if end == "redeemed":
        assert redeem(client, code).status_code == 200
    elif end == "expired":
        Grant.objects.update(expires=timezone.now())
    elif end == "another program":
        client = planning_tool(name="Other")
    else:
        User.objects.update(is_active=False)
    answer = redeem(client, code)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


@pytest.mark.django_db
def test_a_code_that_is_sent_again_ends_the_tokens_issued_for_it(alices_browser: Client, alice: Person) -> None:
    """Renewed ones, too, and no others: of two who have the code, one must not (RFC 6749, 4.1.2)."""
    client, other = planning_tool(), planning_tool(name="Other")
    first, second = (
        redirect_parameters(answer_page(alices_browser, question(client)))["code"] for _ in ("first", "second")
    )
    tokens, kept = redeem(client, first).json(), redeem(client, second).json()
    tokens = renewed(client, tokens["refresh_token"]).json()
    assert redeem(other, first).status_code == 400
    assert with_token(tokens["access_token"]).get(alice.account()).status_code == 200

    assert redeem(client, first).json()["error"] == "invalid_grant"

    assert with_token(tokens["access_token"]).get(alice.account()).status_code == 401
    assert renewed(client, tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert with_token(kept["access_token"]).get(alice.account()).status_code == 200
    assert renewed(client, kept["refresh_token"]).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_of_many_who_redeem_a_code_at_once_one_gets_a_token(alices_browser: Client) -> None:
    """And none gets a failure."""
    client = planning_tool()
    code = redirect_parameters(answer_page(alices_browser, question(client)))["code"]

    def use(_: int) -> Any:
        try:
            return redeem(client, code)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as people:
        answers = list(people.map(use, range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]


@pytest.mark.django_db
def test_a_code_that_is_redeemed_by_somebody_else_meanwhile_is_refused(
    alices_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library looks for it several times."""
    look = Validator.validate_code

    def look_and_lose(*given: Any) -> bool:
        found = look(*given)
        Grant.objects.all().delete()
        return found

    client = planning_tool()
    code = redirect_parameters(answer_page(alices_browser, question(client)))["code"]
    monkeypatch.setattr(Validator, "validate_code", look_and_lose)
    answer = redeem(client, code)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
