"""What a dimension's routes share: which dimension it is, who has access, why something is written, streamed lists."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar, cast

from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS, transaction
from django.http import StreamingHttpResponse
from django.urls import ResolverMatch, reverse
from django.utils.cache import patch_vary_headers
from django.utils.functional import cached_property
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.viewsets import ViewSet

from dimensions_site.api.errors import Failure, Problem, bad_request, check_all, not_found, quoted
from dimensions_site.api.lists import AFTER, BY_KEY, Keys, SkipTake
from dimensions_site.api.rendering import (
    CsvRenderer,
    NdjsonRenderer,
    begin_stream,
    content_type,
    csv_lines,
    json_array,
    json_lines,
)
from dimensions_site.api.views import View
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor
from dimensions_site.changes.requirements import REASON_HEADER, InvalidReason, refuse_unapproved, sent_reason
from dimensions_site.changes.states import State, current_state
from dimensions_site.db.read_limits import own_reads
from dimensions_site.elements.declaration.members import docs_in_messages
from dimensions_site.elements.declaration.texts import CODE_LENGTH, ID_PATTERN
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.history.moments import state_of_moment
from dimensions_site.elements.reading.etags import check_tags
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.reading.selection import everything, selected_renderer
from dimensions_site.elements.reading.statements import Selection, read_texts
from dimensions_site.elements.reading.table_rows import csv_rows
from dimensions_site.elements.reading.tables import MAX_COLUMNS, table_columns
from dimensions_site.elements.reading.uses import referring_dimensions
from dimensions_site.idempotency.views import IdempotentMixin
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.repositories.permissions import Credential, check_access

# The query parameter for a state of the past, and the header with the state of an answer (contract I3, J1).
AS_OF = "asOf"
SYNC_TOKEN = "Sync-Token"  # noqa: S105
# Parts of a preference without a meaning: blanks, and quotes around the value.
_UNWRITTEN = str.maketrans("", "", ' \t"')


def invalid_ids(ids: Iterable[str]) -> list[Failure]:
    """Return the errors in values of the query parameter `id` that no element can have."""
    return [
        Failure("id", "INVALID_VALUE", f"id must be the id of an element; got {quoted(id)}.")
        for id in dict.fromkeys(ids)
        if len(id) > CODE_LENGTH or not re.fullmatch(ID_PATTERN, id)
    ]


class DimensionViewSet(IdempotentMixin, ViewSet):
    # Actions without an entry take no query parameters; None accepts any and ignores them (contract A7).
    query_parameters: ClassVar[dict[str, frozenset[str] | None]] = {}
    # Actions without an entry are open to readers (contract G2).
    roles: ClassVar[dict[str, Role]] = {}
    # The actions that write elements, and whether they delete them; plans do not count (contract O2).
    writing: ClassVar[Mapping[str, bool]] = {}
    # The actions that take entity tags of what they show or write.
    tagged: ClassVar[frozenset[str]] = frozenset()
    # The renderers of actions that are available in more than JSON (contract H4).
    further_renderers: ClassVar[Mapping[str, Sequence[type[BaseRenderer]]]] = {}
    # The name of the database that elements are read from.
    database: str = DEFAULT_DB_ALIAS

    # The methods that write elements, for a reason (contract I2); an abort, DELETE, writes none.
    writing_methods: ClassVar[frozenset[str]] = frozenset({"POST", "PUT", "PATCH"})
    # The reason for what the request writes.
    reason: str | None = None
    # The errors in the query and the headers, if only those of the body are still looked for.
    refused: Sequence[Failure] = ()

    dispatch = docs_in_messages()(IdempotentMixin.dispatch)

    @cached_property
    def dimension(self) -> Dimension:
        """The dimension with which `as_view` is called."""
        raise NotImplementedError

    def header_checks(self) -> Sequence[Callable[[], object]]:
        return [*super().header_checks(), self._take_reason, self._check_tags]

    def _check_tags(self) -> None:
        # Reading a currency is never 400 (contract A7).
        if self.action in self.tagged and self.allowed_query_parameters() is not None:
            check_tags(self.request, is_read=self.request.method in ("GET", "HEAD"))

    def _take_reason(self) -> None:
        """Set the reason of a write. Raises Problem 400 for an invalid or missing one."""
        if self.request.method in self.writing_methods:
            sent = self.request.headers.get(REASON_HEADER)
            try:
                self.reason = sent_reason(sent, self.scope.repository, is_trial=self.is_trial)
            except InvalidReason as error:
                raise bad_request([error.failure(REASON_HEADER)]) from None

    def refuse(self, problem: Problem) -> None:
        """Have the handler raise the `problem` with the errors of the body, if that can be read."""
        codes = {failure.code for failure in problem.failures}
        if not (codes and self.has_body) or codes & {"EMPTY_BODY", "UNREADABLE_QUERY"}:
            raise problem
        self.refused = problem.failures
        setattr(self, str(self.request.method).lower(), partial(self._refuse, getattr(self, str(self.action))))

    def _refuse(self, handle: View, request: Request, **path: str) -> None:
        """Raise 400 with what is wrong already and what `handle` finds in the body; what it has written is undone."""

        def find() -> None:
            _ = request.data  # read before the transaction: a slow client must not hold its locks
            with transaction.atomic():
                handle(request, **path)
                transaction.set_rollback(True)

        check_all(self.refused, find)

    @property
    def is_trial(self) -> bool:
        return False

    @property
    def actor(self) -> Actor:
        return Actor(self.user.get_username(), Channel.REST, reason=self.reason)

    def resolve_scope(self) -> None:
        """Set the repository in the path as the scope, if the client has access to it (contract A6)."""
        # ConventionsMixin has rejected anonymous clients.
        self.user = cast(User, self.request.user)
        credential = cast(Credential | None, self.request.auth)
        self.scope = check_access(self.user, self.kwargs["db_id"], self.dimension.name, credential)
        self.scope.require(self.role)
        if self.action in self.writing and not self.is_trial:
            refuse_unapproved(self.scope.repository, self.scope.dimension, deletes=self.writing[self.action])
        own_reads(f"repository {self.scope.repository.pk}")
        # Only the path as sent, where the server keeps it, distinguishes an id that ends with a slash from a path that
        # does (contract A3, A5).
        if self.request.META.get("RAW_URI", "").partition("?")[0].endswith("/"):
            raise not_found(
                "NOT_FOUND", "There is nothing at this address: it ends with a slash. In an id a slash is written %2F."
            )

    @property
    def role(self) -> Role:
        return self.roles.get(self.action or "", Role.READER)

    def allowed_query_parameters(self) -> frozenset[str] | None:
        return self.query_parameters.get(self.action or "", frozenset())

    def get_renderers(self) -> list[BaseRenderer]:
        return [*super().get_renderers(), *(kind() for kind in self.further_renderers.get(self.action or "", ()))]

    def readable_referring(self) -> list[Dimension]:
        """Return the dimensions that can refer to this one, as far as the client may read them in this repository."""
        return [other for other in referring_dimensions(self.dimension) if self._is_readable(other)]

    def _is_readable(self, other: Dimension) -> bool:
        if other is self.dimension:
            return True
        try:
            check_access(self.user, self.scope.repository.db_id, other.name, self.scope.credential)
        except Problem:
            return False
        return True

    def repository_named(self, db_id: str | None) -> Repository:
        """Return the repository, by default the one in the path. Raises 404 and 403 as for that one (contract A6)."""
        if db_id is None:
            return self.scope.repository
        return check_access(self.user, db_id, self.dimension.name, self.scope.credential).repository

    def moment(self, name: str, repository: Repository | None = None) -> State | None:
        """Return the state at the instant, or of the token, in the query parameter `name`; None without one.

        It is of the `repository`, by default the one in the path. Raises as `state_of_moment` does.
        """
        text = self.request.query_params.get(name)
        if text is None:
            return None
        # Only the primary knows what is being committed.
        self.database = DEFAULT_DB_ALIAS
        return state_of_moment(name, text, repository or self.scope.repository, self.dimension.name)

    def state_now(self, repository: Repository | None = None) -> State:
        """Return the present state of the database that elements are read from; one query.

        It is of the `repository`, by default the one in the path.
        """
        state, _ = current_state((repository or self.scope.repository).pk, self.dimension.name, using=self.database)
        return state

    def paging(self, keys: Keys = BY_KEY) -> SkipTake:
        """Return the page that the query asks for, of a list sorted by the `keys`. Raises as `SkipTake.parse` does."""
        query = self.request.query_params
        return SkipTake.parse(query.get("skip"), query.get("take"), query.get(AFTER), keys)

    def prefers(self, preference: str) -> bool:
        """Return whether the client has this `preference`, such as `return=minimal` (header `Prefer`, RFC 7240)."""
        preferences = self.request.headers.get("Prefer", "").lower().translate(_UNWRITTEN).split(",")
        return preference in (sent.partition(";")[0] for sent in preferences)

    def count_headers(self, count: Callable[[], int]) -> dict[str, str]:
        """Return the headers with the `count` of all entries, if the client prefers to have it."""
        if not self.prefers("count=exact"):
            return {}
        return {"X-Total-Count": f"{count()}", "Preference-Applied": "count=exact"}

    def address(self, route: str, **path: str) -> str:
        """Return the path of a `route` of this repository, under the prefix of the request (contract A1)."""
        namespace = cast(ResolverMatch, self.request.resolver_match).namespace
        return reverse(f"{namespace}:{route}", kwargs={"db_id": self.kwargs["db_id"], **path})

    def stream_texts(self, texts: Iterator[str], headers: Mapping[str, str]) -> StreamingHttpResponse:
        """Return the response with the JSON `texts` of a list, as an array or as lines."""
        accepted = self.request.accepted_renderer
        if self.request.method == "HEAD":  # one row is enough to know the status
            texts = (text for text, _ in zip(texts, range(1), strict=False))
        write = json_lines if isinstance(accepted, NdjsonRenderer) else json_array
        response = StreamingHttpResponse(
            begin_stream(texts, write), content_type=content_type(accepted), headers=dict(headers)
        )
        if self.action in self.further_renderers:
            patch_vary_headers(response, ["Accept"])
        return response


def stream_elements(accepted: BaseRenderer, selection: Selection, paths: Sequence[str]) -> Iterator[bytes]:
    """Return the selected page in the media type of `accepted`, complete or with the canonical `paths` only, if given.

    The query has run when this returns.
    """
    dimension, language = selection.filter.dimension, selection.filter.repository.default_language
    if isinstance(accepted, CsvRenderer):
        wire, elements = dimension.wire, selection.rows
        columns = table_columns(wire, paths or everything(wire), language, elements, maximum=MAX_COLUMNS)
        headings, lines = csv_rows(columns, elements)
        return begin_stream(lines, partial(csv_lines, headings))
    renderer = selected_renderer(dimension, tuple(paths), language) if paths else full_renderer(dimension, language)
    return begin_stream(
        read_texts(renderer, selection), json_lines if isinstance(accepted, NdjsonRenderer) else json_array
    )
