"""The one place where a POST with a key is done once, and its repetitions get the first answer."""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from dimensions_site.api.errors import Problem, as_problem
from dimensions_site.api.problems import shortened
from dimensions_site.api.views import ConventionsMixin
from dimensions_site.idempotency.answers import find, keep, replay
from dimensions_site.idempotency.keys import HEADER, KeyedRequest, checked, fingerprint
from dimensions_site.idempotency.locks import StillRunning, transaction_of_one
from dimensions_site.repositories.permissions import Scope

# Refusals that are kept: about what the request says. The others depend on who asks, or on the moment.
_FINAL = frozenset({400, 404, 412})
# The code of the refusals, of these statuses too, that ask the caller to try again.
_TRY_AGAIN = "CONFLICT"


class IdempotentMixin(ConventionsMixin):
    """Does a POST that carries the header Idempotency-Key once, however often it is sent.

    What a handler does and the answer that tells of it are one transaction, which this begins. Access is checked
    before, each time, and so are the query parameters. The answer of a handler has its content, or is streamed and
    has a Content-Length.
    """

    # For how many seconds a POST with a key waits on SQLite for other writers; None: as long as any other writer.
    patience: ClassVar[float | None] = None

    user: User
    scope: Scope
    # The handler of POST. REST framework looks for it after `initial`.
    post: Callable[..., HttpResponseBase]

    _body_digest: bytes | None = None

    def get_parser_context(self, http_request: HttpRequest) -> dict[str, Any]:
        context = super().get_parser_context(http_request)
        if http_request.method == "POST" and HEADER in http_request.headers:
            context["on_body"] = self._digest
        return context

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raise the first refusal that applies, at last Problem 400 for a key that is none."""
        super().initial(request, *args, **kwargs)
        if request.method == "POST" and HEADER in request.headers:
            self.post = partial(self._once, checked(request.headers[HEADER]), self.post)

    def _digest(self, body: bytearray) -> None:
        self._body_digest = hashlib.sha256(body).digest()

    def _once(
        self, key: str, handle: Callable[..., HttpResponseBase], request: Request, **path: str
    ) -> HttpResponseBase:
        """The answer to the first request with this key, which may be this one.

        Raises Problem 409 while that is at work, and 422 when it was another one.
        """
        digest, fault = self._read(request)
        query = request.META.get("QUERY_STRING", "")
        asked = fingerprint(str(request.method), request.path_info, query, digest)
        sent = KeyedRequest(self.user, self.scope.repository, key, asked)
        stored = find(sent)
        if stored is None:
            try:
                with transaction_of_one(sent.name, self.patience):
                    stored = find(sent)  # another one may just have ended
                    if stored is None:
                        return keep(sent, self._decide(fault, handle, request, path))
            except StillRunning:
                raise _in_use(key) from None
        return replay(stored, sent)

    def _read(self, request: Request) -> tuple[bytes, Problem | None]:
        """Read the body, before anything is locked; return its digest, and what is wrong with it as a whole.

        Raises for one that has not arrived, or not whole.
        """
        fault = None
        try:
            _ = request.data
        except Problem as problem:
            fault = problem
        if self._body_digest is None:
            raise fault or RuntimeError("The parser of this view tells nobody what it has read.")
        return self._body_digest, fault

    def _decide(
        self, fault: Problem | None, handle: Callable[..., HttpResponseBase], request: Request, path: dict[str, str]
    ) -> HttpResponseBase:
        """What the handler answers, also as a refusal; raises those that are not to be kept."""
        try:
            with transaction.atomic():
                if fault is not None:
                    raise fault
                return handle(request, **path)
        except Exception as error:
            problem = as_problem(error)
            # What could not be undone by itself is undone with everything: then nothing can be kept.
            if problem.status_code not in _FINAL or problem.code == _TRY_AGAIN or transaction.get_rollback():
                raise
            return self.handle_exception(error)


def _in_use(key: str) -> Problem:
    detail = f"A request with the {HEADER} '{shortened(key)}' is at work. Send it again in a moment to get its answer."
    return Problem(409, "IDEMPOTENCY_KEY_IN_USE", detail, headers={"Retry-After": "1"})
