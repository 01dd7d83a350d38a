"""An identity provider: it signs tokens and shows its public keys."""

import json
import threading
import time
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from dimensions_site.tokens.configuration import IdentityProvider

AUDIENCE = "https://dimensions.example"


def private_key(algorithm: str) -> Any:
    if algorithm.startswith("ES"):
        return ec.generate_private_key(ec.SECP256R1())
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@cache
def published_key(kid: str, algorithm: str) -> Any:
    """The private key of that name, the same in all tests: to make one takes longer than most of them."""
    return private_key(algorithm)


def public_jwk(key: Any, kid: str, **members: str) -> dict[str, Any]:
    algorithm: Any = ECAlgorithm if isinstance(key, ec.EllipticCurvePrivateKey) else RSAAlgorithm
    return {**algorithm.to_jwk(key.public_key(), as_dict=True), "kid": kid, "use": "sig", **members}


class Served:
    """Answers over HTTP, from a thread, what `answer_to` says; `asked` lists the paths of requests.

    While it `is_slow`, an answer comes byte by byte, with `silence` seconds between, and does not end; `answered` is
    how many have ended.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answered = 0
        self.is_slow = False
        self.silence = 0.01
        self._stopped = threading.Event()
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path, size = urlsplit(self.path).path, int(self.headers.get("Content-Length", 0))
                served.asked.append(path)
                form = dict(parse_qsl(self.rfile.read(size).decode()))
                status, body = served.answer_to(path, form, self.headers.get("Authorization", ""))
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Location", f"{served.issuer}/elsewhere")
                self.send_header("Connection", "close")
                self.end_headers()
                while served.is_slow:
                    self.wfile.write(b" ")
                    served._stopped.wait(served.silence)
                self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())
                served.answered += 1

            do_POST = do_GET

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.01])
        self._thread.start()

    def answer_to(self, path: str, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        """The status, and the body as bytes or as what is written as JSON."""
        raise NotImplementedError

    def stop(self) -> None:
        self.is_slow = False
        self._stopped.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Provider(Served):
    """`keys` are those that it publishes, unless a test sets another `answer`."""

    def __init__(self) -> None:
        self.keys: list[dict[str, Any]] = []
        self.answer: tuple[int, bytes] | None = None
        super().__init__()

    def answer_to(self, path: str, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        return self.answer or (200, {"keys": self.keys})

    def new_key(self, kid: str, algorithm: str = "RS256", **members: str) -> Any:
        """Make a key and show its public half."""
        key = published_key(kid, algorithm)
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
