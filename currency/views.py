"""The REST routes of the currency dimension."""

from typing import ClassVar

from bulkops.deletion_views import DeletionViewSet
from bulkops.processing_form import ProcessingForm
from bulkops.views import BulkViewSet
from currency.models import Currency
from currency.serializers import CURRENCY_WIRE
from dimensions_site.elements.dimension import DimensionViewSet
from dimensions_site.elements.views import ElementViewSet


class OfCurrencies(DimensionViewSet):
    dimension = "currency"
    model = Currency
    wire = CURRENCY_WIRE


class CurrencyViewSet(OfCurrencies, ElementViewSet):
    unfilterable = frozenset({"oid"})
    # The specification lists no 400 for reading one currency, so its query parameters are not read (contract A7).
    query_parameters: ClassVar[dict[str, frozenset[str] | None]] = {**ElementViewSet.query_parameters, "retrieve": None}


class CurrencyBulkViewSet(OfCurrencies, BulkViewSet):
    answers_elements = False


class CurrencyDeletionViewSet(OfCurrencies, DeletionViewSet):
    form = ProcessingForm(utc="+0000", in_arrays=False)
    aborted = 202
    listed_start = "elements-bulk-delete-async"
