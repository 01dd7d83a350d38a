"""The REST routes of the entity dimension."""

from bulkops.rest.deletion_views import DeletionViewSet
from bulkops.rest.plan_views import PlanViewSet
from bulkops.rest.schema import ProcessingForm
from bulkops.rest.views import BulkViewSet
from dimensions_site.elements.rest.history_views import HistoryViewSet
from dimensions_site.elements.rest.views import ElementViewSet
from tests.entity.dimension import ENTITY


class EntityViewSet(ElementViewSet):
    dimension = ENTITY


class EntityHistoryViewSet(HistoryViewSet):
    dimension = ENTITY


class EntityBulkViewSet(BulkViewSet):
    dimension = ENTITY
    answers_elements = True


class EntityDeletionViewSet(DeletionViewSet):
    dimension = ENTITY
    form = ProcessingForm(utc="Z", in_arrays=False)
    aborted = 200
    listed_start = "elements-bulk-delete-async"


class EntityPlanViewSet(PlanViewSet):
    dimension = ENTITY
