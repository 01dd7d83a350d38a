"""Make a plan for currencies."""

from bulkops.command_line.planning import PlanCommand
from currency.models import CURRENCY


class Command(PlanCommand):
    help = "Computes what a file, another repository, an earlier state or an undo would change, and keeps it as a plan."
    dimension = CURRENCY
