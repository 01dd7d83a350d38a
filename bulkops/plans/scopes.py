"""The scope of a plan: nothing outside it is touched (contract K4)."""

from dataclasses import replace
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from dimensions_site.api.errors import bad_request
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.filters import ElementFields, ElementFilterSet
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.errors import UnknownField
from dimensions_site.rsql.fields import Field

# Applying the plan writes it, so it cannot say what the plan may touch.
_WRITTEN = "updateInfo"


class ElementScope:
    """The elements that match a filter, or all of them without one."""

    def __init__(self, dimension: Dimension, repository: Repository, text: str | None) -> None:
        """Raises `Problem` 400 with the errors in the filter."""
        self._dimension = dimension
        self._repository = repository
        self._text = text
        filtered = self._filtered(dimension.model.of(repository))
        if filtered.failures:
            raise bad_request([replace(failure, path="/scope") for failure in filtered.failures])

    def __bool__(self) -> bool:
        return self._text is not None

    def within(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return those of the `rows`, elements or versions, that are in the scope."""
        found: QuerySet[Any] = self._filtered(rows).qs.order_by()
        return found

    def outside(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return the other ones of the `rows`."""
        if self._text is None:
            return rows.none()
        model = self._dimension.model
        same = (model.of if rows.model is model else model.versions_of)(self._repository)
        return rows.filter(~Exists(self.within(same).filter(pk=OuterRef("pk"))))

    def _filtered(self, rows: QuerySet[Any]) -> ElementFilterSet:
        table = _ScopeFields(self._dimension, self._repository.default_language)
        return ElementFilterSet({"filter": self._text or ""}, rows, table=table)


class _ScopeFields(ElementFields):
    """The fields that a scope may name."""

    def resolve(self, selector: str) -> Field:
        field = super().resolve(selector)
        if field.path.partition(".")[0] == _WRITTEN:
            message = _("A scope must not name {name}: applying the plan changes it.")
            raise UnknownField(message.format(name=field.path))
        return field
