"""A third dimension, as the rest of the service knows it."""

from dimensions_site.elements.dimension import Dimension
from tests.entity.models import Entity
from tests.entity.serializers import ENTITY_WIRE

ENTITY = Dimension("entity", Entity, ENTITY_WIRE, summary="Entities with their parent and their share of it.")
