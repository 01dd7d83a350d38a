"""Makes a plan for entities."""

from bulkops.command_line.planning import PlanCommand
from tests.entity.models import ENTITY


class Command(PlanCommand):
    help = "Computes what a file, another repository, an earlier state or an undo would change, and keeps it as a plan."
    dimension = ENTITY
