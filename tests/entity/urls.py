"""The REST routes of the entity dimension."""

from bulkops.rest.routes import dimension_routes
from bulkops.rest.schema import DeletionForm
from tests.entity.models import ENTITY

urlpatterns = dimension_routes(ENTITY, DeletionForm(utc="Z"), answers_elements=True)
