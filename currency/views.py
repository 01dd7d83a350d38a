"""The REST routes of the currency dimension."""

from typing import ClassVar

from bulkops.rest.deletion_views import DeletionViewSet
from bulkops.rest.plan_views import PlanViewSet
from bulkops.rest.schema import ProcessingForm
from bulkops.rest.views import BulkViewSet
from currency.dimension import CURRENCY
from dimensions_site.elements.rest.history_views import HistoryViewSet
from dimensions_site.elements.rest.views import ElementViewSet


class CurrencyViewSet(ElementViewSet):
    dimension = CURRENCY
    # The specification has no 400 for reading one currency, so its query parameters are ignored (contract A7).
    query_parameters: ClassVar[dict[str, frozenset[str] | None]] = {**ElementViewSet.query_parameters, "retrieve": None}


class CurrencyHistoryViewSet(HistoryViewSet):
    dimension = CURRENCY


class CurrencyBulkViewSet(BulkViewSet):
    dimension = CURRENCY
    answers_elements = False


class CurrencyDeletionViewSet(DeletionViewSet):
    dimension = CURRENCY
    form = ProcessingForm(utc="+0000", in_arrays=False)
    aborted = 202
    listed_start = "elements-bulk-delete-async"


class CurrencyPlanViewSet(PlanViewSet):
    dimension = CURRENCY
