"""What every operation of the REST API has in common in the OpenAPI documents (contract A6, B1, B2, G1, H3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeAlias

from django.conf import settings
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry, ResolvedComponent

from dimensions_site.api.errors import MAX_FAILURES, MEDIA_TYPE

# A part of an OpenAPI document.
Part: TypeAlias = dict[str, Any]

JSON = "application/json"

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
}

# The headers of answers. Where an answer names one, it is there, unless `required` is false.
HEADERS: Mapping[str, Part] = {
    "X-Request-ID": {
        "description": "The id of the request: yours when you sent one, else a new one. Name it when you report a problem.",
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
        "description": "How many elements the filter selects, whatever `skip` and `take`; only when `Prefer` asks for it.",
        "required": False,
        "schema": {"type": "integer", "minimum": 0},
    },
    "Preference-Applied": {
        "description": "What of `Prefer` was done.",
        "required": False,
        "schema": {"type": "string"},
    },
    "Allow": {
        "description": "The methods that are permitted at this address.",
        "required": True,
        "schema": {"type": "string"},
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
class _Refusal:
    """An answer that every operation of its kind may give: the sentence for it, and its headers."""

    description: str
    headers: tuple[str, ...] = ()


_REFUSALS: Mapping[int, _Refusal] = {
    400: _Refusal("The request is invalid. `errors` lists every fault with the path of the field."),
    401: _Refusal("The caller has not shown who he is, or not rightly.", ("WWW-Authenticate",)),
    403: _Refusal("The caller has no grant for this, or the REST API is not enabled in the repository."),
    404: _Refusal("There is no such repository, or nothing at this address in it."),
    405: _Refusal("The method is not permitted at this address.", ("Allow",)),
    406: _Refusal("The answer exists in none of the media types that `Accept` asks for."),
    412: _Refusal("`If-Match` or `If-None-Match` does not hold: nothing was written."),
    413: _Refusal("The body is larger than the service accepts."),
    414: _Refusal("The address with its query is longer than the service accepts."),
    415: _Refusal("The body is of a media type, charset or content encoding that is not read."),
}
# These may befall any request; the others are named by the operation or follow from its body.
_ALWAYS = frozenset({401, 403, 404, 405, 406, 414})
_WITH_BODY = frozenset({413, 415})

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
_PROBLEM_SCHEMAS: Mapping[str, Part] = {"Failure": _FAILURE, "Problem": _PROBLEM, "InvalidRequest": _INVALID_REQUEST}


@dataclass(frozen=True)
class Answer:
    """A success: its sentence, the schema of its body (None: no body) and the names of its `HEADERS`."""

    description: str
    schema: Part | None = None
    headers: tuple[str, ...] = ()
    example: Any = None


@dataclass(frozen=True)
class Body:
    """What a request carries: its schema, and examples by name."""

    schema: Part
    examples: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Operation:
    """An operation as its readers see it.

    `refusals` are the error statuses beside those that any request may meet. `parameters` are whole OpenAPI
    parameters, in the order in which they are shown; X-Request-ID is added.
    """

    id: str
    summary: str
    description: str
    answers: Mapping[int, Answer]
    parameters: tuple[Part, ...] = ()
    body: Body | None = None
    refusals: frozenset[int] = frozenset()


def schema_ref(name: str) -> Part:
    """The reference to the schema `name` of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


class OperationSchema(AutoSchema):
    """Writes the operations of a view set into its OpenAPI document, from a table by action.

    A view set whose actions are told elsewhere names a subclass as its `schema`.
    """

    registry: ComponentRegistry

    def operations(self) -> Mapping[str, Operation]:
        """The operations of `self.view` by the name of their action; every action needs one."""
        raise NotImplementedError

    def schemas(self) -> Mapping[str, Part]:
        """The schemas that the operations refer to, by name."""
        return {}

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: ComponentRegistry
    ) -> Part:
        """The OpenAPI operation for the action that answers `method`; its components go to `registry`."""
        self.registry = registry
        for name, schema in {**_PROBLEM_SCHEMAS, **self.schemas()}.items():
            self._add(ResolvedComponent.SCHEMA, name, schema)
        operation = self.operations()[self.view.action]
        parts: Part = {
            "operationId": operation.id,
            "summary": operation.summary,
            "description": operation.description,
            "tags": self.get_tags(),
            "parameters": [self._parameter(part) for part in (*operation.parameters, REQUEST_ID)],
            "security": self._security(),
            "responses": self._responses(operation),
        }
        if operation.body is not None:
            content: Part = {"schema": operation.body.schema}
            if operation.body.examples:
                content["examples"] = {name: {"value": value} for name, value in operation.body.examples.items()}
            parts["requestBody"] = {
                "required": True,
                "content": {parser.media_type: content for parser in self.view.get_parsers()},
            }
        return parts

    def _add(self, kind: str, name: str, part: Part) -> Part:
        component = ResolvedComponent(name=name, type=kind, schema=part, object=kind)
        self.registry.register_on_missing(component)
        return component.ref

    def _parameter(self, part: Part) -> Part:
        return self._add(ResolvedComponent.PARAMETER, part["name"].replace("-", ""), part)

    def _security(self) -> list[Part]:
        """Each enabled way of authentication, one of which is enough."""
        enabled = {name: part for mode in settings.API_AUTHENTICATION for name, part in SECURITY_SCHEMES[mode].items()}
        for name, part in enabled.items():
            self._add(ResolvedComponent.SECURITY_SCHEMA, name, part)
        return [{name: []} for name in enabled]

    def _responses(self, operation: Operation) -> Part:
        statuses = _ALWAYS | operation.refusals | (_WITH_BODY if operation.body is not None else frozenset())
        return {
            **{str(status): self._success(answer) for status, answer in operation.answers.items()},
            **{str(status): self._refusal(status) for status in sorted(statuses)},
        }

    def _success(self, answer: Answer) -> Part:
        part: Part = {"description": answer.description, "headers": self._headers(answer.headers)}
        if answer.schema is not None:
            content: Part = {"schema": answer.schema}
            if answer.example is not None:
                content["example"] = answer.example
            part["content"] = {
                renderer.media_type: content if renderer.media_type == JSON else {"schema": {"type": "string"}}
                for renderer in self.view.get_renderers()
            }
        return part

    def _refusal(self, status: int) -> Part:
        refusal = _REFUSALS[status]
        schema = "InvalidRequest" if status == HTTPStatus.BAD_REQUEST else "Problem"
        part = {
            "description": refusal.description,
            "headers": self._headers(refusal.headers),
            "content": {MEDIA_TYPE: {"schema": schema_ref(schema)}},
        }
        name = HTTPStatus(status).phrase.title().replace(" ", "").replace("-", "")
        return self._add(ResolvedComponent.RESPONSE, name, part)

    def _headers(self, names: tuple[str, ...]) -> Part:
        return {
            name: self._add(ResolvedComponent.HEADER, name.replace("-", ""), HEADERS[name])
            for name in (*names, "X-Request-ID")
        }
