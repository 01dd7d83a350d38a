"""Other services look up what a token stands for, and programs revoke tokens (RFC 7662, RFC 7009)."""

import pytest
from django.core.exceptions import ValidationError

from tests.dimensions_site.tokens.clients import access_token, ask, planning_tool, service, with_token
from tests.factories import Person

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]


@pytest.mark.parametrize("asker", ["the program itself", "one that may ask"])
def test_a_program_learns_what_a_token_stands_for(alice: Person, ed: Person, asker: str) -> None:
    """Its own; and that of another program, with which it has been called, if an operator permits it."""
    warehouse = service(alice.user)
    other = service(ed.user, name="Other", may_introspect=True)
    asking = warehouse if asker == "the program itself" else other
    answer = ask("introspect", asking, token=access_token(warehouse, "write"))
    assert answer.status_code == 200
    description = answer.json()
    assert set(description) == {"active", "scope", "exp", "client_id", "username"}
    assert (description["active"], description["scope"], description["username"]) == (True, "write", "alice")
    assert description["client_id"] == warehouse[0].client_id


def test_nothing_is_revealed_about_a_token_of_another_program(alice: Person) -> None:
    """Not even that it exists, also when both act as the same user (RFC 7662, 2.2)."""
    token = access_token(service(alice.user))
    assert ask("introspect", service(alice.user, name="Other"), token=token).json() == {"active": False}


def test_a_program_without_a_secret_cannot_introspect() -> None:
    """Otherwise anybody could ask in its name."""
    with pytest.raises(ValidationError) as refused:
        planning_tool(client_type="public", may_introspect=True)
    assert refused.value.message_dict == {
        "may_introspect": ["Only a program that keeps a secret may ask about tokens of others."]
    }


@pytest.mark.parametrize("path", ["introspect", "revoke"])
def test_whoever_does_not_show_a_secret_learns_nothing(alice: Person, path: str) -> None:
    """No credentials, a wrong secret, a public program, and a token in place of a secret."""
    warehouse = service(alice.user)
    token = access_token(warehouse)
    public, _ = planning_tool(client_type="public")
    for refused in (
        ask(path, None, token=token),
        ask(path, (warehouse[0], "wrong"), token=token),
        with_token(token).post(
            f"/auth/oauth2/{path}", f"token={token}", content_type="application/x-www-form-urlencoded"
        ),
        *([ask(path, None, token=token, client_id=public.client_id)] if path == "introspect" else []),
    ):
        assert (refused.status_code, refused.json()["error"]) == (401, "invalid_client")
        assert "WWW-Authenticate" in refused


def test_a_token_is_given_back_by_whom_it_was_issued_to(alice: Person) -> None:
    """For others it stays valid, and they do not learn whether it exists."""
    warehouse = service(alice.user)
    token = access_token(warehouse)
    program = with_token(token)
    for client, status in ((service(alice.user, name="Other"), 200), (warehouse, 401), (warehouse, 401)):
        assert ask("revoke", client, token=token).status_code == 200
        assert program.get(program.currency("elements-count")).status_code == status
