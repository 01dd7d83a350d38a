"""The REST routes of asynchronous deletion."""

from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar, cast

import orjson
from django.db import connection
from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.utils.functional import cached_property
from rest_framework.request import Request
from rest_framework.response import Response

from bulkops.jobs import processing
from bulkops.models import DataProcessing
from bulkops.rest import operations
from bulkops.rest.schema import DeletionForm, DeletionStart, stopped_message
from bulkops.session.envelope import read_ids
from dimensions_site.api.access.throttling import BulkThrottle, CallThrottle
from dimensions_site.api.errors import Failure, bad_request, quoted
from dimensions_site.api.lists import AFTER, BY_KEY, linked_page
from dimensions_site.api.parsers import BulkBodyParser
from dimensions_site.db.postgresql.streaming import snapshot
from dimensions_site.elements.rest.dimension import DimensionViewSet
from dimensions_site.repositories.models import Role

# The parameter for what to do with elements that are in use.
REFERENCES = "references"
# How many deletions are read from the database at a time.
_ROWS = 100


class DeletionViewSet(DimensionViewSet):
    """Starts, shows, lists and aborts the deletion of many elements (contract F)."""

    schema = operations.DeletionSchema()
    throttle_classes = (CallThrottle, BulkThrottle)
    parser_classes = (BulkBodyParser,)
    query_parameters: ClassVar[dict[str, frozenset[str] | None]] = {
        "list": frozenset({"skip", "take", AFTER}),
        "start": frozenset({REFERENCES}),
    }
    roles: ClassVar[dict[str, Role]] = {"start": Role.MANAGER, "abort": Role.MANAGER}
    writing: ClassVar[Mapping[str, bool]] = {"start": True}

    @cached_property
    def form(self) -> DeletionForm:
        """The form with which `as_view` is called."""
        raise NotImplementedError

    @operations.START
    def start(self, request: Request, **path: str) -> HttpResponse:
        """Start the deletion of the elements in the body: 202 with the URL of its status (contract F1, F2)."""
        keep_used = self._keeps_used()
        ids = read_ids(cast(bytearray, request.data))
        started = processing.start(self.scope, self.user, ids, self.reason, keep_used=keep_used)
        headers = {"Location": self.address("deletion", oid=started.oid)}
        content = orjson.dumps(DeletionStart().to_representation(started))
        return HttpResponse(content, status=202, content_type="application/json", headers=headers)

    @operations.LIST
    def list(self, request: Request, **path: str) -> StreamingHttpResponse:
        """Return the deletions of this dimension of this repository, the latest first, streamed (contract H2)."""
        page, link = linked_page(processing.deletions_in(self.scope), BY_KEY, self.paging(), request)
        return self.stream_texts(self._texts(page), link)

    @operations.SHOW
    def show(self, request: Request, **path: str) -> Response:
        """Return the progress of the deletion (contract F3, F4)."""
        return Response(self.form.status(processing.find(self.scope, path["oid"]), self._readable))

    @operations.ABORT
    def abort(self, request: Request, **path: str) -> Response:
        """Stop the deletion before its next chunk (contract F5)."""
        found = processing.find(self.scope, path["oid"])
        processing.abort(found)
        return Response(stopped_message(found.oid), status=self.form.aborted)

    def check_values(self) -> None:
        if self.action == "start":
            self._keeps_used()
        elif self.action == "list":
            self.paging()

    def _texts(self, rows: QuerySet[DataProcessing]) -> Iterator[str]:
        readable = self._readable
        with snapshot(connection):
            for row in rows.iterator(chunk_size=_ROWS):
                yield orjson.dumps(self.form.listed(row, readable)).decode()

    @property
    def _readable(self) -> Collection[str]:
        return [dimension.name for dimension in self.readable_referring()]

    def _keeps_used(self) -> bool:
        """Return whether elements in use stay (contract L2). Raises 400 for an invalid value of the parameter."""
        text = self.request.query_params.get(REFERENCES, "ignore")
        if text not in ("ignore", "refuse"):
            message = f"{REFERENCES} must be ignore or refuse; got {quoted(text)}."
            raise bad_request([Failure(REFERENCES, "INVALID_VALUE", message)])
        return text == "refuse"
