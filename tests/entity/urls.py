from bulkops.rest.routes import bulk_routes
from dimensions_site.elements.rest.views import element_routes
from tests.entity.views import EntityBulkViewSet, EntityDeletionViewSet, EntityViewSet

urlpatterns = element_routes(EntityViewSet) + bulk_routes(EntityBulkViewSet, EntityDeletionViewSet)
