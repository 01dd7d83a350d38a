"""The REST routes of the account dimension."""

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from bulkops.deletion_views import DeletionViewSet
from bulkops.processing_form import ProcessingForm
from bulkops.views import BulkViewSet
from dimensions_site.elements.dimension import DimensionViewSet
from dimensions_site.elements.views import ElementViewSet


class OfAccounts(DimensionViewSet):
    dimension = "account"
    model = Account
    wire = ACCOUNT_WIRE


class AccountViewSet(OfAccounts, ElementViewSet):
    pass


class AccountBulkViewSet(OfAccounts, BulkViewSet):
    answers_elements = True


class AccountDeletionViewSet(OfAccounts, DeletionViewSet):
    form = ProcessingForm(utc="Z", in_arrays=True)
    aborted = 200
    listed_start = "elements-bulk-delete-asynch"
