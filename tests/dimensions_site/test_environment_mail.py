"""The settings of mail are read strictly, and a start with half of them is refused (contract O6)."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from dimensions_site import backends
from dimensions_site import environment as env
from tests.dimensions_site.test_environment import NAME, refused, settings_again

pytestmark = pytest.mark.contract("O6")

COMPLETE = {
    "EMAIL_URL": "smtp+tls://mailer:p%40ss%2Fword@mail.example.com",
    "EMAIL_FROM": "dimensions@example.com",
    "SITE_ADDRESS": "https://dimensions.example.com",
}


@pytest.mark.parametrize(
    ("address", "meaning"),
    [
        ("smtp://mail.example.com", ("mail.example.com", 25, "", "", False, False)),
        ("smtp://127.0.0.1:2525/", ("127.0.0.1", 2525, "", "", False, False)),
        (COMPLETE["EMAIL_URL"], ("mail.example.com", 587, "mailer", "p@ss/word", True, False)),
        ("smtp+ssl://a%40b.c:x@[::1]", ("::1", 465, "a@b.c", "x", False, True)),
    ],
)
def test_the_address_of_a_mail_server_has_port_user_and_tls(monkeypatch, address, meaning):
    monkeypatch.setenv(NAME, address)
    found = backends.mail_server(NAME, default="")
    assert tuple(found[name] for name in ("host", "port", "username", "password", "use_tls", "use_ssl")) == meaning


@pytest.mark.parametrize(
    "address",
    [
        "mail.example.com",
        "smtp://",
        "smtps://mail.example.com",
        "consolemail://",
        "smtp://mailer:hidden@",
        "smtp://mailer:hidden@mail.example.com:port",
        "smtp://mailer:hid@den@mail.example.com",
        "smtp://mailer:hid/den@mail.example.com",
        "smtp://hidden@mail.example.com",
        "smtp://mailer:hidden@mail.example.com/path",
        "smtp://mailer:hidden@mail.example.com?use_tls=1",
        "smtp://mailer:hidden@mail .example.com",
    ],
)
def test_another_address_of_a_mail_server_is_refused_without_showing_its_password(monkeypatch, address):
    monkeypatch.setenv(NAME, address)
    message = refused(backends.mail_server, default="")
    assert "it has to be like smtp+tls://user:password@host:587" in message
    assert "hid" not in message


def test_an_empty_text_means_no_mail(monkeypatch):
    for name in COMPLETE:
        monkeypatch.setenv(name, "")
    assert settings_again()["MAIL_SERVER"] == {}


def test_a_mail_server_needs_a_sender_and_the_address_of_the_site(monkeypatch):
    for name, value in COMPLETE.items():
        monkeypatch.setenv(name, value)
    found = settings_again()
    assert (found["DEFAULT_FROM_EMAIL"], found["SITE_ADDRESS"]) == tuple(COMPLETE.values())[1:]
    for name in ("EMAIL_FROM", "SITE_ADDRESS"):
        with monkeypatch.context() as without:
            without.delenv(name)
            with pytest.raises(ImproperlyConfigured, match=r"EMAIL_FROM, the address .* and SITE_ADDRESS") as refusal:
                settings_again()
            assert "ss/word" not in str(refusal.value)


@pytest.mark.parametrize("text", ["https://a.example/path", "https://a.example/", "a.example", "HTTPS://A.EXAMPLE"])
def test_the_address_of_the_site_is_an_origin(monkeypatch, text):
    monkeypatch.setenv(NAME, text)
    assert refused(env.origin, default="").startswith(f"SETTING is '{text}'; it has to be an origin like https://")


@pytest.mark.parametrize("text", ["dimensions", "a@b@c.example", "Name <a@b.example>", "a@b.example\nBcc: c@d.example"])
def test_the_sender_is_a_mail_address(monkeypatch, text):
    monkeypatch.setenv(NAME, text)
    assert refused(env.mail_address, default="") == f"SETTING is '{text}'; it has to be like name@example.com."
