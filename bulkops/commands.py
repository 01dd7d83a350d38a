"""What the import commands of all dimensions share."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, ClassVar, TextIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bulkops.importing import Importer, ImportRefused
from bulkops.tabular import open_csv, read_csv
from dimensions_site.elements.models import Element, Origin
from dimensions_site.elements.saving import Actor
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.arguments import find_repository


class ImportCommand(BaseCommand):
    """Imports a CSV file into one dimension of a repository; a subclass names the dimension."""

    model: ClassVar[type[Element]]
    wire: ClassVar[Wire]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("db_id", metavar="DBID", help="the repository")
        parser.add_argument("file", metavar="FILE", help="a CSV file in UTF-8, or - for standard input")

    def handle(self, *args: Any, **options: Any) -> None:
        repository = find_repository(options["db_id"])
        name: str = options["file"]
        importer = Importer(self.model, self.wire, repository, Actor(None, Origin.IMPORT))
        try:
            with _opened(name) as file:
                report = importer.run(read_csv(file))
        except OSError as error:
            raise CommandError(f"The file '{name}' cannot be read: {error.strerror}.") from None
        except ImportRefused as refusal:
            for failure in refusal.failures:
                self.stderr.write(str(failure))
            count = len(refusal.failures)
            raise CommandError(f"Nothing was imported: {count:,} {'fault' if count == 1 else 'faults'}.") from None
        self.stdout.write(
            f"Imported into {repository.db_id}: {report.created:,} created, {report.changed:,} changed, "
            f"{report.unchanged:,} unchanged."
        )


@contextmanager
def _opened(name: str) -> Iterator[TextIO]:
    """The file of that name, or a copy of standard input when it is `-`. Raises OSError.

    The copy is complete before the import begins: whoever writes into the pipe may be slow, and the import's
    transaction would make all other writers wait for him.
    """
    if name != "-":
        with open_csv(Path(name)) as file:
            yield file
        return
    with TemporaryFile() as copy:
        with open(sys.stdin.fileno(), "rb", closefd=False) as source:
            shutil.copyfileobj(source, copy)
        copy.seek(0)
        with open_csv(copy.fileno()) as file:
            yield file
