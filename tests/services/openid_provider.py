"""An OpenID provider as a process of its own, by django-oauth-toolkit: `python -m tests.services.openid_provider PORT`.

Its pages are in `openid_site.py`.
"""

import os
import sys
from importlib import import_module
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application

CLIENT_ID, SECRET = "dimensions-pages", "a-secret-between-the-service-and-its-provider"
PASSWORD = "a-password-at-the-company"
# Imported when Django has its settings.
_SITE = "tests.services.openid_site"
_PAGE = """<!doctype html><title>Company</title><h1>Company</h1><form method="post">{% csrf_token %}
<label>Name <input name="username"></label><label>Password <input name="password" type="password"></label>
<button>Enter</button></form>"""


def issuer(port: int) -> str:
    return f"http://127.0.0.1:{port}/o"


def serve(port: int) -> None:
    """Set up the provider with an empty database in memory, and serve it until the process ends."""
    os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    settings.configure(
        SECRET_KEY="of-the-provider",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=_SITE,
        DATABASES={
            "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "file:provider?mode=memory&cache=shared"}
        },
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=[
            *("django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider")
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "OPTIONS": {"loaders": [("django.template.loaders.locmem.Loader", {"registration/login.html": _PAGE})]},
            }
        ],
        # The service has the same host, and cookies do not know ports.
        SESSION_COOKIE_NAME="provider_session",
        CSRF_COOKIE_NAME="provider_csrf",
        LOGIN_URL="/login",
        USE_TZ=True,
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True,
            "OIDC_ISS_ENDPOINT": issuer(port),
            "OIDC_RSA_PRIVATE_KEY": pem,
            "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
            "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": False,
            "SCOPES": {"openid": "sign in", "profile": "name", "email": "address"},
            "PKCE_REQUIRED": True,
            "OAUTH2_VALIDATOR_CLASS": f"{_SITE}.Validator",
            "REFRESH_TOKEN_REUSE_PROTECTION": True,
        },
    )
    django.setup()
    call_command("migrate", verbosity=0)
    import_module(_SITE).add_people()
    make_server("127.0.0.1", port, get_wsgi_application(), _Server, _Quiet).serve_forever()


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


if __name__ == "__main__":
    serve(int(sys.argv[1]))
