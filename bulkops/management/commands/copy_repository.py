"""Copy a repository."""

from typing import Any

import structlog
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from bulkops.command_line.progress import ShowProgress, interruptible, show_progress
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.elements.dimension import Dimension, dimensions
from dimensions_site.elements.history.moments import token_of
from dimensions_site.elements.writing.locking import writing_many
from dimensions_site.elements.writing.restoring import copy_elements
from dimensions_site.observability.observation import Observed, observing
from dimensions_site.repositories.arguments import check_new, find_repository
from dimensions_site.repositories.models import AccessGrant, Repository

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    help = "Creates a repository with the settings and the elements of another one, as they are at this moment."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", metavar="SOURCE", help="the repository to copy")
        parser.add_argument("db_id", metavar="DBID", help="the new repository")
        parser.add_argument("--name", help="the name that people see; default: that of SOURCE")
        parser.add_argument("--with-grants", action="store_true", help="give the same users and groups access")

    def handle(self, *args: Any, **options: Any) -> None:
        """Copy the repository. Raises CommandError if the name is taken or invalid; then nothing is copied."""
        source = find_repository(options["source"])
        copy = Repository(
            db_id=options["db_id"],
            name=options["name"] or source.name,
            default_language=source.default_language,
            api_enabled=source.api_enabled,
            requires_reason=source.requires_reason,
            base=source.db_id,
            base_states={},
        )
        arguments = {"db_id": "DBID", "name": "--name"}
        check_new(copy, arguments, taken=f"There is already a repository '{copy.db_id}'.")
        with (
            observing(Observed(repository=copy.db_id)),
            interruptible("Stopped. Nothing was copied."),
            show_progress() as show,
        ):
            counts = _filled(copy, source, show, with_grants=options["with_grants"])
            log.info("repository_copied", source=source.db_id)
        self.stdout.write(f"Copied {source.db_id} to {copy.db_id}: {', '.join(counts)}.")


@transaction.atomic  # together with the records of the changes
def _filled(copy: Repository, source: Repository, show: ShowProgress, *, with_grants: bool) -> list[str]:
    """Store the repository `copy` and fill it; return how many elements of each dimension it has."""
    copy.save()
    if with_grants:
        _copy_grants(source, copy)
    actor = Actor(SYSTEM, Channel.IMPORT, reason=f"Copy of {source.db_id}")
    with writing_many(copy):
        counts = [_copied(dimension, source, copy, actor, show) for dimension in dimensions()]
    copy.save(update_fields=["base_states"])
    return counts


def _copied(dimension: Dimension, source: Repository, copy: Repository, actor: Actor, show: ShowProgress) -> str:
    """Copy one dimension and note its state; return how many elements it has."""

    def progress(done: int, total: int) -> None:
        show(f"copying {dimension.verbose_name_plural}", done / total, done)

    state, count = copy_elements(dimension, source, copy, actor, progress)
    copy.base_states[dimension.name] = token_of(state)
    return f"{count:,} {dimension.verbose_name if count == 1 else dimension.verbose_name_plural}"


def _copy_grants(source: Repository, copy: Repository) -> None:
    """Give the same users and groups the same roles, each with a record of it."""
    for grant in source.grants.all():
        AccessGrant(
            repository=copy, user=grant.user, group=grant.group, dimension=grant.dimension, role=grant.role
        ).save()
