"""What the operations of a dimension have in common in its OpenAPI document (contract H3)."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from dimensions_site.api.components import Part
from dimensions_site.api.schema import Operation, OperationSchema
from dimensions_site.elements.dimension import DimensionViewSet
from dimensions_site.elements.parameters import IDEMPOTENCY_KEY
from dimensions_site.elements.schema import element_schemas
from dimensions_site.tokens.credentials import scope_of

WHOLE = "Every fault of the request is reported, not only the first, and nothing is saved then."


class DimensionSchema(OperationSchema):
    """Tells the actions of a view set of a dimension; the words come from its declaration."""

    @property
    def viewset(self) -> DimensionViewSet:
        """The view set that is told of."""
        return cast(DimensionViewSet, self.view)

    @property
    def noun(self) -> str:
        """The name of the dimension as names of components and operations hold it: `Currency`."""
        return self.viewset.dimension.title()

    @property
    def plural(self) -> str:
        """The elements of the dimension: `currencies`."""
        return str(self.viewset.model._meta.verbose_name_plural)

    def get_tags(self) -> list[str]:
        return [self.viewset.dimension]

    def operation(self, method: str) -> Operation:
        operation = super().operation(method)
        return _keyed(operation) if method == "POST" else operation

    def schemas(self) -> Mapping[str, Part]:
        return element_schemas(self.viewset.wire.serializer(), self.noun)

    def scopes(self) -> list[str]:
        return [scope_of(self.viewset.role)]

    def example(self, name: str) -> Any:
        """What was sent and answered in the example `name`, which a test keeps true."""
        return read_examples(Path(self.viewset.model._meta.app_config.path))[name]

    def refusals(self, *statuses: int) -> frozenset[int]:
        """`statuses`, and 400 unless the action lets any query parameter pass and takes nothing else (contract A7)."""
        reads_query = self.viewset.query_parameters.get(self.viewset.action, frozenset()) is not None
        return frozenset({400, *statuses} if reads_query else statuses)


def _keyed(operation: Operation) -> Operation:
    """The operation with the header that every POST of a dimension takes, and what follows from it."""
    answers = {
        status: replace(answer, headers=(*answer.headers, "Idempotent-Replayed"))
        for status, answer in operation.answers.items()
    }
    return replace(
        operation,
        parameters=(*operation.parameters, IDEMPOTENCY_KEY),
        answers=answers,
        refusals=operation.refusals | {409, 422},
    )


@cache
def read_examples(app: Path) -> Mapping[str, Any]:
    """The examples of the dimension whose package is the folder `app`: by name, what is sent and what is answered."""
    examples: Mapping[str, Any] = json.loads((app / "examples.json").read_text(encoding="utf-8"))
    return examples
