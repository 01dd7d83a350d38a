"""Fill a repository with sample elements, through the import that operators use.

`data/currencies.csv` has the active currencies of ISO 4217, amendment 180, in force since 2026-01-01, with the digits
of their minor units (0 without one) and names of Unicode CLDR.
"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from account.models import ACCOUNT
from bulkops.files.formats.reading import open_source
from bulkops.files.imports.importing import Importer
from bulkops.files.imports.options import Options
from bulkops.files.imports.reports import Report
from currency.models import CURRENCY
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor, ApprovalRequired
from dimensions_site.elements.dimension import Dimension
from dimensions_site.repositories.arguments import find_repository
from dimensions_site.repositories.models import Repository

_DATA = Path(__file__).parents[2] / "data"
GROUP_CHART = _DATA / "group_chart.csv"
# Repositories may require a reason.
_ACTOR = Actor(SYSTEM, Channel.IMPORT, reason="Sample data")


class Command(BaseCommand):
    help = "Fills a repository with all ISO 4217 currencies and a sample group chart of accounts in four languages."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("db_id", metavar="DBID", help="the repository")

    def handle(self, *args: Any, **options: Any) -> None:
        repository = find_repository(options["db_id"])
        for what, fill in (("currencies", fill_currencies), ("accounts", fill_accounts)):
            try:
                report = fill(repository)
            except ApprovalRequired as refusal:
                raise CommandError(f"No {what} were saved: {refusal.detail}") from None
            self.stdout.write(
                f"{what}: {report.created} created, {report.changed} changed, {report.unchanged} unchanged"
            )


def fill_currencies(repository: Repository) -> Report:
    """Create or update all currencies of ISO 4217, with names in five languages."""
    return _fill(repository, CURRENCY, _DATA / "currencies.csv")


def fill_accounts(repository: Repository) -> Report:
    """Create or update the sample group chart."""
    return _fill(repository, ACCOUNT, GROUP_CHART)


def _fill(repository: Repository, dimension: Dimension, path: Path) -> Report:
    with path.open("rb") as file, open_source(file) as source:
        return Importer(dimension, repository, _ACTOR, Options()).run(source)
