"""Apply a plan."""

from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from bulkops.command_line.files import reason_of
from bulkops.command_line.planning import counts_text
from bulkops.command_line.progress import interruptible
from bulkops.models import Plan
from bulkops.plans.deciding import apply_plan, check_applicable, outdated_ids
from dimensions_site.api.errors import Problem
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.observability.observation import Observed, observing
from dimensions_site.repositories.arguments import find_repository
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import uuid_of

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    help = "Does exactly what a plan shows, in one change set, or nothing if its elements have changed since."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("db_id", metavar="DBID", help="the repository")
        parser.add_argument("plan", metavar="PLAN", help="the id of the plan")
        parser.add_argument("--reason", default="", metavar="TEXT", help="why; default: the reason of the plan")

    def handle(self, *args: Any, **options: Any) -> None:
        """Apply the plan. Raises CommandError if nothing was changed."""
        repository = find_repository(options["db_id"])
        plan = _found(repository, options["plan"])
        self.stdout.write(f"Plan {plan.pk} of {repository.db_id}, {plan.dimension}: {counts_text(plan)}.")
        try:
            check_applicable(plan)
            reason = reason_of(options["reason"] or plan.reason or "", repository, refusal="Nothing was changed")
            with (
                observing(Observed(repository=repository.db_id, dimension=plan.dimension)),
                interruptible("Stopped. Nothing was changed."),
            ):
                # Who may run commands may do everything.
                plan = apply_plan(plan, Actor(SYSTEM, Channel.PLAN, str(plan.pk), reason), lambda _role: None)
                log.info("plan_applied", plan=str(plan.pk))
        except Problem as problem:
            if problem.code == "PLAN_OUTDATED":
                for id in outdated_ids(plan):
                    self.stderr.write(f"changed since: {id}")
            else:
                for failure in problem.failures:
                    self.stderr.write(failure.message)
            raise CommandError(f"Nothing was changed: {problem.detail}") from None
        change_set = "It changed nothing" if plan.change_set is None else f"Change set: {plan.change_set}"
        self.stdout.write(f"Applied. {change_set}.")


def _found(repository: Repository, id: str) -> Plan:
    """Return the plan, of whichever dimension. Raises CommandError if the repository has none with this id."""
    key = uuid_of(id)
    found = Plan.objects.filter(repository=repository, pk=key).first() if key else None
    if found is None:
        raise CommandError(
            f"There is no plan '{id}' in repository '{repository.db_id}'. Plans are kept for "
            f"{settings.PLAN_RETENTION_DAYS} days."
        )
    return found
