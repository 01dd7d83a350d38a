"""What every operation of the REST API has in common in the OpenAPI documents (contract A6, B1, B2, G1, H3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, cast

from django.conf import settings
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry, ResolvedComponent
from rest_framework.viewsets import ViewSetMixin

from dimensions_site.api.components import (
    ALWAYS,
    HEADERS,
    PROBLEM_SCHEMAS,
    REFUSALS,
    REQUEST_ID,
    SECURITY_SCHEMES,
    WITH_BODY,
    Part,
)
from dimensions_site.api.problems import MEDIA_TYPE

JSON = "application/json"


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

    def operation(self, method: str) -> Operation:
        """The operation of the action of `self.view`, which answers `method`."""
        return self.operations()[cast(ViewSetMixin, self.view).action]

    def schemas(self) -> Mapping[str, Part]:
        """The schemas that the operations refer to, by name."""
        return {}

    def scopes(self) -> list[str]:
        """The scopes that a token of OAuth2 needs for the action of `self.view`."""
        return []

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: ComponentRegistry
    ) -> Part | None:
        """The OpenAPI operation for the action that answers `method`, None for one that is not told.

        Its components go to `registry`.
        """
        self.registry = registry
        for name, schema in {**PROBLEM_SCHEMAS, **self.schemas()}.items():
            self._add(ResolvedComponent.SCHEMA, name, schema)
        operation = self.operation(method)
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
        return [{name: self.scopes() if part["type"] == "oauth2" else []} for name, part in enabled.items()]

    def _responses(self, operation: Operation) -> Part:
        statuses = ALWAYS | operation.refusals | (WITH_BODY if operation.body is not None else frozenset())
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
        refusal = REFUSALS[status]
        schema = "InvalidRequest" if status == HTTPStatus.BAD_REQUEST else "Problem"
        part = {
            "description": refusal.description,
            "headers": self._headers(refusal.headers),
            "content": {MEDIA_TYPE: {"schema": schema_ref(schema)}},
        }
        return self._add(ResolvedComponent.RESPONSE, refusal.name, part)

    def _headers(self, names: tuple[str, ...]) -> Part:
        return {
            name: self._add(ResolvedComponent.HEADER, name.replace("-", ""), HEADERS[name])
            for name in (*names, "X-Request-ID")
        }
