"""Delete old versions of elements."""

import argparse
import re
import time
from datetime import timedelta
from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from bulkops.command_line.progress import interruptible, show_progress
from dimensions_site.elements.dimension import dimensions
from dimensions_site.elements.writing.retention import refuse_states_before, remove_versions
from dimensions_site.observability.observation import Observed, observing
from dimensions_site.repositories.arguments import find_repository
from dimensions_site.repositories.models import Repository

log = structlog.get_logger(__name__)

_LONGEST_DAYS = 36_500


class Command(BaseCommand):
    help = (
        "Deletes versions of elements that were replaced more than DAYS days ago, and deleted elements of that time. "
        "The state of each element on every later day is kept."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--days", type=_days, required=True, metavar="DAYS", help="the number of days to keep, at least 1"
        )
        parser.add_argument("--repository", metavar="DBID", help="only in this repository; without it, in all")
        parser.add_argument("--dry-run", action="store_true", help="report what would be deleted, and delete nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        name, dry_run = options["repository"], options["dry_run"]
        repository = None if name is None else find_repository(name)
        before = timezone.now() - timedelta(days=options["days"])
        chosen = list(Repository.objects.all()) if repository is None else [repository]
        with interruptible("Stopped. Versions that were deleted by then stay deleted."), show_progress() as show:
            refused = (
                [] if dry_run else [refuse_states_before(each, one, before) for each in dimensions() for one in chosen]
            )
            if any(refused):
                show("waiting for reads that have begun", 0, 0)
                time.sleep(settings.READ_TIMEOUT_SECONDS)
            for dimension in dimensions():
                with observing(Observed(repository=name, dimension=dimension.name)):
                    looked_at = deleted = 0
                    for position, one in enumerate(chosen):
                        for step in remove_versions(dimension, one, before, dry_run=dry_run):
                            looked_at += step.checked
                            deleted += step.deleted
                            share = (position + step.share) / len(chosen)
                            show(f"looking at versions of {dimension}", share, looked_at)
                    log.info("history_cleaned", versions=deleted, dry_run=dry_run)
                verb = "would be" if dry_run else "are"
                self.stdout.write(f"{dimension}: {deleted:,} of {looked_at:,} versions {verb} deleted.")


def _days(text: str) -> int:
    if not (re.fullmatch("[0-9]{1,9}", text) and 1 <= int(text) <= _LONGEST_DAYS):
        raise argparse.ArgumentTypeError(f"it must be a whole number from 1 to {_LONGEST_DAYS}; got '{text}'.")
    return int(text)
