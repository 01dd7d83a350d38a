"""The components that the OpenAPI documents of all dimensions share (contract B1, B2, G1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.conf import settings

from dimensions_site.api.authentication_modes import SCOPES
from dimensions_site.api.errors import MAX_FAILURES

# A part of an OpenAPI document.
Part: TypeAlias = dict[str, Any]

_OAUTH2 = f"{settings.URL_PREFIX}/auth/oauth2"

# How a caller shows who he is, for each mode of settings.API_AUTHENTICATION (contract G1).
SECURITY_SCHEMES: Mapping[str, Mapping[str, Part]] = {
    "basic": {
        "basic": {"type": "http", "scheme": "basic", "description": "User name and password, in UTF-8."},
    },
    "api-key": {
        "apiKey": {
            "type": "apiKey",
            "in": "header",
            "name": "X-API-Key",
            "description": "An API key in a header of its own.",
        },
        "apiKeyAuthorization": {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "The same API key in the usual header: `Api-Key`, a blank and the key.",
        },
    },
    "jwt": {
        "jwt": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
            "description": "A JSON Web Token: the `access` that `POST /auth/jwt/token` answers to user name and "
            "password, or a token of the identity provider that the application trusts.",
        },
    },
    "oauth2": {
        "oauth2": {
            "type": "oauth2",
            "description": "An access token. Its scope narrows what the grants of its user allow.",
            "flows": {
                "clientCredentials": {"tokenUrl": f"{_OAUTH2}/token", "scopes": SCOPES},
                "authorizationCode": {
                    "authorizationUrl": f"{_OAUTH2}/authorize",
                    "tokenUrl": f"{_OAUTH2}/token",
                    "scopes": SCOPES,
                },
            },
        },
    },
}

# The headers of answers. Where an answer names one, it is there, unless `required` is false.
HEADERS: Mapping[str, Part] = {
    "X-Request-ID": {
        "description": "The id of the request: yours when you sent one, else a new one. Name it to report a problem.",
        "required": True,
        "schema": {"type": "string"},
    },
    "ETag": {
        "description": "The version of the element, for `If-Match` and `If-None-Match`.",
        "required": True,
        "schema": {"type": "string"},
    },
    "Location": {
        "description": "The path of what was made.",
        "required": True,
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "X-Total-Count": {
        "description": "How many elements the filter selects, whatever `skip` and `take`; if `Prefer` asks for it.",
        "required": False,
        "schema": {"type": "integer", "minimum": 0},
    },
    "Preference-Applied": {
        "description": "What of `Prefer` was done; `dryRun` for a dry run.",
        "required": False,
        "schema": {"type": "string"},
    },
    "Content-Disposition": {
        "description": "A name for the file, where the answer is CSV or NDJSON.",
        "required": False,
        "schema": {"type": "string"},
    },
    "Allow": {
        "description": "The methods that are permitted at this address.",
        "required": True,
        "schema": {"type": "string"},
    },
    "Idempotent-Replayed": {
        "description": "`true`: this is the answer to an earlier request with the same `Idempotency-Key`.",
        "required": False,
        "schema": {"type": "string", "enum": ["true"]},
    },
    "Retry-After": {
        "description": "After how many seconds to try again.",
        "required": True,
        "schema": {"type": "integer", "minimum": 0},
    },
    "WWW-Authenticate": {
        "description": "How a caller can show who he is: one challenge for each mode that has a scheme.",
        "required": True,
        "schema": {"type": "string"},
    },
}

REQUEST_ID: Part = {
    "name": "X-Request-ID",
    "in": "header",
    "description": "An id of your own for this request. The answer carries it, and so does every line of the log; "
    "a new one takes the place of an id that is not 1 to 128 letters, digits, `.`, `_`, `:` or `-`.",
    "schema": {"type": "string", "example": "month-end-2026-01"},
}


@dataclass(frozen=True)
class Refusal:
    """An answer that every operation of its kind may give: the name of its component, its sentence and its headers."""

    name: str
    description: str
    headers: tuple[str, ...] = ()


REFUSALS: Mapping[int, Refusal] = {
    400: Refusal("InvalidRequest", "The request is invalid. `errors` lists every fault with the path of the field."),
    401: Refusal("Unauthorized", "The caller has not shown who he is, or not rightly.", ("WWW-Authenticate",)),
    403: Refusal("Forbidden", "The caller has no grant for this, or the REST API is not enabled in the repository."),
    404: Refusal("NotFound", "There is no such repository, or nothing at this address in it."),
    405: Refusal("MethodNotAllowed", "The method is not permitted at this address.", ("Allow",)),
    406: Refusal("NotAcceptable", "The answer exists in none of the media types that `Accept` asks for."),
    409: Refusal("AtWork", "The first request with this `Idempotency-Key` is still at work.", ("Retry-After",)),
    412: Refusal("PreconditionFailed", "`If-Match` or `If-None-Match` does not hold: nothing was written."),
    413: Refusal("BodyTooLarge", "The body is larger than the service accepts."),
    414: Refusal("AddressTooLong", "The address with its query is longer than the service accepts."),
    415: Refusal("UnsupportedMediaType", "The body is of a media type, charset or content encoding that is not read."),
    422: Refusal("KeyReused", "The `Idempotency-Key` came with another request before."),
    429: Refusal(
        "TooManyRequests", "You call, or come with wrong credentials, more often than is taken.", ("Retry-After",)
    ),
}
# These may befall any request; the others are named by the operation or follow from its body.
ALWAYS = frozenset({401, 403, 404, 405, 406, 414, 429})
WITH_BODY = frozenset({413, 415})

_FAILURE: Part = {
    "type": "object",
    "description": "One thing that is wrong with the request.",
    "properties": {
        "id": {"type": "string", "description": "The id of the element that is meant, in a body with many."},
        "path": {
            "type": "string",
            "description": "The field: `conversion.conversionType`; in a body with many elements a JSON Pointer, "
            "`/post/17/conversion/conversionType`; a query parameter; empty for the request as a whole.",
        },
        "code": {"type": "string", "pattern": "^[A-Z][A-Z0-9_]*$"},
        "message": {"type": "string", "description": "What is wrong, and what would be right."},
    },
    "required": ["path", "code", "message"],
    "additionalProperties": False,
}
_PROBLEM: Part = {
    "type": "object",
    "description": "Problem details (RFC 9457).",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string", "description": "The meaning of the status."},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string", "description": "What happened, in a sentence."},
        "code": {"type": "string", "pattern": "^[A-Z][A-Z0-9_]*$", "description": "The same for programs."},
        "requestId": {"type": "string", "description": "The header `X-Request-ID` of this answer."},
    },
    "required": ["type", "title", "status", "detail", "code", "requestId"],
    "additionalProperties": False,
}
_INVALID_REQUEST: Part = {
    **_PROBLEM,
    "description": "Problem details (RFC 9457) with every fault of the request.",
    "properties": {
        **_PROBLEM["properties"],
        "errors": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_FAILURES,
            "items": {"$ref": "#/components/schemas/Failure"},
        },
        "errorCount": {
            "type": "integer",
            "minimum": 1,
            "description": f"How many faults there are; `errors` holds the first {MAX_FAILURES:,}.",
        },
    },
    "required": [*_PROBLEM["required"], "errors", "errorCount"],
}
PROBLEM_SCHEMAS: Mapping[str, Part] = {"Failure": _FAILURE, "Problem": _PROBLEM, "InvalidRequest": _INVALID_REQUEST}
