"""Errors as clients see them: one form of body, every failure in it, nothing internal."""

import errno
import json
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation, TooManyFieldsSent
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import OperationalError
from django.http import Http404, HttpRequest
from django.http.request import UnreadablePostError
from rest_framework import exceptions, serializers

from dimensions_site.api.errors import Failure, Problem, as_problem, bad_request, flatten, not_found, problem_response
from dimensions_site.api.failures import json_pointer


def answered(problem: Problem, request_id: str = "r-1") -> dict[str, Any]:
    request = HttpRequest()
    request.META["HTTP_X_REQUEST_ID"] = request_id
    response = problem_response(request, problem)
    assert response["Content-Type"] == "application/problem+json"
    assert response.status_code == problem.status_code
    body = json.loads(response.content)
    assert isinstance(body, dict)
    return body


@pytest.mark.contract("B1")
def test_a_problem_has_the_members_of_rfc_9457_and_code_and_request_id():
    """A 404 in full."""
    assert answered(not_found("UNKNOWN_ELEMENT", "There is no currency XYZ.")) == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "detail": "There is no currency XYZ.",
        "code": "UNKNOWN_ELEMENT",
        "requestId": "r-1",
    }


@pytest.mark.contract("B1")
def test_a_400_lists_every_failure():
    """Two failures: a general code, and both in the order in which they were found, with the id where known."""
    body = answered(bad_request([Failure("a.b", "REQUIRED", "Missing."), Failure("/post/1", "X", "Bad.", id="EUR")]))
    assert body["code"] == "INVALID_REQUEST"
    assert body["errors"] == [
        {"path": "a.b", "code": "REQUIRED", "message": "Missing."},
        {"id": "EUR", "path": "/post/1", "code": "X", "message": "Bad."},
    ]
    assert body["errorCount"] == 2
    assert body["detail"].startswith("The request has 2 errors")


@pytest.mark.contract("B1", "C13")
def test_a_single_failure_lends_its_code_to_the_whole():
    """A client that only reads `code` learns the reason."""
    body = answered(bad_request([Failure("id", "ALREADY_EXISTS", "There is already a currency EUR.")]))
    assert body["code"] == "ALREADY_EXISTS"
    assert body["detail"] == "There is already a currency EUR."


@pytest.mark.contract("B1")
def test_a_400_without_a_field_still_has_a_list():
    """A client may always read `errors`."""
    body = answered(Problem(400, "INVALID_JSON", "Not JSON."))
    assert body["errors"] == [{"path": "", "code": "INVALID_JSON", "message": "Not JSON."}]
    assert body["errorCount"] == 1


@pytest.mark.contract("B1")
@pytest.mark.parametrize(("found", "listed"), [(1_000, 1_000), (1_001, 1_000)])
def test_the_list_is_cut_at_a_thousand_and_the_count_is_true(found, listed):
    """The limit itself is not cut, one more is."""
    body = answered(bad_request([Failure(str(n), "X", "Bad.") for n in range(found)]))
    assert len(body["errors"]) == listed
    assert body["errors"][-1]["path"] == str(listed - 1)
    assert body["errorCount"] == found


@pytest.mark.contract("B1")
def test_whoever_stops_collecting_still_reports_the_true_number():
    """A bulk save keeps the first failures only, but counts all of them."""
    body = answered(bad_request([Failure("/post/0", "X", "Bad.")], failure_count=7_000))
    assert (body["code"], len(body["errors"]), body["errorCount"]) == ("INVALID_REQUEST", 1, 7_000)
    assert "7,000 errors; the first 1,000" in body["detail"]


@pytest.mark.contract("B3")
def test_text_that_no_encoding_can_carry_does_not_break_the_answer():
    """A lone surrogate quoted in a message becomes a question mark; other letters stay as they are."""
    body = answered(not_found("X", "Währung \ud800 \x00 fehlt"))
    assert body["detail"] == "Währung ? \x00 fehlt"


class Conversion(serializers.Serializer[Any]):
    conversionType = serializers.ChoiceField(choices=["FINAL"])


class Element(serializers.Serializer[Any]):
    id = serializers.CharField(max_length=3)
    conversion = Conversion()
    descriptions = serializers.DictField(child=serializers.CharField())
    tags = serializers.ListField(child=serializers.IntegerField())
    lines = Conversion(many=True)

    def validate(self, attrs: Any) -> Any:
        raise serializers.ValidationError("It does not add up.", code="sum-mismatch")


@pytest.mark.contract("B1")
def test_nested_errors_of_a_serializer_get_wire_paths():
    """Groups, maps, lists and lists of groups: the path is the dotted name in the JSON."""
    serializer = Element(
        data={
            "id": "LONG",
            "conversion": {"conversionType": "X"},
            "descriptions": {"en": []},
            "tags": [1, "x"],
            "lines": [{"conversionType": "FINAL"}, {}],
        }
    )
    assert not serializer.is_valid()
    assert [(failure.path, failure.code) for failure in flatten(serializer.errors)] == [
        ("id", "MAX_LENGTH"),
        ("conversion.conversionType", "INVALID_CHOICE"),
        ("descriptions.en", "INVALID"),
        ("tags.1", "INVALID"),
        ("lines.1.conversionType", "REQUIRED"),
    ]


@pytest.mark.contract("B1")
def test_errors_in_a_bulk_body_get_json_pointers():
    """A `/` or `~` in a key is escaped as RFC 6901 says."""
    detail = {"customAttributes": {"a/b~c": [exceptions.ErrorDetail("Bad.", "invalid")]}}
    assert flatten(detail, "/post/17", json_pointer) == [
        Failure("/post/17/customAttributes/a~1b~0c", "INVALID", "Bad.")
    ]


@pytest.mark.contract("B1")
def test_errors_of_an_object_as_a_whole_stand_at_the_object():
    """`non_field_errors` is a name of the framework, not of the wire."""
    valid = {"id": "A", "conversion": {"conversionType": "FINAL"}, "descriptions": {}, "tags": [], "lines": []}
    serializer = Element(data=valid)
    assert not serializer.is_valid()
    assert flatten(serializer.errors) == [Failure("", "SUM_MISMATCH", "It does not add up.")]
    assert flatten({"a": serializer.errors}, "post") == [Failure("post.a", "SUM_MISMATCH", "It does not add up.")]


@pytest.mark.contract("B1")
@pytest.mark.parametrize(
    ("exception", "status", "code"),
    [
        (exceptions.ParseError(), 400, "PARSE_ERROR"),
        (exceptions.AuthenticationFailed(), 401, "AUTHENTICATION_FAILED"),
        (exceptions.NotAuthenticated(), 401, "NOT_AUTHENTICATED"),
        (exceptions.PermissionDenied(), 403, "PERMISSION_DENIED"),
        (exceptions.PermissionDenied(code="no-grant"), 403, "NO_GRANT"),
        (exceptions.NotFound(), 404, "NOT_FOUND"),
        (exceptions.MethodNotAllowed("POST"), 405, "METHOD_NOT_ALLOWED"),
        (exceptions.NotAcceptable(), 406, "NOT_ACCEPTABLE"),
        (exceptions.UnsupportedMediaType("text/plain"), 415, "UNSUPPORTED_MEDIA_TYPE"),
        (exceptions.ValidationError({"id": ["Bad."]}), 400, "INVALID"),
        (exceptions.Throttled(3), 429, "THROTTLED"),
        (Http404("No Currency matches the given query."), 404, "NOT_FOUND"),
        (PermissionDenied(), 403, "PERMISSION_DENIED"),
        (DjangoValidationError({"id": "Bad."}, code="unique"), 400, "INVALID"),
        (DjangoValidationError("Bad.", code="unique"), 400, "UNIQUE"),
        (RequestDataTooBig(), 413, "BODY_TOO_LARGE"),
        (UnreadablePostError(), 400, "INCOMPLETE_BODY"),
        (TooManyFieldsSent(), 400, "TOO_MANY_PARAMETERS"),
        (SuspiciousOperation("secret"), 400, "INVALID_REQUEST"),
        (OperationalError("secret"), 503, "DATABASE_UNAVAILABLE"),
        (OSError(errno.ENOSPC, "secret"), 503, "STORAGE_FULL"),
        (OSError(errno.EACCES, "secret"), 500, "INTERNAL_ERROR"),
        (RuntimeError("secret"), 500, "INTERNAL_ERROR"),
    ],
    ids=lambda value: f"{type(value).__module__}.{type(value).__name__}" if isinstance(value, Exception) else None,
)
def test_each_exception_has_its_status_and_code(exception, status, code):
    """What the frameworks raise becomes a problem, without internal details."""
    problem = as_problem(exception)
    assert (problem.status_code, problem.code) == (status, code)
    assert "secret" not in json.dumps(answered(problem))


@pytest.mark.contract("B1")
def test_failures_that_a_model_finds_are_listed_with_their_fields():
    """Django's own validation error is flattened as the serializer's is."""
    found = DjangoValidationError({"id": [DjangoValidationError("Bad.", code="unique")], "__all__": ["Worse."]})
    assert as_problem(found).failures == (Failure("id", "UNIQUE", "Bad."), Failure("", "INVALID", "Worse."))
