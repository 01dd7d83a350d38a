"""Perform a POST with an idempotency key once, and replay its answer to retries (design/idempotency.md)."""

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from dimensions_site.api.errors import Problem, as_problem
from dimensions_site.api.views import ConventionsMixin
from dimensions_site.idempotency.answers import HEADER, KeyedRequest, checked_key, find, fingerprint, keep, replay
from dimensions_site.idempotency.locks import StillRunning, transaction_of_one
from dimensions_site.repositories.permissions import Scope
from dimensions_site.text.formats import shortened

# Statuses that are stored: errors in the request. Others depend on the client's rights or on the moment.
_FINAL = frozenset({400, 404, 412})
# The code of errors with one of these statuses that ask the client to retry.
_TRY_AGAIN = "CONFLICT"


class IdempotentMixin(ConventionsMixin):
    """Performs a POST with the header `Idempotency-Key` once, however often it is sent.

    The changes and the stored answer are one transaction, which begins here. Access and query parameters are checked
    each time before. The handler's response has its content, or is streamed with a Content-Length.
    """

    # How many seconds a POST with a key waits for other writers on SQLite; None: as long as any other writer.
    timeout: ClassVar[float | None] = None

    user: User
    scope: Scope
    # The handler of POST. REST framework looks it up after `initial`.
    post: Callable[..., HttpResponseBase]

    _body_digest = b""

    def get_parser_context(self, http_request: HttpRequest) -> dict[str, Any]:
        context = super().get_parser_context(http_request)
        if http_request.method == "POST" and HEADER in http_request.headers:
            context["on_body"] = self._digest
        return context

    def header_checks(self) -> Sequence[Callable[[], object]]:
        return [*super().header_checks(), self._take_key]

    def _take_key(self) -> None:
        """Have a POST with a key performed once. Raises Problem 400 for an invalid key."""
        if self.request.method == "POST" and HEADER in self.request.headers:
            key = checked_key(self.request.headers[HEADER])
            if self.is_remembered:
                self.post = partial(self._once, key, self.post)

    @property
    def is_remembered(self) -> bool:
        """Return whether the request must not be performed twice."""
        return True

    def _digest(self, body: bytearray) -> None:
        self._body_digest = hashlib.sha256(body).digest()

    def _once(
        self, key: str, handle: Callable[..., HttpResponseBase], request: Request, **path: str
    ) -> HttpResponseBase:
        """Return the answer to the first request with this key, which may be this one.

        Raises Problem 409 while that one is running, and 422 if it was a different request.
        """
        digest, rejection = self._read(request)
        query = request.META.get("QUERY_STRING", "")
        fingerprinted = fingerprint(str(request.method), request.path_info, query, digest)
        sent = KeyedRequest(self.user, self.scope.repository, key, fingerprinted)
        stored = find(sent)
        if stored is None:
            try:
                with transaction_of_one(sent.name, self.timeout):
                    stored = find(sent)  # it may have been stored just now
                    if stored is None:
                        return keep(sent, self._decide(rejection, handle, request, path))
            except StillRunning:
                raise _in_use(key) from None
        return replay(stored, sent)

    def _read(self, request: Request) -> tuple[bytes, Problem | None]:
        """Read the body before any lock is taken; return its digest, and the error of the body as a whole.

        Raises the error if the body has not arrived completely.
        """
        try:
            _ = request.data
        except Problem as problem:
            if not self._body_digest:
                raise
            return self._body_digest, problem
        return self._body_digest, None

    def _decide(
        self, rejection: Problem | None, handle: Callable[..., HttpResponseBase], request: Request, path: dict[str, str]
    ) -> HttpResponseBase:
        """Return the handler's response, which may be an error; raise errors that must not be stored."""
        try:
            with transaction.atomic():
                if rejection is not None:
                    raise rejection
                return handle(request, **path)
        except Exception as error:
            problem = as_problem(error)
            # What the savepoint cannot undo is undone with the whole transaction, which then cannot store an answer.
            if problem.status_code not in _FINAL or problem.code == _TRY_AGAIN or transaction.get_rollback():
                raise
            return self.handle_exception(error)


def _in_use(key: str) -> Problem:
    detail = (
        f"A request with the {HEADER} '{shortened(key)}' is still running. Send it again in a moment to get its answer."
    )
    return Problem(409, "IDEMPOTENCY_KEY_IN_USE", detail, headers={"Retry-After": "1"})
