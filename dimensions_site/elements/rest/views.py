"""The REST routes of single elements and of their lists."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar
from urllib.parse import quote

import orjson
from django.http import HttpResponse, HttpResponseNotModified, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, re_path
from django.utils.cache import patch_vary_headers
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from dimensions_site.api.errors import Failure, Problem, bad_request, check_all, not_found, quoted
from dimensions_site.api.parsers import ElementParser, MergePatchParser
from dimensions_site.api.rendering import CsvRenderer, JSONRenderer, NdjsonRenderer, content_type
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.history.moments import token_of
from dimensions_site.elements.reading.etags import check_preconditions, etag_of, not_modified
from dimensions_site.elements.reading.filters import ElementFilter
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.reading.replicas import from_replica
from dimensions_site.elements.reading.selection import PARAMETER as PROPERTIES
from dimensions_site.elements.reading.selection import select
from dimensions_site.elements.reading.statements import Selection
from dimensions_site.elements.reading.uses import Uses, find_uses
from dimensions_site.elements.rest import operations
from dimensions_site.elements.rest.dimension import (
    AS_OF,
    SYNC_TOKEN,
    DimensionViewSet,
    invalid_ids,
    stream_elements,
)
from dimensions_site.elements.rest.parameters import MAX_USED_IDS
from dimensions_site.elements.writing.editing import Editor, Saved
from dimensions_site.observability.observation import count_read
from dimensions_site.repositories.models import Role

UNUSED = "unused"
LIST_PARAMETERS = frozenset({"filter", "sort", "skip", "take", AS_OF, UNUSED})


class ElementViewSet(DimensionViewSet):
    """Create, read, replace, modify, list, count and fetch the elements of one dimension of one repository."""

    query_parameters: ClassVar[dict[str, frozenset[str] | None]] = {
        "list": LIST_PARAMETERS,
        "count": LIST_PARAMETERS,
        "fetch": LIST_PARAMETERS | {PROPERTIES},
        "uses": frozenset({"id"}),
    }
    further_renderers: ClassVar[Mapping[str, Sequence[type[BaseRenderer]]]] = dict.fromkeys(
        ("list", "fetch"), (CsvRenderer, NdjsonRenderer)
    )
    parser_classes = (ElementParser, MergePatchParser)
    method_hints: ClassVar[dict[str, str]] = {"DELETE": " Elements are deleted by POST elements-bulk-delete-async."}
    roles: ClassVar[dict[str, Role]] = {"create": Role.EDITOR, "replace": Role.EDITOR, "modify": Role.EDITOR}
    writing: ClassVar[Mapping[str, bool]] = dict.fromkeys(roles, False)
    tagged = frozenset({"retrieve", "replace", "modify"})

    # --- Reading -------------------------------------------------------------------------------

    @operations.LIST
    @from_replica
    def list(self, request: Request, **path: str) -> HttpResponseBase:
        """Stream the elements that the filter selects, as a bare array, lines or a table (contract D7, H4)."""
        return self._streamed(*self._parameters())

    @operations.FETCH
    @from_replica
    def fetch(self, request: Request, **path: str) -> HttpResponseBase:
        """Return the elements that the filter selects, with the selected properties only (contract D8, H1)."""
        return self._streamed(*self._parameters())

    @operations.COUNT
    @from_replica
    def count(self, request: Request, **path: str) -> Response:
        """Return the number of elements that the filter selects; `sort`, `skip` and `take` are checked and ignored."""
        selection, _ = self._parameters()
        return Response(selection.count())

    @operations.USES
    @from_replica
    def uses(self, request: Request, **path: str) -> HttpResponse:
        """Return what refers to the elements that `id` names, in this order; each id once (contract L1)."""
        ids = self._used_ids()
        found = find_uses(self.dimension, self.scope.repository, ids, self.readable_referring(), using=self.database)
        answer = [
            {"id": id, "usedBy": uses.first, "count": uses.count} for id in ids for uses in [found.get(id, Uses())]
        ]
        return HttpResponse(orjson.dumps(answer), content_type="application/json")

    @operations.RETRIEVE
    @from_replica
    def retrieve(self, request: Request, **path: str) -> HttpResponse:
        """Return one element, with its entity tag (contract C16)."""
        renderer = full_renderer(self.dimension, self.scope.repository.default_language)
        text = renderer.one(self.scope.repository, path["id"], using=self.database)
        if text is None:
            raise self._unknown(path["id"])
        if not_modified(request, etag_of(text)):
            return HttpResponseNotModified(headers={"ETag": etag_of(text)})
        return self._answer(text)

    # --- Writing -------------------------------------------------------------------------------
    # The answer is what the statement that writes returns, so that it shows this write and not a later one. The body is
    # read before: on SQLite a transaction holds the write lock, and a slow client would keep it.

    @operations.CREATE
    def create(self, request: Request, **path: str) -> HttpResponse:
        """Create an element: 201 with its location (contract C13)."""
        return self._saved(self._editor.create(request.data))

    @operations.REPLACE
    def replace(self, request: Request, **path: str) -> HttpResponse:
        """Replace the element, or insert it: 200, or 201 with its location (contract C14)."""
        return self._saved(self._editor.replace(path["id"], request.data))

    @operations.MODIFY
    def modify(self, request: Request, **path: str) -> HttpResponse:
        """Change the fields in the body and leave the others (contract C15)."""
        saved = self._editor.modify(path["id"], request.data)
        if saved is None:
            raise self._unknown(path["id"])
        return self._saved(saved)

    # --- Shared --------------------------------------------------------------------------------

    @property
    def _editor(self) -> Editor:
        return Editor(self.dimension, self.scope.repository, self.actor, self._allow)

    def _allow(self, text: str | None) -> None:
        check_preconditions(self.request, None if text is None else etag_of(text))

    def _unknown(self, id: str) -> Problem:
        return not_found(
            "ELEMENT_NOT_FOUND", f"There is no {self.dimension} '{id}' in repository '{self.scope.repository.db_id}'."
        )

    def _saved(self, saved: Saved) -> HttpResponse:
        count_read(1)
        if not saved.is_new:
            return self._answer(saved.text)
        location = f"{self.address('elements')}/{quote(saved.id, safe='')}"  # contract C13
        return self._answer(saved.text, status=201, Location=location)

    def _answer(self, text: str, *, status: int = 200, **headers: str) -> HttpResponse:
        return HttpResponse(
            text.encode(), status=status, content_type="application/json", headers={"ETag": etag_of(text), **headers}
        )

    def check_values(self) -> None:
        if LIST_PARAMETERS & (self.allowed_query_parameters() or set()):
            self._parameters()
        elif self.action == "uses":
            self._used_ids()

    def repeatable_query_parameters(self) -> frozenset[str]:
        return frozenset({"id"} if self.action == "uses" else ())

    def _used_ids(self) -> Sequence[str]:
        """Return the ids that the client names, each once. Raises 400 with the errors in them."""
        ids = self.request.query_params.getlist("id")
        failures = invalid_ids(ids)
        if not ids:
            failures = [Failure("id", "REQUIRED", "id is missing; write for example id=1000&id=2000.")]
        elif len(ids) > MAX_USED_IDS:
            failures = [Failure("id", "TOO_MANY", f"id appears {len(ids):,} times; the limit is {MAX_USED_IDS}.")]
        check_all(failures)
        return [*dict.fromkeys(ids)]

    def _parameters(self) -> tuple[Selection, Sequence[str]]:
        """Return what the query parameters of a list select, and the paths of the properties that a fetch returns.

        Raises 400 with everything that is wrong with them.
        """
        query = self.request.query_params
        matching = ElementFilter(self.dimension, self.scope.repository, query.get("filter"))
        paths, is_unused, _, state, paging = check_all(
            (),
            self._paths,
            self._is_unused,
            lambda: check_all(matching.failures(query.get("sort"))),
            lambda: self.moment(AS_OF),
            self.paging,
        )
        return Selection(matching, query.get("sort"), is_unused, state, paging, self.database), paths

    def _paths(self) -> Sequence[str]:
        """Return the paths of the properties that a fetch returns. Raises 400 with the errors in them."""
        if self.action != "fetch":
            return ()
        paths, failures = select(self.dimension.wire, self.request.query_params.get(PROPERTIES))
        check_all(failures)
        return paths

    def _is_unused(self) -> bool:
        """Return whether only elements are wanted that nothing refers to (contract L1). Raises 400."""
        text = self.request.query_params.get(UNUSED, "false")
        if text not in ("true", "false"):
            raise bad_request(
                [Failure(UNUSED, "INVALID_VALUE", f"{UNUSED} must be true or false; got {quoted(text)}.")]
            )
        if text == "true" and AS_OF in self.request.query_params:
            message = f"{UNUSED} asks what is used now; leave it or {AS_OF} out."
            raise bad_request([Failure(UNUSED, "CONFLICTING_PARAMETERS", message)])
        return text == "true"

    def _streamed(self, selection: Selection, paths: Sequence[str]) -> StreamingHttpResponse:
        """Return the page of elements, written while the rows are read, in the negotiated media type."""
        accepted = self.request.accepted_renderer
        # HEAD sends no body, so one row is enough to know the status.
        if self.request.method == "HEAD" and selection.paging.take != 0:
            selection = replace(selection, paging=replace(selection.paging, take=1))
        headers = {SYNC_TOKEN: token_of(selection.state or self.state_now())}  # before the rows are read
        headers |= self.count_headers(selection.count)  # before the list, which keeps the connection
        response = StreamingHttpResponse(
            stream_elements(accepted, selection, paths), content_type=content_type(accepted), headers=headers
        )
        patch_vary_headers(response, ["Accept"])
        if not isinstance(accepted, JSONRenderer):
            name = f"{self.scope.repository.db_id}-{self.dimension}.{accepted.format}"
            response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response


def element_routes(dimension: Dimension, *, ignores_query: Collection[str] = ()) -> list[URLPattern]:
    """Return the routes of one dimension, below `{dbID}/<dimension>/`.

    Actions in `ignores_query` take any query parameters. An id may contain any character, `/` included (contract A3); a
    path with a trailing slash is no route of its own (A5).
    """
    parameters = {**ElementViewSet.query_parameters, **dict.fromkeys(ignores_query)}
    view = partial(ElementViewSet.as_view, dimension=dimension, query_parameters=parameters)
    element = view({"get": "retrieve", "put": "replace", "patch": "modify"})
    return [
        path("elements", view({"get": "list", "post": "create"}), name="elements"),
        re_path(r"^elements/(?P<id>(?s:.+))\Z", element, name="element"),
        *(
            path(f"elements-{name}", view({"get": name}), name=f"elements-{name}")
            for name in ("count", "fetch", "uses")
        ),
    ]
