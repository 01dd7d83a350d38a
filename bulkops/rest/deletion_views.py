"""The REST routes of asynchronous deletion."""

from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar, cast

import orjson
from django.db import connection
from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.urls import ResolverMatch, reverse
from rest_framework.request import Request
from rest_framework.response import Response

from bulkops.jobs import processing
from bulkops.models import DataProcessing
from bulkops.rest import operations
from bulkops.rest.processing_form import ProcessingForm, stopped_message
from bulkops.save.envelope import read_ids
from dimensions_site.api.access.throttling import BulkThrottle, CallThrottle
from dimensions_site.api.errors import Failure, Problem, bad_request, quoted
from dimensions_site.api.pagination import AFTER, BY_KEY, SkipTake, linked_page
from dimensions_site.api.parsers import BulkBodyParser
from dimensions_site.api.rendering import json_array
from dimensions_site.db.postgresql.streaming import snapshot
from dimensions_site.elements.reading.streams import begin_stream
from dimensions_site.elements.rest.dimension import DimensionViewSet
from dimensions_site.repositories.models import Role

# The parameter for what to do with elements that are in use.
REFERENCES = "references"
# How many deletions are read from the database at a time.
_ROWS = 100


class DeletionViewSet(DimensionViewSet):
    """Starts, shows, lists and aborts the deletion of many elements (contract F)."""

    form: ClassVar[ProcessingForm]
    # The HTTP status of the response to an abort.
    aborted: ClassVar[int]
    # Of the two spellings of the start path, the one in the specification of the dimension (contract A2).
    listed_start: ClassVar[str]

    schema = operations.DeletionSchema()
    throttle_classes = (CallThrottle, BulkThrottle)
    parser_classes = (BulkBodyParser,)
    query_parameters: ClassVar[dict[str, frozenset[str] | None]] = {
        "list": frozenset({"skip", "take", AFTER}),
        "start": frozenset({REFERENCES}),
    }
    roles: ClassVar[dict[str, Role]] = {"start": Role.MANAGER, "abort": Role.MANAGER}

    @operations.START
    def start(self, request: Request, **path: str) -> HttpResponse:
        """Start the deletion of the elements in the body: 202 with the URL of its status (contract F1, F2)."""
        keep_used, failures = self._references_query()
        if failures:
            raise bad_request(failures)
        ids = read_ids(cast(bytearray, request.data))
        started = processing.start(self.scope, self.user, ids, self.reason, keep_used=keep_used)
        namespace = cast(ResolverMatch, self.request.resolver_match).namespace
        place = reverse(f"{namespace}:deletion", kwargs={"db_id": path["db_id"], "oid": started.oid})
        content = orjson.dumps({"dataProcessingId": started.oid})
        return HttpResponse(content, status=202, content_type="application/json", headers={"Location": place})

    @operations.LIST
    def list(self, request: Request, **path: str) -> StreamingHttpResponse:
        """Return the deletions of this dimension of this repository, the latest first, streamed (contract H2)."""
        page, link = linked_page(processing.deletions_in(self.scope), BY_KEY, self._paging(), request)
        texts = self._texts(page)
        return StreamingHttpResponse(begin_stream(texts, json_array), content_type="application/json", headers=link)

    @operations.SHOW
    def show(self, request: Request, **path: str) -> Response:
        """Return the progress of the deletion (contract F3, F4)."""
        return Response(self.form.status(processing.find(self.scope, path["oid"]), self._readable))

    @operations.ABORT
    def abort(self, request: Request, **path: str) -> Response:
        """Stop the deletion before its next chunk (contract F5)."""
        found = processing.find(self.scope, path["oid"])
        processing.abort(found)
        return Response(stopped_message(found.oid), status=self.aborted)

    def further_failures(self) -> Sequence[Failure]:
        if self.action == "start":
            return self._references_query()[1]
        if self.action == "list":
            try:
                self._paging()
            except Problem as problem:
                return problem.failures
        return ()

    def _texts(self, rows: QuerySet[DataProcessing]) -> Iterator[str]:
        readable = self._readable
        with snapshot(connection):
            for row in rows.iterator(chunk_size=_ROWS):
                yield orjson.dumps(self.form.listed(row, readable)).decode()

    @property
    def _readable(self) -> Collection[str]:
        return [dimension.name for dimension in self.readable_referring()]

    def _references_query(self) -> tuple[bool, Sequence[Failure]]:
        """Return whether elements in use stay (contract L2), and the error in the parameter for that."""
        text = self.request.query_params.get(REFERENCES, "ignore")
        if text in ("ignore", "refuse"):
            return text == "refuse", []
        message = f"{REFERENCES} must be ignore or refuse; got {quoted(text)}."
        return False, [Failure(REFERENCES, "INVALID_VALUE", message)]

    def _paging(self) -> SkipTake:
        query = self.request.query_params
        return SkipTake.parse(query.get("skip"), query.get("take"), query.get(AFTER), BY_KEY)
