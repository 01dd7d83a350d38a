from account.views import AccountViewSet
from dimensions_site.elements.routes import element_routes

urlpatterns = element_routes(AccountViewSet)
