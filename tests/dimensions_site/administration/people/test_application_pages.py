"""Superusers create applications in the administration, and end their tokens."""

import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from oauth2_provider.models import AccessToken

from dimensions_site.tokens.models import Application, IssuedToken
from tests.dimensions_site.administration.site.people import messages_of, page
from tests.dimensions_site.tokens.clients import access_token, ask, service, status_of
from tests.factories import Person

pytestmark = [pytest.mark.contract("G1", "G2"), pytest.mark.django_db]


def form(**fields: Any) -> dict[str, Any]:
    given = {"name": "Data warehouse", "authorization_grant_type": "client-credentials", "client_type": "confidential"}
    return {**given, "user": "", "redirect_uris": "", **fields}


def secret_in(text: str) -> str:
    found = re.search(r"shown again: (?:<code[^>]*>)?(\w+)", text)
    assert found is not None, text
    return found[1]


def test_a_superuser_makes_an_application_and_reads_its_secret_once(root: Client, alice: Person) -> None:
    made = root.post(page(Application, "add"), form(user=alice.user.pk), follow=True)
    secret = secret_in(" ".join(messages_of(made)))
    application = Application.objects.get()
    assert ask("token", (application, secret), grant_type="client_credentials").status_code == 200
    shown = root.get(page(Application, "change", application.pk)).content.decode()
    assert application.client_id in shown
    assert secret not in shown
    assert application.client_secret not in shown


def test_an_error_is_reported_at_its_field(root: Client, alice: Person) -> None:
    """By the same rules as the command."""
    refused = root.post(page(Application, "add"), form())
    assert "user" in refused.context["adminform"].errors
    assert not Application.objects.exists()


def test_an_application_cannot_become_another_one(root: Client, alice: Person, ed: Person) -> None:
    """Whoever has its secret would keep access, with the rights of somebody else."""
    application, _ = service(alice.user)
    changed = form(name="Warehouse", user=ed.user.pk, client_type="public", client_id="mine", skip_authorization="on")
    assert root.post(page(Application, "change", application.pk), changed).status_code == 302
    now = Application.objects.get()
    assert now.name == "Warehouse"
    assert (now.user, now.client_type, now.client_id) == (alice.user, "confidential", application.client_id)
    assert not now.skip_authorization


def act(root: Client, model: Any, action: str, *rows: Any) -> Any:
    chosen = {"action": action, "_selected_action": [row.pk for row in rows]}
    return root.post(page(model), chosen, follow=True)


def test_a_new_secret_takes_the_place_of_the_old_one(root: Client, alice: Person) -> None:
    application, old = service(alice.user)
    new = secret_in(" ".join(messages_of(act(root, Application, "renew_secrets", application))))
    assert ask("token", (application, old), grant_type="client_credentials").status_code == 401
    assert ask("token", (application, new), grant_type="client_credentials").status_code == 200
    assert LogEntry.objects.filter(change_message="secret renewed").exists()


def test_all_tokens_of_an_application_are_revoked_at_once(root: Client, alice: Person) -> None:
    """Those of others stay."""
    warehouse, other = service(alice.user), service(alice.user, name="Other")
    tokens = [access_token(warehouse), access_token(warehouse), access_token(other)]
    assert "2 tokens are revoked" in " ".join(messages_of(act(root, Application, "revoke_tokens", warehouse[0])))
    assert [status_of(token) for token in tokens] == [401, 401, 200]


def test_single_tokens_are_listed_and_revoked_and_never_shown(root: Client, alice: Person) -> None:
    """Nobody can create one there, or read it."""
    token = access_token(service(alice.user), "write")
    listed = root.get(page(IssuedToken)).content.decode()
    row = IssuedToken.objects.get()
    assert "Data warehouse" in listed
    assert token not in listed
    shown = root.get(page(IssuedToken, "change", row.pk)).content.decode()
    assert row.token_checksum not in shown
    assert root.post(page(IssuedToken, "add"), {}).status_code == 403
    act(root, IssuedToken, "revoke", row)
    assert status_of(token) == 401
    assert not AccessToken.objects.exists()


def test_an_application_is_deleted_with_all_that_it_holds(root: Client, alice: Person) -> None:
    application = service(alice.user)
    token = access_token(application)
    address = page(Application, "delete", application[0].pk)
    asked = root.get(address).content.decode()
    assert "Data warehouse" in asked
    assert "AccessToken" not in asked
    assert root.post(address, {"post": "yes"}).status_code == 302
    assert status_of(token) == 401


def test_the_pages_of_the_libraries_are_not_there(root: Client) -> None:
    """On these, tokens and codes could be read or created."""
    for model in ("accesstoken", "refreshtoken", "grant", "idtoken", "application", "devicegrant"):
        assert root.get(f"/admin/oauth2_provider/{model}/").status_code == 404
    assert root.get("/admin/tokens/usedtoken/").status_code == 404
