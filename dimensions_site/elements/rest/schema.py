"""What the operations of every dimension share in its OpenAPI document (contract A6, B1, B2, G1, H3)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.utils.functional import cached_property
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry, ResolvedComponent
from drf_spectacular.utils import Direction
from rest_framework.serializers import Serializer

from dimensions_site.api.failures import MEDIA_TYPE
from dimensions_site.api.openapi.problems import (
    ALWAYS,
    ERRORS,
    ConflictSerializer,
    InvalidRequestSerializer,
    ProblemSerializer,
)
from dimensions_site.api.parsers import MergePatchParser
from dimensions_site.elements.declaration.fields import ElementContext
from dimensions_site.elements.declaration.serializers import WireObject
from dimensions_site.elements.rest import parameters
from dimensions_site.elements.rest.wire_schema import SchemaPart, is_required
from dimensions_site.repositories.models import Role

JSON = "application/json"
_MERGE_PATCH = MergePatchParser.media_type
_LAST_CHANGE = {"user": "alice", "date": "2026-01-31T10:00:00.000+0000", "origin": "INPUT_WEB"}


class DimensionSchema(AutoSchema):
    """Adds to `extend_schema` what follows from the view.

    In its texts, `{dimension}`, `{plural}`, `{noun}` and `{nouns}` stand for the dimension: currency, currencies,
    Currency and Currencies.
    """

    view: Any

    @property
    def action(self) -> str:
        return str(self.view.action)

    @property
    def noun(self) -> str:
        """The dimension in names of components and operations: `Currency`."""
        return str(self.view.dimension.name.title())

    @cached_property
    def examples(self) -> SchemaPart:
        """The requests of the dimension that serve as examples, by action; what follows from them is not stored."""
        file = Path(self.view.dimension.model._meta.app_config.path) / "examples.json"
        examples: SchemaPart = json.loads(file.read_text(encoding="utf-8"))
        return examples

    @cached_property
    def element(self) -> SchemaPart:
        return self.saved_example(self.examples["create"])

    def saved_example(self, data: SchemaPart, before: SchemaPart | None = None) -> SchemaPart:
        """Return the response to a request with an element, or with a patch of the element `before`."""
        wire = self.view.dimension.wire
        columns = wire.declaration.validate_patch(before or {}, data, ElementContext("en"))
        element = wire.json_of(self.view.dimension.model(**columns), "en")
        return {**element, "updateInfo": _LAST_CHANGE, **self.examples.get("assigned", {})}

    def answer_example(self) -> Any:
        """Return the action's response in the examples; a test keeps it true."""
        id = self.element["id"]
        match self.action:
            case "count":
                return 1
            case "list":
                return [self.element]
            case "fetch":
                return [self._selected(self.examples["fetch"]["properties"])]
            case "replace":
                return self.saved_example({"id": id, **self.examples["replace"]})
            case "modify":
                return self.saved_example(self.examples["modify"], self.element)
            case "uses":
                # A dimension without references is used by others only.
                first = self.view.dimension.wire.references[:1]
                uses = [{"dimension": self.view.dimension.name, "id": f"{id}-1", "path": one.path} for one in first]
                return [{"id": id, "usedBy": uses, "count": len(uses)}]
        return self.element

    def _selected(self, properties: str) -> SchemaPart:
        """Return the `properties` of the element, as a fetch does (contract D8)."""
        answer: SchemaPart = {}
        for path in properties.split(","):
            source = {**self.element, "descriptions": self.element["descriptions"]["en"]}
            target = answer
            *groups, name = path.split(".")
            for group in groups:
                source, target = source[group], target.setdefault(group, {})
            target[name] = source[name]
        return answer

    def request_examples(self) -> SchemaPart:
        return {self.view.dimension.name: self.examples[self.action]}

    def get_tags(self) -> list[str]:
        return [self.view.dimension.name]

    def get_serializer_name(self, serializer: Serializer[Any], direction: Direction) -> str:
        """Return the name of an object's component: that of its class, where `Element` becomes the dimension.

        Elements in requests, and the objects in them, have other members than in responses, and so other names.
        """
        name = type(serializer).__name__.removesuffix("Group").removesuffix("Bundle")
        if direction == "request" and name == "ElementSerializer":
            name = "ElementPatch" if serializer.partial else f"Element{'Replace' if self.method == 'PUT' else 'Create'}"
        elif direction == "request" and isinstance(serializer.parent, WireObject):
            # In an object that is not required, nothing is required anyway.
            name += "Patch" if serializer.root.partial and is_required(serializer) else "Request"
        return f"{self.noun}{name.removeprefix('Element')}" if name.startswith("Element") else name

    def get_override_parameters(self) -> list[Any]:
        """Return the parameters that follow from the path, the method and the query parameters of the action."""
        names = self.view.query_parameters.get(self.action) or ()
        found = [parameters.REPOSITORY, *parameters.HEADERS]
        if "{id}" in self.path:
            found.append(parameters.element_id(self.examples["path"]["id"]))
        if self.action == "uses":
            found.append(parameters.used_ids(self.examples["path"]["id"]))
        if "properties" in names:
            found.append(parameters.properties_parameter(self.examples["fetch"]["properties"]))
        if "filter" in names:
            found.append(parameters.filter_parameter(self.view.dimension))
        found += [parameter for parameter in parameters.QUERY if parameter.name in names]
        if "after" in names:
            found.append(parameters.LINK)
        if self.method == "POST":
            found += parameters.IDEMPOTENCY
        if self.method in self.view.writing_methods:
            found.append(parameters.CHANGE_REASON)
        return found

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: ComponentRegistry
    ) -> SchemaPart | None:
        operation: SchemaPart | None = super().get_operation(path, path_regex, path_prefix, method, registry)
        if operation is None:
            return None
        operation.setdefault("parameters", [])
        plural = str(self.view.dimension.verbose_name_plural)
        words = {"dimension": self.view.dimension.name, "plural": plural, "noun": self.noun, "nouns": plural.title()}
        for part, name in (
            *((operation, name) for name in ("operationId", "summary", "description")),
            *((response, "description") for response in operation["responses"].values()),
        ):
            part[name] = part[name].format(**words)
        if self.view.role is not Role.READER:
            operation["description"] = f"Needs the role {self.view.role.name.lower()}. {operation['description']}"
        self._add_bodies(operation)
        responses = operation["responses"] | {str(status): self._error(status) for status in self._errors(operation)}
        for status, part in sorted(responses.items()):
            part["headers"] = {name: self._shared("headers", name, header) for name, header in part["headers"].items()}
            is_error = int(status) in ERRORS
            responses[status] = self._shared("responses", ERRORS[int(status)][0], part) if is_error else part
        operation["responses"] = responses
        operation["parameters"] = [self._shared("parameters", part["name"], part) for part in operation["parameters"]]
        return operation

    @property
    def takes_elements(self) -> bool:
        """Return whether the body of the action, if it has one, has elements."""
        return self.view.role is Role.EDITOR

    def _add_bodies(self, operation: SchemaPart) -> None:
        """Add examples, and to what has elements the other spellings of their fields."""
        for response in operation["responses"].values():
            if JSON in response.get("content", ()):
                response["content"][JSON]["example"] = self.answer_example()
        if "requestBody" in operation:
            examples = {name: {"value": value} for name, value in self.request_examples().items()}
            operation["requestBody"]["required"] = True
            bodies = operation["requestBody"]["content"]
            if bodies.pop(_MERGE_PATCH, None) and self.method == MergePatchParser.method:
                # A component of its own: openapi-python-client sends a body as the last type that has its class.
                patch = self.registry[bodies[JSON]["schema"]["$ref"].rpartition("/")[2], ResolvedComponent.SCHEMA]
                schema = {**patch.schema, "description": "A merge patch (RFC 7396): null removes the entry of a map."}
                reference = self._shared(ResolvedComponent.SCHEMA, f"{self.noun}MergePatch", schema)
                bodies[_MERGE_PATCH] = {"schema": reference}
            for content in bodies.values():
                content["examples"] = examples
            if self.takes_elements:
                operation["description"] += parameters.spellings_text(self.view.dimension.wire)

    def _errors(self, operation: SchemaPart) -> Iterator[int]:
        yield from ALWAYS
        # There is no 400 if query parameters are ignored and there is no body (contract A7).
        if self.view.query_parameters.get(self.action, frozenset()) is not None:
            yield 400
        if {"asOf", "since", "from"} & set(self.view.query_parameters.get(self.action) or ()):
            yield 410
        conditions = [part for part in operation["parameters"] if part["name"] == "If-Match"]
        if conditions:
            yield 412
        if any(part.get("required") for part in conditions):
            yield 428
        if "requestBody" in operation:
            yield from (413, 415)
        if self.method == "POST":
            yield from (409, 422)

    def _error(self, status: int) -> SchemaPart:
        description = ERRORS[status][1]
        body = {400: InvalidRequestSerializer, 409: ConflictSerializer}.get(status, ProblemSerializer)
        return {
            "description": description,
            "headers": self._get_response_headers_for_code(str(status)),
            "content": {MEDIA_TYPE: {"schema": self.resolve_serializer(body, "response").ref}},
        }

    def _shared(self, kind: str, name: str, part: SchemaPart) -> SchemaPart:
        """Return a reference to the component with the `part`, or the part itself if others have its names.

        Where the dimensions differ, that of the second has the dimension in its name.
        """
        for prefix in ("", self.noun):
            component = ResolvedComponent(f"{prefix}{name}".replace("-", ""), type=kind, schema=part, object=kind)
            self.registry.register_on_missing(component)
            if self.registry[component].schema == part:
                return component.ref
        return part


def in_order(parameter: SchemaPart) -> int:
    """Return the sort key of an operation's parameters."""
    return ("path", "query", "header").index(parameter["in"])
