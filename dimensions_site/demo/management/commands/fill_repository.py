"""Fill a repository with sample elements."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dimensions_site.changes.approvals import ApprovalRequired
from dimensions_site.demo.samples import fill_accounts, fill_currencies
from dimensions_site.repositories.arguments import find_repository


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
