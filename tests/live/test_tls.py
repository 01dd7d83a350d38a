"""The web server answers https itself, with a certificate and no proxy before it."""

import socket
import ssl
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.live.certificates import Certificate, make_certificate
from tests.live.service import Service, free_port, serving
from tests.live.test_start import COMMANDS, start


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="module")
def both(
    prepared: tuple[str, str], certificate: Certificate, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Service, Service]]:
    """One web server, over http and over https."""
    port = free_port()
    variables = {
        "TLS_BIND": f"127.0.0.1:{port}",
        "TLS_CERTFILE": str(certificate.file),
        "TLS_KEYFILE": str(certificate.key),
        "WEB_CONCURRENCY": "1",
    }
    with serving(*prepared, tmp_path_factory.mktemp("tls"), **variables) as running:
        yield running, replace(running, port=port, certificate=str(certificate.file))


@pytest.fixture
def plain_service(both: tuple[Service, Service]) -> Service:
    return both[0]


@pytest.fixture
def safe_service(both: tuple[Service, Service]) -> Service:
    return both[1]


def test_https_and_http_are_answered_side_by_side(plain_service: Service, safe_service: Service):
    """What is written over one is read over the other; only the browser that came over https is told to stay there."""
    address = "/api/aih/dimensions/v1/northwind/currency/elements"
    body = {"id": "TLS", "descriptions": {"en": "TLS"}, "decimalNumbers": 2, "percentageDifference": "0"}
    created = safe_service.send("POST", address, body)
    assert (created.status, created.headers["Location"]) == (201, f"{address}/TLS")
    assert created.headers["Strict-Transport-Security"] == "max-age=3600"

    read = plain_service.send("GET", f"{address}/TLS")
    assert (read.status, read.body) == (200, created.body)
    assert "Strict-Transport-Security" not in read.headers


def test_the_cookies_of_the_administration_go_over_https_only(safe_service: Service):
    """The form of the login brings the first one."""
    cookie = safe_service.send("GET", "/admin/login/").headers["Set-Cookie"]
    assert cookie.startswith("csrftoken=")
    assert "; Secure" in cookie


def handshake(port: int, certificate: Certificate, version: ssl.TLSVersion) -> str | None:
    """The version of TLS that is agreed upon with a caller who speaks up to `version`; raises ssl.SSLError."""
    context = ssl.create_default_context(cafile=str(certificate.file))
    context.minimum_version, context.maximum_version = ssl.TLSVersion.MINIMUM_SUPPORTED, version
    context.set_ciphers("DEFAULT:@SECLEVEL=0")  # else this side would refuse the old versions
    with (
        socket.create_connection(("127.0.0.1", port), timeout=30) as connection,
        context.wrap_socket(connection, server_hostname="localhost") as wrapped,
    ):
        return wrapped.version()


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_no_version_of_tls_below_1_2_is_spoken(safe_service: Service, certificate: Certificate):
    """1.2 and 1.3 are, so that the refusal is about the version and nothing else."""
    assert handshake(safe_service.port, certificate, ssl.TLSVersion.TLSv1_3) == "TLSv1.3"
    assert handshake(safe_service.port, certificate, ssl.TLSVersion.TLSv1_2) == "TLSv1.2"
    with pytest.raises(ssl.SSLError, match="version"):
        handshake(safe_service.port, certificate, ssl.TLSVersion.TLSv1_1)


def test_who_speaks_http_to_the_port_of_https_disturbs_nobody(safe_service: Service):
    """He gets no answer of the service, and the next one does."""
    with socket.create_connection(("127.0.0.1", safe_service.port), timeout=30) as connection:
        connection.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b'"status"' not in connection.recv(1000)
    assert safe_service.send("GET", "/health/live").status == 200


def test_a_renewed_certificate_counts_from_the_next_connection_on(
    plain_service: Service, safe_service: Service, certificate: Certificate
):
    """Without a restart; who has not heard of it is refused by his own side."""
    old = ssl.create_default_context(cafile=str(certificate.file))
    make_certificate(certificate.file.parent)
    assert safe_service.send("GET", "/health/live").status == 200
    with (
        socket.create_connection(("127.0.0.1", safe_service.port), timeout=30) as connection,
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        old.wrap_socket(connection, server_hostname="localhost")
    assert plain_service.send("GET", "/health/live").status == 200


def test_the_log_tells_where_tls_is_spoken(safe_service: Service):
    """gunicorn itself takes all addresses for https or none."""
    assert f"TLS is spoken at 127.0.0.1:{safe_service.port}, and at no other" in safe_service.log.read_text()


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (("certificate.pem", None), "TLS_KEYFILE is not set; https needs TLS_BIND, TLS_CERTFILE and TLS_KEYFILE."),
        ((None, None), "TLS_CERTFILE and TLS_KEYFILE are not set; https needs TLS_BIND, TLS_CERTFILE and TLS_KEYFILE."),
        (("nowhere.pem", "key.pem"), "TLS_CERTFILE is '{0}', which cannot be read: No such file or directory."),
        (("certificate.pem", "."), "TLS_KEYFILE is '{1}', which cannot be read: Is a directory."),
        (
            ("certificate.pem", "other/key.pem"),
            "TLS_CERTFILE '{0}' and TLS_KEYFILE '{1}' cannot be used (KEY_VALUES_MISMATCH); they have to be",
        ),
        (("key.pem", "key.pem"), "TLS_CERTFILE '{0}' and TLS_KEYFILE '{1}' cannot be used ("),
    ],
)
def test_files_that_cannot_serve_are_told_in_one_line(
    files: tuple[str | None, str | None], sentence: str, tmp_path: Path
):
    """At the start, and not to the first caller by a broken connection."""
    make_certificate(tmp_path)
    (tmp_path / "other").mkdir()
    make_certificate(tmp_path / "other")
    paths = [None if name is None else str(tmp_path / name) for name in files]
    outcome = start(COMMANDS["web"], tmp_path, TLS_BIND="127.0.0.1:8443", TLS_CERTFILE=paths[0], TLS_KEYFILE=paths[1])
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(f"The service is not configured: {sentence.format(*paths)}")
    assert len(outcome.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"TLS_BIND": None}, "TLS_BIND is not set; https needs TLS_BIND, TLS_CERTFILE and TLS_KEYFILE."),
        ({"TLS_BIND": "8443"}, "TLS_BIND is '8443'; it has to be an address with a port"),
        ({"BIND": "0.0.0.0:8443"}, "TLS_BIND is '127.0.0.1:8443'; it has to have a port of its own."),
        ({"METRICS_BIND": "127.0.0.1:8443"}, "TLS_BIND is '127.0.0.1:8443'; it has to have a port of its own."),
    ],
    ids=["no address", "no host", "as http", "as the figures"],
)
def test_an_address_that_cannot_be_https_is_told_in_one_line(
    variables: dict[str, str | None], sentence: str, certificate: Certificate, tmp_path: Path
):
    """Nobody serves plain http where https is meant, or the other way round."""
    named = {"TLS_BIND": "127.0.0.1:8443", "TLS_CERTFILE": str(certificate.file), "TLS_KEYFILE": str(certificate.key)}
    outcome = start(COMMANDS["web"], tmp_path, **{**named, **variables})
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(f"The service is not configured: {sentence}")
    assert len(outcome.stderr.splitlines()) == 1
