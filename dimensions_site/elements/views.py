"""The REST routes that every dimension has; a concrete view set names its model and its wire."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, ClassVar, cast
from urllib.parse import quote

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseNotModified, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import ResolverMatch, reverse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from dimensions_site.api.errors import Failure, Problem, bad_request, not_found
from dimensions_site.api.pagination import SkipTake
from dimensions_site.api.views import ConventionsMixin
from dimensions_site.elements.editing import Editor
from dimensions_site.elements.etags import check_preconditions, etag_of, is_conditional, not_modified
from dimensions_site.elements.filters import ElementFields, ElementFilterSet
from dimensions_site.elements.models import Element, Origin
from dimensions_site.elements.rendering import CHUNK_ROWS, Plan, Renderer, full_renderer
from dimensions_site.elements.saving import Actor
from dimensions_site.elements.selection import PARAMETER as PROPERTIES
from dimensions_site.elements.selection import select
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.models import Role
from dimensions_site.repositories.permissions import Scope, enter

LIST_PARAMETERS = frozenset({"filter", "sort", "skip", "take"})


class ElementViewSet(ConventionsMixin, ViewSet):
    """Create, read, replace, modify, list, count and fetch the elements of one dimension of one repository."""

    dimension: ClassVar[str]
    model: ClassVar[type[Element]]
    wire: ClassVar[Wire]
    # Wire paths that `filter` may not name.
    unfilterable: ClassVar[frozenset[str]] = frozenset()
    # Actions without an entry take no query parameters; None lets whatever comes pass unread (contract A7).
    query_parameters: ClassVar[dict[str, frozenset[str] | None]] = {
        "list": LIST_PARAMETERS,
        "count": LIST_PARAMETERS,
        "fetch": LIST_PARAMETERS | {PROPERTIES},
    }
    # Actions without an entry are open to readers (contract G2).
    roles: ClassVar[dict[str, Role]] = {"create": Role.EDITOR, "replace": Role.EDITOR, "modify": Role.EDITOR}

    user: User
    scope: Scope

    def resolve_scope(self) -> None:
        """Enter the repository that the path names: the one place where a tenant is chosen (contract A6)."""
        # ConventionsMixin has refused whoever is anonymous.
        self.user = cast(User, self.request.user)
        self.scope = enter(self.user, self.kwargs["db_id"], self.dimension)
        self.scope.require(self.roles.get(self.action or "", Role.READER))
        # Only the address as it was sent, where the server keeps it, tells an id that ends with a slash from a
        # path that does (contract A3, A5).
        if self.request.META.get("RAW_URI", "").partition("?")[0].endswith("/"):
            raise not_found(
                "NOT_FOUND", "Nothing is found at this address: it ends with a slash. In an id a slash is written %2F."
            )

    def allowed_query_parameters(self) -> frozenset[str] | None:
        return self.query_parameters.get(self.action or "", frozenset())

    def _elements(self) -> QuerySet[Any]:
        """The elements of this repository and of no other."""
        return self.model._base_manager.filter(repository=self.scope.repository)

    # --- Reading -------------------------------------------------------------------------------

    def list(self, request: Request, **path: str) -> HttpResponseBase:
        """The elements that the filter selects, as a bare array, streamed (contract D7)."""
        return self._streamed(full_renderer(self.wire, self._language), self._parameters())

    def fetch(self, request: Request, **path: str) -> HttpResponseBase:
        """The elements that the filter selects, with the selected properties only (contract D8, H1)."""
        parameters = self._parameters()
        return self._streamed(Renderer(parameters.plan), parameters)

    def count(self, request: Request, **path: str) -> Response:
        """The number of elements that the filter selects; `sort`, `skip` and `take` are checked and ignored."""
        return Response(self._parameters().selected.order_by().count())

    def retrieve(self, request: Request, **path: str) -> HttpResponse:
        """One element, with its entity tag (contract C16)."""
        text = self._text(path["id"])
        if text is None:
            raise self._unknown(path["id"])
        if not_modified(request, etag_of(text)):
            return HttpResponseNotModified(headers={"ETag": etag_of(text)})
        return self._answer(path["id"], text)

    # --- Writing -------------------------------------------------------------------------------
    # The answer is read in the transaction of the write, so that it shows this write and not a later one. The
    # body is read before: on SQLite a transaction holds the write lock, and a slow client would keep it.

    def create(self, request: Request, **path: str) -> HttpResponse:
        """Create an element: 201 with its location (contract C13)."""
        body = request.data
        with transaction.atomic():
            return self._answer(self._editor.create(body), created=True)

    def replace(self, request: Request, **path: str) -> HttpResponse:
        """Replace the element, or insert it: 200, or 201 with its location (contract C14)."""
        body = request.data
        with transaction.atomic():
            return self._answer(path["id"], created=self._editor.replace(path["id"], body))

    def modify(self, request: Request, **path: str) -> HttpResponse:
        """Change the fields that are sent and leave the others (contract C15)."""
        body = request.data
        with transaction.atomic():
            if not self._editor.modify(path["id"], body):
                raise self._unknown(path["id"])
            return self._answer(path["id"])

    # --- Shared --------------------------------------------------------------------------------

    @property
    def _language(self) -> str:
        return self.scope.repository.default_language

    @property
    def _editor(self) -> Editor:
        actor = Actor(self.user, Origin.INPUT_WEB)
        return Editor(self.model, self.wire.serializer, self.scope.repository, actor, self._allow)

    def _allow(self, id: str) -> None:
        if is_conditional(self.request):
            text = self._text(id)
            check_preconditions(self.request, None if text is None else etag_of(text))

    def _text(self, id: str) -> str | None:
        if "\0" in id:  # no element has it, and PostgreSQL fails on it
            return None
        return full_renderer(self.wire, self._language).one(self._elements().filter(element_id=id))

    def _unknown(self, id: str) -> Problem:
        return not_found(
            "ELEMENT_NOT_FOUND", f"There is no {self.dimension} '{id}' in repository '{self.scope.repository.db_id}'."
        )

    def _answer(self, id: str, text: str | None = None, *, created: bool = False) -> HttpResponse:
        """The response with the element `id`, read now unless its JSON `text` is given."""
        text = text or cast(str, self._text(id))
        headers = {"ETag": etag_of(text)}
        if created:
            headers["Location"] = self._location(id)
        return HttpResponse(
            text.encode(), status=201 if created else 200, content_type="application/json", headers=headers
        )

    def _location(self, id: str) -> str:
        """The path of an element, under the prefix of the request (contract A1, C13)."""
        match = cast(ResolverMatch, self.request.resolver_match)
        elements = reverse(f"{match.namespace}:elements", kwargs={"db_id": self.kwargs["db_id"]})
        return f"{elements}/{quote(id, safe='')}"

    def further_failures(self) -> Sequence[Failure]:
        return self._read_parameters()[1] if LIST_PARAMETERS & (self.allowed_query_parameters() or set()) else ()

    def _parameters(self) -> "ListParameters":
        """What the query parameters of a list mean; raises 400 with everything that is wrong with them."""
        parameters, failures = self._read_parameters()
        if parameters is None:
            raise bad_request(failures)
        return parameters

    def _read_parameters(self) -> "tuple[ListParameters | None, Sequence[Failure]]":
        query = self.request.query_params
        table = ElementFields(self.wire, self.model, self._language, self.unfilterable)
        filterset = ElementFilterSet(query, self._elements(), table=table)
        plan: Plan = {}
        failures: Sequence[Failure] = ()
        if self.action == "fetch":
            plan, failures = select(self.wire, query.get(PROPERTIES), self._language)
        failures = [*failures, *filterset.failures]
        try:
            paging = SkipTake.parse(query.get("skip"), query.get("take"))
        except Problem as problem:
            failures += problem.failures
        if failures:
            return None, failures
        return ListParameters(filterset.qs, filterset.qs[paging.window], plan), []

    def _streamed(self, renderer: Renderer, parameters: "ListParameters") -> StreamingHttpResponse:
        """The page of elements as a JSON array that is written while the rows are read."""
        # Of what HEAD does not send, one row is enough to know the status.
        texts = renderer.each(parameters.page[:1] if self.request.method == "HEAD" else parameters.page)
        # The query runs before the status is sent: what goes wrong in it is still answered as an error. A list of
        # one piece is read to its end here, so that its transaction is over before anybody waits for the network.
        first = list(islice(texts, CHUNK_ROWS))
        response = StreamingHttpResponse(_array(chain(first, texts)), content_type="application/json")
        if _prefers_count(self.request):
            response["X-Total-Count"] = str(parameters.selected.order_by().count())
            response["Preference-Applied"] = "count=exact"
        return response


@dataclass(frozen=True)
class ListParameters:
    """The elements that `filter` selects in the order of `sort`, the `page` of them that `skip` and `take` ask for, and
    the `plan` of the properties that a fetch answers."""

    selected: QuerySet[Any]
    page: QuerySet[Any]
    plan: Plan


def _prefers_count(request: Request) -> bool:
    """Whether the caller wants the number of all selected elements too (`Prefer: count=exact`, RFC 7240)."""
    preferences = request.headers.get("Prefer", "").lower().translate(_UNWRITTEN).split(",")
    return "count=exact" in (preference.partition(";")[0] for preference in preferences)


# What may stand in a preference without a meaning: blanks, and quotes around the value.
_UNWRITTEN = str.maketrans("", "", ' \t"')


def _array(texts: Iterator[str]) -> Iterator[bytes]:
    """A JSON array of `texts`, in pieces of as many elements as are read at a time."""
    lead = "["
    while part := list(islice(texts, CHUNK_ROWS)):
        yield f"{lead}{','.join(part)}".encode()
        lead = ","
    yield b"[]" if lead == "[" else b"]"
