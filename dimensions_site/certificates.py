"""The certificate with which the web server itself answers https, where no reverse proxy does."""

import ssl
from collections.abc import Callable

from django.core.exceptions import ImproperlyConfigured
from gunicorn.config import Config


def check_certificate(address: object, certificate: str, key: str) -> None:
    """Raise ImproperlyConfigured unless address, certificate and key are there and fit, or none of them is named.

    gunicorn would notice it at the first caller, and end his connection without a word.
    """
    named = {"TLS_BIND": address, "TLS_CERTFILE": certificate, "TLS_KEYFILE": key}
    missing = [name for name, value in named.items() if not value]
    if len(missing) == len(named):
        return
    if missing:
        told = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set"
        raise ImproperlyConfigured(f"{told}; https needs TLS_BIND, TLS_CERTFILE and TLS_KEYFILE.")
    try:
        # An empty password, which `str()` is, keeps OpenSSL from asking for one at the terminal.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=str)
    except ssl.SSLError as error:
        raise ImproperlyConfigured(
            f"TLS_CERTFILE '{certificate}' and TLS_KEYFILE '{key}' cannot be used ({error.reason or 'unknown format'});"
            " they have to be a certificate and its own key in PEM, the key without a password."
        ) from None


def tls_context(config: Config, default: Callable[[], ssl.SSLContext]) -> ssl.SSLContext:
    """What gunicorn asks for each connection: its own context, which reads the files anew, from TLS 1.2 on."""
    context = default()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
