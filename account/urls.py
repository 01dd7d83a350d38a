from account.views import AccountBulkViewSet, AccountDeletionViewSet, AccountViewSet
from bulkops.routes import bulk_routes
from dimensions_site.elements.routes import element_routes

urlpatterns = element_routes(AccountViewSet) + bulk_routes(AccountBulkViewSet, AccountDeletionViewSet)
