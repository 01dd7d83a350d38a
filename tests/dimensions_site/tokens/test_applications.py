"""Which applications are valid: with the library's own command, and however else one is saved."""

import re
from io import StringIO
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command

from dimensions_site.tokens.models import Application
from tests.dimensions_site.tokens.clients import ask
from tests.factories import Person

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]


def create(*arguments: str) -> str:
    """What `manage.py createapplication` prints."""
    printed = StringIO()
    call_command("createapplication", *arguments, stdout=printed, no_color=True)
    return printed.getvalue()


def test_the_command_makes_a_program_that_acts_as_a_user(alice: Person) -> None:
    """The secret is printed once; only its hash is stored."""
    names = ["--name", "Data warehouse", "--client-id", "warehouse", "--user", str(alice.user.pk)]
    printed = create("confidential", "client-credentials", *names)
    found = re.search(r"client_secret: (\S+)", printed)
    assert found is not None, printed
    application = Application.objects.get()
    assert application.client_secret != found[1]
    assert ask("token", (application, found[1]), grant_type="client_credentials").status_code == 200


def test_the_command_makes_a_program_for_whoever_signs_in() -> None:
    redirects = ["--redirect-uris", "https://planning.example/callback http://127.0.0.1:8000/"]
    assert "created" in create("public", "authorization-code", "--name", "Planning", *redirects)
    assert Application.objects.get().user is None


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (["confidential", "client-credentials"], "user"),
        (["confidential", "client-credentials", "--user", "999999"], "user"),
        (["confidential", "client-credentials", "--user", "alice"], "user"),
        (["public", "client-credentials", "--user", "ALICE"], "client_type"),
        (
            ["confidential", "client-credentials", "--user", "ALICE", "--redirect-uris", "https://x.example/"],
            "redirect_uris",
        ),
        (["confidential", "client-credentials", "--user", "ALICE", "--no-hash-client-secret"], "hash_client_secret"),
        (["confidential", "authorization-code"], "redirect_uris"),
        (["confidential", "authorization-code", "--user", "ALICE", "--redirect-uris", "https://x.example/"], "user"),
        (["confidential", "authorization-code", "--redirect-uris", "http://x.example/"], "redirect_uris"),
        (["confidential", "authorization-code", "--redirect-uris", "http://127.0.0.1.x.example/"], "redirect_uris"),
        (["confidential", "authorization-code", "--redirect-uris", "HTTP://x.example/"], "redirect_uris"),
        (["confidential", "authorization-code", "--redirect-uris", "http://[::1"], "redirect_uris"),
        (["confidential", "authorization-code", "--redirect-uris", "http://"], "redirect_uris"),
        (["confidential", "authorization-code", "--redirect-uris", "myapp:/callback"], "redirect_uris"),
        (["confidential", "authorization-code", "--redirect-uris", "https://*.example.com/"], "redirect_uris"),
        (["confidential", "authorization-code", "--redirect-uris", "https://x.example/#x"], "redirect_uris"),
        (["confidential", "authorization-code", "--redirect-uris", "javascript:alert(1)"], "redirect_uris"),
        (
            ["confidential", "authorization-code", "--redirect-uris", "https://x.example/", "--skip-authorization"],
            "skip_authorization",
        ),
        (["confidential", "password"], "authorization_grant_type"),
        (["public", "implicit", "--redirect-uris", "https://x.example/"], "authorization_grant_type"),
        (["public", "openid-hybrid", "--redirect-uris", "https://x.example/"], "authorization_grant_type"),
        (["public", "urn:ietf:params:oauth:grant-type:device_code"], "authorization_grant_type"),
        (["secret", "client-credentials", "--user", "ALICE"], "client_type"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else given,
)
def test_what_cannot_be_meant_or_is_not_safe_is_not_made(alice: Person, arguments: list[str], field: str) -> None:
    """The command names the field; nothing is stored."""
    given = [str(alice.user.pk) if argument == "ALICE" else argument for argument in arguments]
    assert f"- {field}:" in create(*given, "--name", "Any")
    assert not Application.objects.exists()


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "127.0.0.1", "[::1]:8000", "localhost:8000"])
def test_a_program_on_the_machine_of_its_user_may_wait_there(host: str) -> None:
    """http does not leave the machine."""
    fields: dict[str, Any] = {"name": "Desktop", "client_type": "public"}
    Application(authorization_grant_type="authorization-code", redirect_uris=f"http://{host}/", **fields).full_clean()


def test_every_application_has_a_name() -> None:
    """The consent page shows its name."""
    with pytest.raises(ValidationError, match="name"):
        Application(authorization_grant_type="authorization-code", redirect_uris="https://x.example/").full_clean()
