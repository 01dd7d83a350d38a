"""Make a plan for accounts."""

from account.models import ACCOUNT
from bulkops.command_line.planning import PlanCommand


class Command(PlanCommand):
    help = "Computes what a file, another repository, an earlier state or an undo would change, and keeps it as a plan."
    dimension = ACCOUNT
