"""An identity provider: it signs tokens and shows its public keys."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from dimensions_site.tokens.configuration import IdentityProvider

AUDIENCE = "https://dimensions.example"


def private_key(algorithm: str) -> Any:
    if algorithm.startswith("ES"):
        return ec.generate_private_key(ec.SECP256R1())
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def public_jwk(key: Any, kid: str, **members: str) -> dict[str, Any]:
    algorithm: Any = ECAlgorithm if isinstance(key, ec.EllipticCurvePrivateKey) else RSAAlgorithm
    return {**algorithm.to_jwk(key.public_key(), as_dict=True), "kid": kid, "use": "sig", **members}


class Provider:
    """Runs in a thread; `keys` are those that it publishes, `asked` is how often they were requested.

    While it `is_slow`, an answer comes byte by byte, with `silence` seconds between, and does not end; `answered` is
    how many have ended.
    """

    def __init__(self) -> None:
        self.keys: list[dict[str, Any]] = []
        self.asked = self.answered = 0
        self.is_slow = False
        self.silence = 0.01
        self._stopped = threading.Event()
        self.answer: tuple[int, bytes] | None = None
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.asked += 1
                status, body = provider.answer or (200, json.dumps({"keys": provider.keys}).encode())
                self.send_response(status)
                self.send_header("Location", f"{provider.issuer}/elsewhere")
                self.send_header("Connection", "close")
                self.end_headers()
                while provider.is_slow:
                    self.wfile.write(b" ")
                    provider._stopped.wait(provider.silence)
                self.wfile.write(body)
                provider.answered += 1

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.01])
        self._thread.start()

    def stop(self) -> None:
        self.is_slow = False
        self._stopped.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def new_key(self, kid: str, algorithm: str = "RS256", **members: str) -> Any:
        """Make a key and show its public half."""
        key = private_key(algorithm)
        self.keys.append(public_jwk(key, kid, alg=algorithm, **members))
        return key

    def claims(self, **changed: Any) -> dict[str, Any]:
        """The claims of a good token of Alice; None removes a claim."""
        now = int(time.time())
        good = {"iss": self.issuer, "aud": AUDIENCE, "sub": "alice", "iat": now, "exp": now + 300}
        return {name: value for name, value in {**good, **changed}.items() if value is not None}

    def token(self, key: Any, kid: str | None, algorithm: str = "RS256", headers: Any = None, **changed: Any) -> str:
        head = {**({"kid": kid} if kid is not None else {}), **(headers or {})}
        return jwt.encode(self.claims(**changed), key, algorithm=algorithm, headers=head)

    def as_setting(self, **changed: Any) -> IdentityProvider:
        keys = f"{self.issuer}/keys"
        given = {"user_claim": "sub", "algorithms": ("RS256", "ES256"), **changed}
        return IdentityProvider(issuer=self.issuer, audience=AUDIENCE, jwks_url=keys, **given)
