"""The REST routes of the account dimension."""

from account.dimension import ACCOUNT
from bulkops.rest.deletion_views import DeletionViewSet
from bulkops.rest.plan_views import PlanViewSet
from bulkops.rest.schema import ProcessingForm
from bulkops.rest.views import BulkViewSet
from dimensions_site.elements.rest.history_views import HistoryViewSet
from dimensions_site.elements.rest.views import ElementViewSet


class AccountViewSet(ElementViewSet):
    dimension = ACCOUNT


class AccountHistoryViewSet(HistoryViewSet):
    dimension = ACCOUNT


class AccountBulkViewSet(BulkViewSet):
    dimension = ACCOUNT
    answers_elements = True


class AccountDeletionViewSet(DeletionViewSet):
    dimension = ACCOUNT
    form = ProcessingForm(utc="Z", in_arrays=True)
    aborted = 200
    listed_start = "elements-bulk-delete-asynch"


class AccountPlanViewSet(PlanViewSet):
    dimension = ACCOUNT
