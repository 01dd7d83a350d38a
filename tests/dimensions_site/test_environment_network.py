"""Trusted proxies and allowed origins are read strictly: a misspelled address must not open what it should close."""

from ipaddress import ip_network

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
def test_an_invalid_address_is_refused(monkeypatch, text):
    """A network that is not written from its first address on may be meant otherwise."""
    message = refusal(env.proxies, f"127.0.0.1,{text}", monkeypatch)
    assert message.startswith(f"SETTING has '{text}' in it (")
    assert message.endswith("it has to be addresses, networks such as 10.0.0.0/8, and unix, separated by commas.")


@pytest.mark.parametrize("text", ["0.0.0.0/0", "::/0"])
def test_nobody_trusts_everybody(monkeypatch, text):
    """Any client could claim any address."""
    assert refusal(env.proxies, text, monkeypatch) == (
        f"SETTING has '{text}' in it, which includes every address; it has to name only the proxies."
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
def test_an_invalid_origin_is_refused(monkeypatch, text):
    """A browser would never send it, so it would silently have no effect."""
    assert refusal(env.origins, text, monkeypatch) == (
        f"SETTING is '{text}'; it has to be origins like https://app.example.com in lower case, separated by commas."
    )


def test_names_of_the_service_are_read(monkeypatch):
    """As Django accepts them: a dot before a name stands for all below it, a star for every name."""
    named = ["erp.example.com", "ERP-2.example.com", ".example.com", "localhost", "192.0.2.1", "[2001:db8::1]", "*"]
    monkeypatch.setenv(NAME, " , ".join(named))
    assert env.hosts(NAME, default=["localhost"]) == named
    monkeypatch.delenv(NAME)
    assert env.hosts(NAME, default=["localhost", "[::1]"]) == ["localhost", "[::1]"]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "http://erp.example.com",
            "erp.example.com/",
            "erp.example.com/path",
            "erp example.com",
            "erp.example.com:8000",
        ),
        *("*.example.com", "::1", "[::1]:8000", "erp.example.com.", ".", "bücher.example", "erp_1.example"),
    ],
)
def test_an_invalid_host_name_is_refused(monkeypatch, text):
    """No request would match it, and each would get 400."""
    assert refusal(env.hosts, f"localhost,{text}", monkeypatch) == (
        f"SETTING is '{text}'; it has to be names like erp.example.com, without scheme, port and path, separated by "
        "commas; IPv6 addresses are in brackets."
    )


def test_no_name_at_all_is_refused(monkeypatch):
    assert refusal(env.hosts, " , ", monkeypatch).endswith("it has to be one or more names, separated by commas.")


def test_where_the_web_server_listens_is_read(monkeypatch):
    """At addresses with ports, at unix sockets, and at inherited sockets; an empty text means none."""
    named = ["0.0.0.0:8000", "[::]:8000", "erp.internal:80", "unix:/run/web.sock", "unix:///run/web.sock", "fd://3"]
    monkeypatch.setenv(NAME, ", ".join(named))
    assert env.listeners(NAME) == named
    monkeypatch.setenv(NAME, "")
    assert env.listeners(NAME) == []
    monkeypatch.delenv(NAME)
    assert env.listeners(NAME) == []


@pytest.mark.parametrize(
    "text",
    [
        *("10.0.0.11", "8000", ":8000", "localhost:", "localhost:http", "127.0.0.1:0", "127.0.0.1:65536", "::1:8000"),
        *("http://0.0.0.0:8000", "0.0.0.0:8000/", "unix:", "fd://", "fd://web", "/run/web.sock", "a b:80"),
    ],
)
def test_where_no_web_server_can_listen_is_refused(monkeypatch, text):
    """Without a port it would take one that nobody has named."""
    monkeypatch.setenv(NAME, f"127.0.0.1:8001,{text}")
    with pytest.raises(ImproperlyConfigured) as refused:
        env.listeners(NAME)
    assert str(refused.value) == (
        f"SETTING is '{text}'; it has to be an address with a port from 1 to 65535, such as 10.0.0.11:8000, or a"
        " socket, unix:/run/web.sock or fd://3; several are separated by commas."
    )
