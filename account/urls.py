from account.views import (
    AccountBulkViewSet,
    AccountDeletionViewSet,
    AccountHistoryViewSet,
    AccountPlanViewSet,
    AccountViewSet,
)
from bulkops.rest.routes import bulk_routes, plan_routes
from dimensions_site.elements.rest.history_views import history_routes
from dimensions_site.elements.rest.views import element_routes

urlpatterns = (
    element_routes(AccountViewSet)
    + history_routes(AccountHistoryViewSet)
    + bulk_routes(AccountBulkViewSet, AccountDeletionViewSet)
    + plan_routes(AccountPlanViewSet)
)
