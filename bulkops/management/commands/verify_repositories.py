"""Verify that what the repositories contain fits together."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bulkops.command_line.progress import interruptible, show_progress
from dimensions_site.elements.dimension import dimensions
from dimensions_site.elements.history.verifying import misfits, one_state
from dimensions_site.repositories.arguments import find_repository
from dimensions_site.repositories.models import Repository


class Command(BaseCommand):
    help = (
        "Compares elements with the newest of their versions, versions with their change sets, and change sets with "
        "their numbers, for example after a backup was restored. Reads only, while others write."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repository", metavar="DBID", help="only this repository; without it, all")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what does not fit. Raises CommandError if something does not."""
        name, found = options["repository"], 0
        chosen = list(Repository.objects.all()) if name is None else [find_repository(name)]
        with interruptible("Stopped. What was compared by then is listed above."), show_progress() as show:
            for position, repository in enumerate(chosen):
                for dimension in dimensions():
                    show(f"comparing {dimension} in {repository.db_id}", position / len(chosen), 0)
                    with one_state():
                        sentences = misfits(dimension, repository)
                    for sentence in sentences:
                        self.stdout.write(f"{dimension} in {repository.db_id}: {sentence}.")
                    found += len(sentences)
        repositories = "1 repository" if len(chosen) == 1 else f"{len(chosen):,} repositories"
        if found:
            raise CommandError(f"Kinds of differences in {repositories}: {found:,}.")
        self.stdout.write(f"Elements, versions and change sets of {repositories} fit together.")
