"""The REST routes of what has changed: the feed, change sets, versions and comparisons (contract I3, I5, J2)."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils.cache import patch_vary_headers
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from dimensions_site.api.errors import Failure, Problem, bad_request, quoted
from dimensions_site.api.pagination import AFTER, BY_COMMIT, BY_NUMBER, Keys, SkipTake, linked_page
from dimensions_site.api.rendering import NdjsonRenderer, content_type, json_array, json_lines
from dimensions_site.changes.models import ChangeSet
from dimensions_site.changes.states import State
from dimensions_site.changes.sync_tokens import token_of
from dimensions_site.elements.history import feed
from dimensions_site.elements.history.change_sets import ChangeSetFields, ChangeSetFilterSet, change_set_texts
from dimensions_site.elements.history.comparing import Side, difference_json, differences
from dimensions_site.elements.history.moments import state_of_token
from dimensions_site.elements.history.versions import version_texts
from dimensions_site.elements.reading.filters import ElementFields, ElementFilterSet
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.reading.replicas import from_replica
from dimensions_site.elements.reading.streams import begin_stream
from dimensions_site.elements.rest import history_operations as operations
from dimensions_site.elements.rest.dimension import SYNC_TOKEN, DimensionViewSet, check_all
from dimensions_site.elements.rest.uses import invalid_id
from dimensions_site.elements.rest.views import Renderers, count_headers, prefers_count
from dimensions_site.repositories.models import Repository
from dimensions_site.repositories.permissions import check_access


class HistoryViewSet(DimensionViewSet):
    """What has changed in one dimension of one repository."""

    schema = operations.HistorySchema()
    query_parameters: ClassVar[dict[str, frozenset[str] | None]] = {
        "changes": frozenset({"since", "filter"}),
        "change_sets": frozenset({"filter", "skip", "take", AFTER}),
        "versions": frozenset({"id", "changeSet", "skip", "take", AFTER}),
        "compare": frozenset({"from", "to", "fromRepository", "filter"}),
    }

    @operations.CHANGES
    @from_replica
    def changes(self, request: Request, **path: str) -> HttpResponseBase:
        """Return the elements that were written since the token, each once (contract I3, I4)."""
        repository = self.scope.repository
        state, now, matching = self._changes_query()
        if state is None:
            elements = (self.elements if matching is None else matching).order_by("element_id")
            texts = feed.saved_changes(full_renderer(self.dimension, repository.default_language).each(elements))
        elif state.places == now.places:
            texts = iter(())
        else:
            texts = feed.changes(self.dimension, repository, state, matching, self.database)
        return self._streamed(texts, {SYNC_TOKEN: token_of(now)})

    @operations.CHANGE_SETS
    @from_replica
    def change_sets(self, request: Request, **path: str) -> HttpResponseBase:
        """Return the change sets that the filter selects, the latest first (contract I5)."""
        sets, paging = self._change_sets_query()
        headers = count_headers(sets.order_by().count()) if prefers_count(request) else {}
        page, link = linked_page(sets, BY_COMMIT, paging, request)
        return self._streamed(change_set_texts(page), headers | link)

    @operations.VERSIONS
    @from_replica
    def versions(self, request: Request, **path: str) -> HttpResponseBase:
        """Return the versions of one element, or of one change set, the latest first (contract I5)."""
        versions, paging = self._versions_query()
        headers = count_headers(versions.order_by().count()) if prefers_count(request) else {}
        page, link = linked_page(versions, BY_NUMBER, paging, request)
        return self._streamed(version_texts(self.dimension, self.scope.repository, page), headers | link)

    @operations.COMPARE
    def compare(self, request: Request, **path: str) -> HttpResponseBase:
        """Return the elements that differ between two states, with their differences (contract J2)."""
        before, after = self._compare_query()
        headers = {}
        if prefers_count(request):
            headers = count_headers(sum(1 for _ in differences(self.dimension, before, after)))
        found = differences(self.dimension, before, after)
        return self._streamed((difference_json(self.dimension, one) for one in found), headers)

    def get_renderers(self) -> Renderers:
        """Return the renderers; all of these lists are available as NDJSON, too."""
        streamable: list[BaseRenderer] = [NdjsonRenderer()]
        return [*super().get_renderers(), *streamable]

    def further_failures(self) -> Sequence[Failure]:
        queries = {
            "changes": self._changes_query,
            "change_sets": self._change_sets_query,
            "versions": self._versions_query,
            "compare": self._compare_query,
        }
        try:
            queries[self.action or ""]()
        except Problem as problem:
            return problem.failures
        return ()

    # Each returns what the query parameters of an action ask for. Raises 400 with everything that is wrong with them.

    def _changes_query(self) -> tuple[State | None, State, QuerySet[Any] | None]:
        """Return the state since which changes are wanted, the present one, and the rows that the filter selects."""
        since = self.request.query_params.get("since")
        refusals: list[Problem] = []
        state = now = None
        try:
            if since is not None:
                state, now = state_of_token(
                    "since", since, self.scope.repository, self.dimension.name, using=self.database
                )
        except Problem as problem:
            refusals.append(problem)
        matching, failures = self._matching(self.elements if since is None else self.stored_versions)
        check_all(failures, refusals)
        return state, now or self.state_now(), matching  # before the rows are read

    def _change_sets_query(self) -> tuple[QuerySet[ChangeSet], SkipTake]:
        sets = ChangeSet.objects.using(self.database).filter(
            repository=self.scope.repository, dimension=self.dimension.name
        )
        filterset = ChangeSetFilterSet(self.request.query_params, sets, table=ChangeSetFields())
        paging, refusals = self._paging(BY_COMMIT)
        check_all(filterset.failures, refusals)
        return filterset.qs, paging

    def _versions_query(self) -> tuple[QuerySet[Any], SkipTake]:
        id, change_set = (self.request.query_params.get(name) for name in ("id", "changeSet"))
        versions = self.stored_versions.order_by("-number")
        failures = []
        if id is None and change_set is None:
            message = "Name an element by id, or a change set by changeSet."
            failures.append(Failure("id", "REQUIRED", message))
        if id is not None:
            versions = versions.filter(element_id=id)
            failures += filter(None, [invalid_id(id)])
        if change_set is not None:
            try:
                versions = versions.filter(change_set=UUID(change_set))
            except ValueError:
                message = f"changeSet must be the id of a change set; got {quoted(change_set)}."
                failures.append(Failure("changeSet", "INVALID_VALUE", message))
        paging, refusals = self._paging(BY_NUMBER)
        check_all(failures, refusals)
        return versions, paging

    def _compare_query(self) -> tuple[Side, Side]:
        here, there = self.scope.repository, self._from_repository()
        refusals: list[Problem] = []
        if not {"from", "to", "fromRepository"} & self.request.query_params.keys():
            message = "Name a state to compare with by from or to, or a repository by fromRepository."
            refusals.append(bad_request([Failure("from", "REQUIRED", message)]))
        states: list[State] = []
        for name, repository in (("from", there), ("to", here)):
            try:
                states.append(self.moment(name, repository) or self.state_now(repository))
            except Problem as problem:
                refusals.append(problem)
        filtered = [self._matching(self.dimension.model.versions_of(one), one) for one in (there, here)]
        check_all(filtered[1][1], refusals)
        before, after = (
            Side(repository, state, matching)
            for repository, state, (matching, _) in zip((there, here), states, filtered, strict=True)
        )
        return before, after

    def _from_repository(self) -> Repository:
        """Return the repository to compare with. Raises 404 and 403 as for the one in the path (contract A6)."""
        name = self.request.query_params.get("fromRepository")
        if name is None:
            return self.scope.repository
        return check_access(self.user, name, self.dimension.name, self.scope.credential).repository

    @property
    def stored_versions(self) -> QuerySet[Any]:
        """Return the versions of this repository only."""
        return self.dimension.model.versions_of(self.scope.repository).using(self.database)

    def _matching(
        self, rows: QuerySet[Any], repository: Repository | None = None
    ) -> tuple[QuerySet[Any] | None, Sequence[Failure]]:
        """Return those of the `rows` that the filter selects, None without one, and the errors in the filter."""
        text = self.request.query_params.get("filter")
        if not text:
            return None, ()
        language = (repository or self.scope.repository).default_language
        table = ElementFields(self.dimension, language)
        filterset = ElementFilterSet({"filter": text}, rows.using(self.database), table=table)
        return None if filterset.failures else filterset.qs, filterset.failures

    def _paging(self, keys: Keys) -> tuple[SkipTake, list[Problem]]:
        query = self.request.query_params
        try:
            return SkipTake.parse(query.get("skip"), query.get("take"), query.get(AFTER), keys), []
        except Problem as problem:
            return SkipTake(), [problem]

    def _streamed(self, texts: Iterator[str], headers: dict[str, str]) -> StreamingHttpResponse:
        accepted = self.request.accepted_renderer
        if self.request.method == "HEAD":  # one row is enough to know the status
            texts = (text for text, _ in zip(texts, range(1), strict=False))
        write = json_lines if isinstance(accepted, NdjsonRenderer) else json_array
        response = StreamingHttpResponse(
            begin_stream(texts, write), content_type=content_type(accepted), headers=headers
        )
        patch_vary_headers(response, ["Accept"])
        return response


def history_routes(viewset: type[HistoryViewSet]) -> list[URLPattern]:
    """Return the routes of one dimension, below `{dbID}/<dimension>/`."""
    names = {"changes": "changes", "changesets": "change_sets", "versions": "versions", "compare": "compare"}
    return [
        path(f"elements-{name}", viewset.as_view({"get": action}), name=f"elements-{name}")
        for name, action in names.items()
    ]
