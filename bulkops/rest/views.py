"""The REST routes of bulk save."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from tempfile import SpooledTemporaryFile
from typing import IO, ClassVar, cast

from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from bulkops.rest import operations
from bulkops.save.envelope import read_envelope
from bulkops.save.saving import BulkSave
from dimensions_site.api.access.throttling import BulkThrottle, CallThrottle
from dimensions_site.api.errors import Failure, bad_request
from dimensions_site.api.json.texts import shown
from dimensions_site.api.parsers import BulkBodyParser
from dimensions_site.elements.rest.dimension import DimensionViewSet
from dimensions_site.repositories.models import Role

DRY_RUN = "dryRun"
# Responses up to this size, in bytes, are kept in memory.
_SMALL = 1024 * 1024
_PIECE = 64 * 1024


class BulkViewSet(DimensionViewSet):
    """Saves many elements in one call (contract E)."""

    # Whether the response has the saved elements, or only says that they are saved (contract E3).
    answers_elements: ClassVar[bool]
    timeout = settings.BULK_WAIT_SECONDS

    schema = operations.BulkSchema()
    throttle_classes = (CallThrottle, BulkThrottle)
    parser_classes = (BulkBodyParser,)
    query_parameters: ClassVar[dict[str, frozenset[str] | None]] = {"save": frozenset({DRY_RUN})}
    roles: ClassVar[dict[str, Role]] = {"save": Role.EDITOR}

    @operations.SAVE
    def save(self, request: Request, **path: str) -> HttpResponseBase:
        """Create, replace and modify the elements in the body: all of them or none (contract E1 to E4)."""
        failures = self.further_failures()
        if failures:
            raise bad_request(failures)
        envelope = read_envelope(cast(bytearray, request.data))
        bulk_save = BulkSave(self.dimension, self.scope.repository, self.actor)
        response: HttpResponseBase
        if self.answers_elements:
            # The response is complete before the transaction ends, and sent after its locks are released.
            with ExitStack() as resources:
                answer = cast(IO[bytes], resources.enter_context(SpooledTemporaryFile(_SMALL)))
                bulk_save.run(envelope, dry_run=self.is_trial, answer=answer)
                response = _streamed(answer)
                resources.pop_all()  # from here on the response closes it
        else:
            bulk_save.run(envelope, dry_run=self.is_trial)
            response = HttpResponse(b'{"code":"SUCCESS"}', content_type="application/json")
        if self.is_trial:
            response["Preference-Applied"] = DRY_RUN
        return response

    def further_failures(self) -> Sequence[Failure]:
        if self._dry_run in ("true", "false"):
            return ()
        message = f"{DRY_RUN} must be true or false; got {shown(self._dry_run)}."
        return [Failure(DRY_RUN, "INVALID", message)]

    @property
    def is_trial(self) -> bool:
        return self._dry_run == "true"

    @property
    def is_remembered(self) -> bool:
        return not self.is_trial  # it does nothing that could be done twice

    @property
    def _dry_run(self) -> str:
        return self.request.query_params.get(DRY_RUN, "false")


def _streamed(file: IO[bytes]) -> HttpResponseBase:
    """Return the response with the content of `file`, which is closed at its end."""
    response = StreamingHttpResponse(_Pieces(file), content_type="application/json")
    response["Content-Length"] = str(file.tell())
    file.seek(0)
    return response


class _Pieces(Iterator[bytes]):
    """A file piece by piece. The response closes it even if nothing is read, while a generator would not start."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def __next__(self) -> bytes:
        if not self._file.closed and (piece := self._file.read(_PIECE)):
            return piece
        self.close()  # not every server closes what it has read to its end
        raise StopIteration

    def close(self) -> None:
        """Close the file."""
        self._file.close()
