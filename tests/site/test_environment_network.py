"""Who is trusted and who may call is read strictly: a misspelled address must not open what it was meant to close."""

from ipaddress import ip_network
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from dimensions_site import environment as env

NAME = "SETTING"


def refusal(reader, text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(NAME, text)
    with pytest.raises(ImproperlyConfigured) as refused:
        reader(NAME, default=[])
    return str(refused.value)


def test_proxies_are_addresses_networks_and_the_unix_socket(monkeypatch):
    """Spaces around them do not count; an empty text names none."""
    monkeypatch.setenv(NAME, "127.0.0.1, 10.0.0.0/8,2001:db8::/64 , unix")
    known = [ip_network("127.0.0.1"), ip_network("10.0.0.0/8"), ip_network("2001:db8::/64"), "unix"]
    assert env.proxies(NAME, default=[]) == known
    monkeypatch.setenv(NAME, "")
    assert env.proxies(NAME, default=[]) == []


@pytest.mark.parametrize("text", ["*", "localhost", "10.0.0.1/8", "10.0.0.256", "10.0.0.0-10.0.0.9", "UNIX", "::1%"])
def test_what_is_no_address_is_refused(monkeypatch, text):
    """A network that is not written from its first address on may be meant otherwise."""
    told = refusal(env.proxies, f"127.0.0.1,{text}", monkeypatch)
    assert told.startswith(f"SETTING has '{text}' in it (")
    assert told.endswith("it has to be addresses, networks such as 10.0.0.0/8, and unix, separated by commas.")


@pytest.mark.parametrize("text", ["0.0.0.0/0", "::/0"])
def test_nobody_trusts_everybody(monkeypatch, text):
    """Everybody could give himself any address."""
    assert refusal(env.proxies, text, monkeypatch) == (
        f"SETTING has '{text}' in it, which is everybody; it has to name the proxies alone."
    )


def test_origins_are_read(monkeypatch):
    """With a port or without; an empty text names none."""
    named = ["https://app.example.com", "http://localhost:3000", "http://127.0.0.1:8080", "https://[2001:db8::1]:8443"]
    monkeypatch.setenv(NAME, ", ".join(named))
    assert env.origins(NAME, default=[]) == named
    monkeypatch.setenv(NAME, "")
    assert env.origins(NAME, default=[]) == []


@pytest.mark.parametrize(
    "text",
    [
        *("*", "null", "app.example.com", "https://app.example.com/", "https://*.example.com"),
        *(
            "https://App.example.com",
            "https://app.example.com:",
            "https://a@app.example.com",
            "https://",
            "https://a b",
        ),
    ],
)
def test_what_is_no_origin_is_refused(monkeypatch, text):
    """A browser would never send it, and the page would wonder."""
    assert refusal(env.origins, text, monkeypatch) == (
        f"SETTING is '{text}'; it has to be origins like https://app.example.com in small letters, separated by commas."
    )


def test_a_file_has_to_be_readable(monkeypatch, tmp_path: Path):
    """An empty text is none."""
    (tmp_path / "file").touch()
    for text in ("", str(tmp_path / "file")):
        monkeypatch.setenv(NAME, text)
        assert env.readable_file(NAME, default="") == text
    monkeypatch.setenv(NAME, str(tmp_path / "nowhere"))
    with pytest.raises(ImproperlyConfigured, match="which cannot be read: No such file or directory"):
        env.readable_file(NAME, default="")
