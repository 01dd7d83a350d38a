"""The REST routes of what has changed: the feed, change sets, versions and comparisons (contract I3, I5, J2)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from django.db import connections
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from dimensions_site.api.errors import Failure, check_all, quoted
from dimensions_site.api.lists import (
    AFTER,
    BY_COMMIT,
    BY_NUMBER,
    MAX_COUNT,
    SkipTake,
    TableFilterSet,
    linked_page,
    next_link,
)
from dimensions_site.api.rendering import NdjsonRenderer
from dimensions_site.changes.models import ChangeSet
from dimensions_site.changes.states import State
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.history import feed
from dimensions_site.elements.history.change_sets import CHANGE_SETS, ChangeSetFields
from dimensions_site.elements.history.comparing import Side, compare_states
from dimensions_site.elements.history.moments import state_of_token, token_of
from dimensions_site.elements.history.versions import version_numbers, version_texts
from dimensions_site.elements.reading.filters import ElementFilter
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.reading.replicas import from_replica
from dimensions_site.elements.reading.statements import Selection, read_texts
from dimensions_site.elements.rest import operations
from dimensions_site.elements.rest.dimension import SYNC_TOKEN, DimensionViewSet, invalid_ids
from dimensions_site.elements.writing.differences import difference_json
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import uuid_of


class HistoryViewSet(DimensionViewSet):
    """What has changed in one dimension of one repository."""

    schema = operations.HistorySchema()
    query_parameters: ClassVar[dict[str, frozenset[str] | None]] = {
        "changes": frozenset({"since", "filter"}),
        "change_sets": frozenset({"filter", "skip", "take", AFTER}),
        "versions": frozenset({"id", "changeSet", "skip", "take", AFTER}),
        "compare": frozenset({"from", "to", "fromRepository", "filter"}),
    }
    further_renderers: ClassVar[Mapping[str, Sequence[type[BaseRenderer]]]] = dict.fromkeys(
        query_parameters, (NdjsonRenderer,)
    )

    @operations.CHANGES
    @from_replica
    def changes(self, request: Request, **path: str) -> HttpResponseBase:
        """Return the elements that were written since the token, each once (contract I3, I4)."""
        repository = self.scope.repository
        state, now, matching = self._changes_query()
        if state is None:
            elements = Selection(matching, db=self.database)
            saved = read_texts(full_renderer(self.dimension, repository.default_language), elements)
            texts: Iterator[str] = (feed.SAVED % text for text in saved)
        elif state.places == now.places:
            texts = iter(())
        else:
            texts = feed.changes(matching, state, self.database)
        return self.stream_texts(texts, {SYNC_TOKEN: token_of(now)})

    @operations.CHANGE_SETS
    @from_replica
    def change_sets(self, request: Request, **path: str) -> HttpResponseBase:
        """Return the change sets that the filter selects, the latest first (contract I5)."""
        sets, paging = self._change_sets_query()
        headers = self.count_headers(sets.order_by().count)
        page, link = linked_page(sets, BY_COMMIT, paging, request)
        return self.stream_texts(read_texts(CHANGE_SETS, page), headers | link)

    @operations.VERSIONS
    @from_replica
    def versions(self, request: Request, **path: str) -> HttpResponseBase:
        """Return the versions of one element, or of one change set, the latest first (contract I5)."""
        selected, paging = self._versions_query()
        model, repository, using = self.dimension.model, self.scope.repository, self.database
        headers = self.count_headers(lambda: model.versions_of(repository).using(using).filter(**selected).count())
        if paging.after is not None:
            selected["number__lt"] = paging.after[0]
        # One more shows whether there is a next page.
        end = None if paging.take is None else paging.skip + min(paging.take + 1, MAX_COUNT)
        numbers = version_numbers(self.dimension, repository, selected, slice(paging.skip, end), using)
        page = numbers[: paging.take]
        if page and len(page) < len(numbers):
            headers |= next_link(request, page[-1:])
        return self.stream_texts(version_texts(self.dimension, repository, page, using), headers)

    @operations.COMPARE
    def compare(self, request: Request, **path: str) -> HttpResponseBase:
        """Return the elements that differ between two states, with their differences (contract J2)."""
        before, after = self._compare_query()
        headers = self.count_headers(lambda: sum(1 for _ in compare_states(before, after)))
        elements = compare_states(before, after)
        return self.stream_texts((difference_json(one.id, one.action, one.changes) for one in elements), headers)

    def check_values(self) -> None:
        queries = {
            "changes": self._changes_query,
            "change_sets": self._change_sets_query,
            "versions": self._versions_query,
            "compare": self._compare_query,
        }
        queries[self.action or ""]()

    # Each returns what the query parameters of an action ask for. Raises 400 with everything that is wrong with them.

    def _changes_query(self) -> tuple[State | None, State, ElementFilter]:
        """Return the state since which changes are wanted, the present one, and the filter."""
        matching = self._filter(self.scope.repository)
        [(state, now)] = check_all(matching.failures(), self._since)
        return state, now or self.state_now(), matching  # before the rows are read

    def _since(self) -> tuple[State | None, State | None]:
        since, repository = self.request.query_params.get("since"), self.scope.repository
        if since is None:
            return None, None
        return state_of_token("since", since, repository, self.dimension.name, using=self.database)

    def _change_sets_query(self) -> tuple[QuerySet[ChangeSet], SkipTake]:
        sets = ChangeSet.objects.using(self.database).filter(
            repository=self.scope.repository, dimension=self.dimension.name
        )
        filterset = TableFilterSet(self.request.query_params, sets, table=ChangeSetFields())
        [paging] = check_all(filterset.failures, lambda: self.paging(BY_COMMIT))
        return filterset.qs, paging

    def _versions_query(self) -> tuple[dict[str, Any], SkipTake]:
        id, change_set = (self.request.query_params.get(name) for name in ("id", "changeSet"))
        selected: dict[str, Any] = {}
        failures = []
        if id is None and change_set is None:
            message = "Name an element by id, or a change set by changeSet."
            failures.append(Failure("id", "REQUIRED", message))
        if id is not None:
            selected["element_id"] = id
            failures += invalid_ids([id])
        if change_set is not None:
            key = uuid_of(change_set)
            selected["change_set"] = ChangeSet._meta.pk.get_db_prep_value(key, connections[self.database])
            if key is None:
                message = f"changeSet must be the id of a change set; got {quoted(change_set)}."
                failures.append(Failure("changeSet", "INVALID_VALUE", message))
        [paging] = check_all(failures, lambda: self.paging(BY_NUMBER))
        return selected, paging

    def _compare_query(self) -> tuple[Side, Side]:
        here = self.scope.repository
        there = self.repository_named(self.request.query_params.get("fromRepository"))
        filters = self._filter(there), self._filter(here)
        failures = [*filters[1].failures()]
        if not {"from", "to", "fromRepository"} & self.request.query_params.keys():
            message = "Name a state to compare with by from or to, or a repository by fromRepository."
            failures.append(Failure("from", "REQUIRED", message))
        before, after = check_all(
            failures,
            lambda: self.moment("from", there) or self.state_now(there),
            lambda: self.moment("to", here) or self.state_now(here),
        )
        return Side(there, before, filters[0]), Side(here, after, filters[1])

    def _filter(self, repository: Repository) -> ElementFilter:
        return ElementFilter(self.dimension, repository, self.request.query_params.get("filter"))


def history_routes(dimension: Dimension) -> list[URLPattern]:
    """Return the routes of one dimension, below `{dbID}/<dimension>/`."""
    names = {"changes": "changes", "changesets": "change_sets", "versions": "versions", "compare": "compare"}
    return [
        path(f"elements-{name}", HistoryViewSet.as_view({"get": action}, dimension=dimension), name=f"elements-{name}")
        for name, action in names.items()
    ]
