"""The REST routes of currencies, in the forms of their specification."""

from bulkops.rest.routes import dimension_routes
from bulkops.rest.schema import DeletionForm
from currency.models import CURRENCY

# The specification has no 400 for reading one currency, so its query parameters are ignored (contract A7).
urlpatterns = dimension_routes(
    CURRENCY, DeletionForm(utc="+0000", aborted=202), answers_elements=False, ignores_query=["retrieve"]
)
