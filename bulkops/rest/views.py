"""The REST routes of bulk saves and of asynchronous deletion."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO, ClassVar, cast, get_args

import orjson
from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.functional import cached_property
from rest_framework.request import Request
from rest_framework.response import Response

from bulkops.jobs import processing
from bulkops.models import DataProcessing
from bulkops.rest import operations
from bulkops.rest.bodies import EMPTY_CELLS, LinesParser, RowsBody, TableParser, empty_cells_failures, read_elements
from bulkops.rest.schema import SAVED, DeletionForm, DeletionStart, stopped_message
from bulkops.session.envelope import read_envelope, read_ids
from bulkops.session.items import Envelope, SaveMode
from bulkops.session.session import save_all
from dimensions_site.api.access.throttling import BulkThrottle, CallThrottle
from dimensions_site.api.errors import Failure, bad_request, check_all, quoted
from dimensions_site.api.json.texts import shown_value
from dimensions_site.api.lists import AFTER, BY_KEY, linked_page
from dimensions_site.api.parsers import BulkBodyParser
from dimensions_site.api.rendering import media_type
from dimensions_site.db.postgresql.streaming import snapshot
from dimensions_site.elements.rest.dimension import DimensionViewSet
from dimensions_site.repositories.models import Role

DRY_RUN, MODE, SAVE_MODE = "dryRun", "mode", "saveMode"
# The values of the query parameters, the default first; JSON bodies say the others themselves (contract K3).
PARAMETERS: Mapping[str, Sequence[str]] = {
    DRY_RUN: ("false", "true"),
    MODE: ("merge", "post", "put"),
    SAVE_MODE: get_args(SaveMode),
}
# The parameter of a deletion for what to do with elements that are in use.
REFERENCES = "references"
# The preference for an answer without the saved elements (contract K2).
_MINIMAL = "return=minimal"
# The headers with the counts of the elements of a request, by what saving them does (contract K2).
_COUNT_HEADERS = ("X-Created", "X-Changed", "X-Unchanged")
# Responses up to this size, in bytes, are kept in memory.
_SMALL = 1024 * 1024
# How many deletions are read from the database at a time.
_DELETIONS_TOGETHER = 100


class BulkViewSet(DimensionViewSet):
    """Saves many elements in one call (contract E)."""

    # Whether the response has the saved elements, or only says that they are saved (contract E3).
    answers_elements = False
    timeout = settings.BULK_WAIT_SECONDS

    schema = operations.BulkSchema()
    throttle_classes = (CallThrottle, BulkThrottle)
    parser_classes = (BulkBodyParser, LinesParser, TableParser)
    query_parameters: ClassVar[dict[str, frozenset[str] | None]] = dict.fromkeys(
        ("save", "save_minimal"), frozenset({*PARAMETERS, EMPTY_CELLS})
    )
    roles: ClassVar[dict[str, Role]] = {"save": Role.EDITOR, "save_minimal": Role.EDITOR}
    writing: ClassVar[Mapping[str, bool]] = dict.fromkeys(roles, False)

    @operations.SAVE
    def save(self, request: Request, **path: str) -> HttpResponseBase:
        """Create, replace and modify the elements in the body: all of them or none (contract E1 to E4)."""
        response: HttpResponseBase
        is_minimal = bool(self.refused) or self.prefers(_MINIMAL)
        with ExitStack() as resources, self._reading(cast(bytearray | RowsBody, request.data)) as envelope:
            save = partial(save_all, self.dimension, self.scope.repository, self.actor, envelope, dry_run=self.is_trial)
            if self.answers_elements and not is_minimal and self.action == "save":
                # The response is complete before the transaction ends, and sent after its locks are released.
                answer = cast(IO[bytes], resources.enter_context(SpooledTemporaryFile(_SMALL)))
                counts = save(answer=answer)
                response = _AnswerFile(answer)
                resources.pop_all()  # from here on the response closes it
            else:
                counts = save()
                response = HttpResponse(orjson.dumps(SAVED), content_type="application/json")
        for name, count in zip(_COUNT_HEADERS, counts, strict=True):
            response[name] = str(count)
        applied = [*([DRY_RUN] if self.is_trial else []), *([_MINIMAL] if is_minimal else [])]
        if applied:
            response["Preference-Applied"] = ", ".join(applied)
        return response

    @operations.SAVE_MINIMAL
    def save_minimal(self, request: Request, **path: str) -> HttpResponseBase:
        """Do what `save` does, and return none of the elements (contract K2)."""
        return self.save(request, **path)

    @contextmanager
    def _reading(self, body: bytearray | RowsBody) -> Iterator[Envelope]:
        if isinstance(body, bytearray):
            yield read_envelope(body)
            return
        with read_elements(body, self.request, self.dimension, self.scope.repository, self._parameter(MODE)) as read:
            yield replace(read, save_mode=cast(SaveMode, self._parameter(SAVE_MODE)))

    def check_values(self) -> None:
        body = media_type(self.request.content_type)
        replacing = "mode=put" if self._parameter(MODE) == "put" else ""
        failures = [*empty_cells_failures(self.request.query_params, body, replacing)]
        for name in self.request.query_params.keys() & PARAMETERS.keys():
            sent = self.request.query_params[name]
            if name != DRY_RUN and body == BulkBodyParser.media_type:
                own = "post, put or merge" if name == MODE else name
                message = f"{name} is a parameter of bodies in NDJSON and CSV; a JSON body has {own} instead."
                failures.append(Failure(name, "UNKNOWN_PARAMETER", message))
            elif sent not in PARAMETERS[name]:
                message = f"{name} must be {' or '.join(PARAMETERS[name])}; got {shown_value(sent)}."
                failures.append(Failure(name, "INVALID", message))
        check_all(sorted(failures, key=lambda failure: failure.path))

    @property
    def is_trial(self) -> bool:
        return self._parameter(DRY_RUN) == "true"

    @property
    def is_remembered(self) -> bool:
        return not self.is_trial  # it does nothing that could be done twice

    def _parameter(self, name: str) -> str:
        """Return the query parameter as sent, or the first of its values if none of them was sent."""
        default = PARAMETERS[name][0]
        sent = self.request.query_params.get(name, default)
        return sent if sent in PARAMETERS[name] else default


class _AnswerFile(FileResponse):
    """An answer that was written to a file, from its beginning. It closes the file even if nothing is read."""

    block_size = 64 * 1024

    def __init__(self, file: IO[bytes]) -> None:
        file.seek(0)
        super().__init__(file, content_type="application/json")
        self.file_to_stream = None  # gunicorn would put it on the disk to send it
        self._file = file

    def __iter__(self) -> Iterator[bytes]:
        with self._file:  # not everybody who reads it to its end closes the answer
            yield from super().__iter__()


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
        ids = read_ids(cast(bytearray, request.data))
        keep_used = request.query_params.get(REFERENCES) == "refuse"
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
            self._check_references()
        elif self.action == "list":
            self.paging()

    def _texts(self, rows: QuerySet[DataProcessing]) -> Iterator[str]:
        readable = self._readable
        with snapshot(connection):
            for row in rows.iterator(chunk_size=_DELETIONS_TOGETHER):
                yield orjson.dumps(self.form.listed(row, readable)).decode()

    @property
    def _readable(self) -> Collection[str]:
        return [dimension.name for dimension in self.readable_referring()]

    def _check_references(self) -> None:
        """Raise 400 for an invalid value of the parameter that lets elements in use stay (contract L2)."""
        text = self.request.query_params.get(REFERENCES, "ignore")
        if text not in ("ignore", "refuse"):
            message = f"{REFERENCES} must be ignore or refuse; got {quoted(text)}."
            raise bad_request([Failure(REFERENCES, "INVALID_VALUE", message)])
