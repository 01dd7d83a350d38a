"""The currency element (specification, "Currency element")."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from currency.serializers import CURRENCY_WIRE
from dimensions_site.elements.declaration.indexes import reference_indexes
from dimensions_site.elements.declaration.wire import declared_columns
from dimensions_site.elements.dimension import Dimension, register_dimension
from dimensions_site.elements.models import Element, Version


@declared_columns(CURRENCY_WIRE)
class CurrencyVersion(Version):
    class Meta(Version.Meta):
        pass


@declared_columns(CURRENCY_WIRE)
class Currency(Element):
    unique_in_repository: ClassVar[dict[str, str]] = {"element_id": "id", "oid": "oid"}
    version_model: ClassVar[type[Version]] = CurrencyVersion

    class Meta(Element.Meta):
        verbose_name = _("currency")
        verbose_name_plural = _("currencies")
        indexes = reference_indexes("currency", CURRENCY_WIRE)
        constraints = [
            *Element.Meta.constraints,
            # Keeps the oid unique (contract C2). The oid is the first column: with few statistics PostgreSQL considers
            # any index that starts with the repository as good as that of the id, and reads the whole repository.
            models.UniqueConstraint(fields=["oid", "repository"], name="currency_oid_in_repository"),
        ]


CURRENCY = Dimension(
    "currency",
    Currency,
    CURRENCY_WIRE,
    summary="Currencies with their decimals, reference currency and tolerated difference.",
    prefix="api/aih/dimensions/v1/",
    version="1.000",
    unfilterable=frozenset({"oid"}),
)
register_dimension(CURRENCY)
