from currency.views import CurrencyViewSet
from dimensions_site.elements.routes import element_routes

urlpatterns = element_routes(CurrencyViewSet)
