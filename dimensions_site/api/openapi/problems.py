"""The errors of the REST API in the OpenAPI documents (contracts B1, B2)."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.utils import Direction
from rest_framework import serializers

from dimensions_site.api.errors import MAX_FAILURES
from dimensions_site.api.failures import MAX_COUNTED

_CODE = r"^[A-Z][A-Z0-9_]*$"

# Status -> component name and description.
ERRORS: Mapping[int, tuple[str, str]] = {
    400: ("InvalidRequest", "The request is invalid. `errors` lists every error with the path of the field."),
    401: ("Unauthorized", "The credentials are missing or wrong."),
    403: ("Forbidden", "You have no grant for this, or the REST API is not enabled in the repository."),
    404: ("NotFound", "There is no such repository, or nothing at this address in it."),
    405: ("MethodNotAllowed", "The method is not permitted at this address."),
    406: ("NotAcceptable", "The response is not available in any media type of `Accept`."),
    409: (
        "Conflict",
        "What you address forbids this now, or the first request with this `Idempotency-Key` is still running.",
    ),
    410: (
        "NoLongerStored",
        "What is asked for, the changes since a token or the state at an instant, is no longer stored.",
    ),
    412: ("PreconditionFailed", "`If-Match` or `If-None-Match` does not hold; nothing was written."),
    413: ("BodyTooLarge", "The body is larger than the service accepts."),
    414: ("AddressTooLong", "The URL with its query is longer than the service accepts."),
    415: ("UnsupportedMediaType", "The media type, charset or content encoding of the body is not supported."),
    422: ("KeyReused", "The `Idempotency-Key` was used with another request before."),
    428: ("PreconditionRequired", "`If-Match` is missing, or names no version; nothing was written."),
    429: ("TooManyRequests", "You have made too many calls, or sent wrong credentials too often."),
    431: ("HeadersTooLarge", "The headers are larger or more numerous than the service accepts."),
    500: ("InternalError", "The service failed unexpectedly; its log has the details under the `requestId`."),
    503: ("Unavailable", "The service is temporarily unavailable. Try again."),
}
# Any request may get these; the others depend on its method, parameters and body.
ALWAYS = (401, 403, 404, 405, 406, 414, 429, 431, 500, 503)


class FailureSerializer(serializers.Serializer[Any]):
    """One error of the request."""

    id = serializers.CharField(required=False, help_text="The id of the element, in a body with many elements.")
    path = serializers.CharField(
        help_text="The field: `conversion.conversionType`; in a body with many elements a JSON Pointer, "
        "`/post/17/conversion/conversionType`; a query parameter; empty for the request as a whole."
    )
    code = serializers.RegexField(_CODE)
    message = serializers.CharField(help_text="What is wrong, and what is valid.")


class ProblemSerializer(serializers.Serializer[Any]):
    """Problem details (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField(help_text="The meaning of the status.")
    status = serializers.IntegerField(min_value=400, max_value=599)
    detail = serializers.CharField(help_text="A sentence that describes the error.")
    code = serializers.RegexField(_CODE, help_text="The kind of error, for programs.")
    requestId = serializers.CharField(help_text="The header `X-Request-ID` of this response.")


class InvalidRequestSerializer(ProblemSerializer):
    """Problem details (RFC 9457) with every error of the request."""

    errorCount = serializers.IntegerField(
        min_value=1,
        max_value=MAX_COUNTED,
        help_text=f"The number of errors; `errors` holds the first {MAX_FAILURES:,}.",
    )
    errorCountIsExact = serializers.BooleanField(
        help_text=f"`false`: there are at least `errorCount` errors. Counting stops at {MAX_COUNTED:,}."
    )

    def get_fields(self) -> dict[str, Any]:
        # Not a declared field: serializers have their own property `errors`.
        errors = serializers.ListField(child=FailureSerializer(), min_length=1, max_length=MAX_FAILURES)
        return {**super().get_fields(), "errors": errors}


class ConflictSerializer(InvalidRequestSerializer):
    """Problem details (RFC 9457); some conflicts, such as `PLAN_OUTDATED`, have `errors`."""

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        for name in ("errors", "errorCount", "errorCountIsExact"):
            fields[name].required = False
        return fields


class ObjectExtension(OpenApiSerializerExtension):
    """Closes request schemas and leaves responses open: later releases may add members (contracts B1, M4).

    A serializer with a method `complete_schema` returns by it what its members cannot say.
    """

    target_class = serializers.Serializer
    match_subclasses = True
    priority = -1

    def map_serializer(self, auto_schema: Any, direction: Direction) -> dict[str, Any]:
        """Return drf-spectacular's schema, closed in requests and open in responses, and completed."""
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        for name, part in schema.setdefault("properties", {}).items():
            part.pop("x-spec-enum-id", None)  # for a hook that is not used
            # The name of an enum, which drf-spectacular leaves out where it is that of the member but for its case.
            if "enum" in part and (title := self.target.fields[name]._kwargs.get("label")):
                part["title"] = title
        schema = {**schema, "additionalProperties": direction == "response"}
        complete = getattr(self.target, "complete_schema", None)
        return schema if complete is None else complete(schema, auto_schema, direction)
