from account.views import AccountBulkViewSet, AccountDeletionViewSet, AccountViewSet
from bulkops.rest.routes import bulk_routes
from dimensions_site.elements.rest.views import element_routes

urlpatterns = element_routes(AccountViewSet) + bulk_routes(AccountBulkViewSet, AccountDeletionViewSet)
