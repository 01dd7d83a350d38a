"""Every address of the service, and those of entities."""

from dimensions_site import urls
from dimensions_site.elements.rest.routes import DimensionRoutes
from tests.entity.models import ENTITY
from tests.entity.urls import urlpatterns as entity_routes

urlpatterns = [*DimensionRoutes(ENTITY, entity_routes).urlpatterns, *urls.urlpatterns]

handler400, handler403 = urls.handler400, urls.handler403
handler404, handler500 = urls.handler404, urls.handler500
