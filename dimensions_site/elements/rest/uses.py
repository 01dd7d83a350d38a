"""The REST route for what refers to elements (contract L1)."""

import re
from collections.abc import Iterable
from typing import ClassVar

import orjson
from django.http import HttpResponse
from rest_framework.request import Request

from dimensions_site.api.errors import Failure, bad_request, quoted
from dimensions_site.elements.declaration.texts import CODE_LENGTH, ID_PATTERN
from dimensions_site.elements.reading.replicas import from_replica
from dimensions_site.elements.reading.uses import Uses, find_uses
from dimensions_site.elements.rest import operations
from dimensions_site.elements.rest.dimension import DimensionViewSet
from dimensions_site.elements.rest.parameters import MAX_USED_IDS


class UsesMixin(DimensionViewSet):
    """Adds the action `uses` to the routes of a dimension."""

    uses_parameters: ClassVar[frozenset[str]] = frozenset({"id"})

    @operations.USES
    @from_replica
    def uses(self, request: Request, **path: str) -> HttpResponse:
        """Return what refers to the elements that `id` names, in this order; each id once (contract L1)."""
        ids = self._ids_query()
        found = find_uses(self.dimension, self.scope.repository, ids, self.readable_referring(), using=self.database)
        answer = []
        for id in ids:
            uses = found.get(id, Uses())
            answer.append({"id": id, "usedBy": uses.first, "count": uses.count})
        return HttpResponse(orjson.dumps(answer), content_type="application/json")

    def repeatable_query_parameters(self) -> frozenset[str]:
        return self.uses_parameters if self.action == "uses" else super().repeatable_query_parameters()

    def check_values(self) -> None:
        if self.action == "uses":
            self._ids_query()

    def _ids_query(self) -> list[str]:
        """Return the ids that the client names, each once. Raises 400 with the errors in them."""
        ids = self.request.query_params.getlist("id")
        failures = invalid_ids(ids)
        if not ids:
            failures = [Failure("id", "REQUIRED", "id is missing; write for example id=1000&id=2000.")]
        elif len(ids) > MAX_USED_IDS:
            failures = [Failure("id", "TOO_MANY", f"id appears {len(ids):,} times; the limit is {MAX_USED_IDS}.")]
        if failures:
            raise bad_request(failures)
        return list(dict.fromkeys(ids))


def invalid_ids(ids: Iterable[str]) -> list[Failure]:
    """Return the errors in values of the query parameter `id` that no element can have."""
    return [
        Failure("id", "INVALID_VALUE", f"id must be the id of an element; got {quoted(id)}.")
        for id in dict.fromkeys(ids)
        if len(id) > CODE_LENGTH or not re.fullmatch(ID_PATTERN, id)
    ]
