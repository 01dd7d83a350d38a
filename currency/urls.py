from bulkops.rest.routes import bulk_routes
from currency.views import CurrencyBulkViewSet, CurrencyDeletionViewSet, CurrencyViewSet
from dimensions_site.elements.rest.views import element_routes

urlpatterns = element_routes(CurrencyViewSet) + bulk_routes(CurrencyBulkViewSet, CurrencyDeletionViewSet)
