"""The REST routes of the currency dimension."""

from typing import ClassVar

from currency.models import Currency
from currency.serializers import CURRENCY_WIRE
from dimensions_site.elements.views import ElementViewSet


class CurrencyViewSet(ElementViewSet):
    dimension = "currency"
    model = Currency
    wire = CURRENCY_WIRE
    unfilterable = frozenset({"oid"})
    # The specification lists no 400 for reading one currency, so its query parameters are not read (contract A7).
    query_parameters: ClassVar[dict[str, frozenset[str] | None]] = {**ElementViewSet.query_parameters, "retrieve": None}
