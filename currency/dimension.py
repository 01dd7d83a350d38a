"""The currency dimension, as the rest of the service knows it."""

from currency.models import Currency
from currency.serializers import CURRENCY_WIRE
from dimensions_site.elements.dimension import Dimension

CURRENCY = Dimension(
    "currency",
    Currency,
    CURRENCY_WIRE,
    summary="Currencies with their decimals, reference currency and tolerated difference.",
    prefix="api/aih/dimensions/v1/",
    version="1.000",
    unfilterable=frozenset({"oid"}),
)
