"""The REST routes of accounts, in the forms of their specification."""

from account.models import ACCOUNT
from bulkops.rest.routes import dimension_routes
from bulkops.rest.schema import DeletionForm

_DELETIONS = DeletionForm(utc="Z", in_arrays=True, listed_start="elements-bulk-delete-asynch")

urlpatterns = dimension_routes(ACCOUNT, _DELETIONS, answers_elements=True)
