"""The REST route for what refers to elements (contract L1)."""

import re
from collections.abc import Sequence
from typing import ClassVar

import orjson
from django.http import HttpResponse
from rest_framework.request import Request

from dimensions_site.api.errors import Failure, bad_request, quoted
from dimensions_site.elements.declaration.fields import CODE_LENGTH, ID_PATTERN
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
        ids, failures = self._ids_query()
        if failures:
            raise bad_request(failures)
        found = find_uses(self.dimension, self.scope.repository, ids, self.readable_referring(), using=self.database)
        answer = []
        for id in ids:
            uses = found.get(id, Uses())
            answer.append({"id": id, "usedBy": uses.first, "count": uses.count})
        return HttpResponse(orjson.dumps(answer), content_type="application/json")

    def repeatable_query_parameters(self) -> frozenset[str]:
        return self.uses_parameters if self.action == "uses" else super().repeatable_query_parameters()

    def further_failures(self) -> Sequence[Failure]:
        return self._ids_query()[1] if self.action == "uses" else super().further_failures()

    def _ids_query(self) -> tuple[list[str], list[Failure]]:
        """Return the ids that the client names, each once, and the errors in them."""
        sent = self.request.query_params.getlist("id")
        if not sent:
            return [], [Failure("id", "REQUIRED", "id is missing; write for example id=1000&id=2000.")]
        if len(sent) > MAX_USED_IDS:
            return [], [Failure("id", "TOO_MANY", f"id appears {len(sent):,} times; the limit is {MAX_USED_IDS}.")]
        ids = list(dict.fromkeys(sent))
        return ids, [failure for id in ids if (failure := invalid_id(id))]


def invalid_id(id: str) -> Failure | None:
    """Return the error in a query parameter `id` that no element can have; otherwise None."""
    if len(id) <= CODE_LENGTH and re.fullmatch(ID_PATTERN, id):
        return None
    return Failure("id", "INVALID_VALUE", f"id must be the id of an element; got {quoted(id)}.")
