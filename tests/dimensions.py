"""The installed dimensions, for tests that are about every one of them."""

from dimensions_site.elements.dimension import dimensions
from dimensions_site.urls import DIMENSIONS as ROUTES

DIMENSIONS = {dimension.name: dimension for dimension in dimensions()}
DOCUMENTS = {routes.dimension.name: routes.document for routes in ROUTES}
