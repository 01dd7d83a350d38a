"""The installed dimensions, for tests that are about every one of them."""

from typing import Any

from dimensions_site.elements.dimension import dimensions
from dimensions_site.urls import DIMENSIONS as ROUTES

DIMENSIONS = {dimension.name: dimension for dimension in dimensions()}
MODELS: dict[str, Any] = {name: dimension.model for name, dimension in DIMENSIONS.items()}
WIRES = {name: dimension.wire for name, dimension in DIMENSIONS.items()}
DOCUMENTS = {routes.dimension.name: routes.document for routes in ROUTES}
