from bulkops.rest.routes import bulk_routes, plan_routes
from dimensions_site.elements.rest.history_views import history_routes
from dimensions_site.elements.rest.views import element_routes
from tests.entity.views import (
    EntityBulkViewSet,
    EntityDeletionViewSet,
    EntityHistoryViewSet,
    EntityPlanViewSet,
    EntityViewSet,
)

urlpatterns = (
    element_routes(EntityViewSet)
    + history_routes(EntityHistoryViewSet)
    + bulk_routes(EntityBulkViewSet, EntityDeletionViewSet)
    + plan_routes(EntityPlanViewSet)
)
