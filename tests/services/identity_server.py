"""An identity provider as a separate process: `python -m tests.services.identity_server PORT`.

`/keys` is its JWKS. `/token?name=value…` answers a token with these claims beside the usual ones, signed with the
newest key. `/rotate` makes a new key beside the old ones.
"""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, RSAKey

AUDIENCE = "https://dimensions.example"


def new_key(number: int) -> RSAKey | ECKey:
    """Keys of two kinds in turn."""
    kid = f"key-{number}"
    if number % 2:
        return ECKey.generate_key("P-256", {"kid": kid, "use": "sig", "alg": "ES256"})
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"})


KEYS = [new_key(0)]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/token":
            answer = self.token(dict(parse_qsl(parts.query)))
        elif parts.path == "/keys":
            answer = json.dumps(KeySet(list(KEYS)).as_dict(private=False))
        else:
            KEYS.append(new_key(len(KEYS)))
            answer = "{}"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer.encode())

    def token(self, changed: dict[str, str]) -> str:
        """A token signed with the newest key."""
        now = int(time.time())
        claims = {"iss": issuer(), "aud": AUDIENCE, "iat": now, "exp": now + 300, **changed}
        header = {"alg": KEYS[-1].alg or "", "kid": KEYS[-1].kid or "", "typ": "at+jwt"}
        return jwt.encode(header, claims, KEYS[-1])

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def issuer() -> str:
    return f"http://127.0.0.1:{sys.argv[1]}"


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
