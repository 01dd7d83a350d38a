from bulkops.rest.routes import bulk_routes, plan_routes
from currency.views import (
    CurrencyBulkViewSet,
    CurrencyDeletionViewSet,
    CurrencyHistoryViewSet,
    CurrencyPlanViewSet,
    CurrencyViewSet,
)
from dimensions_site.elements.rest.history_views import history_routes
from dimensions_site.elements.rest.views import element_routes

urlpatterns = (
    element_routes(CurrencyViewSet)
    + history_routes(CurrencyHistoryViewSet)
    + bulk_routes(CurrencyBulkViewSet, CurrencyDeletionViewSet)
    + plan_routes(CurrencyPlanViewSet)
)
