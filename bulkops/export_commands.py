"""What the export commands of all dimensions share."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGPIPE
from typing import Any, BinaryIO, ClassVar

import structlog
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import QuerySet
from tqdm import tqdm

from bulkops.exporting import chosen_paths, export
from bulkops.formats.rows import Format, Shape, told_by
from bulkops.formats.workbook_writing import TableTooLarge
from bulkops.interruption import interruptible
from dimensions_site.elements.filters import ElementFields, ElementFilterSet
from dimensions_site.elements.views import ElementViewSet
from dimensions_site.repositories.arguments import find_repository
from dimensions_site.repositories.models import Repository
from dimensions_site.telemetry.observation import Observed, observing

log = structlog.get_logger(__name__)

# What a shell tells of a program whose reader has gone.
_NOBODY_READS = 128 + SIGPIPE


class ExportCommand(BaseCommand):
    """Exports elements of one dimension of a repository; a subclass names the view set that answers them by REST."""

    viewset: ClassVar[type[ElementViewSet]]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("db_id", metavar="DBID", help="the repository")
        parser.add_argument("file", metavar="FILE", nargs="?", help="the file to write; without it, standard output")
        parser.add_argument(
            "--format", choices=list(map(str, Format)), help="without it the end of FILE tells; .gz packs the file"
        )
        parser.add_argument("--filter", help="the elements that are exported, in RSQL as on REST")
        parser.add_argument("--sort", help="the order of the elements as on REST, such as --sort=-updateInfo.date")
        parser.add_argument("--properties", help="the fields that are exported, separated by commas; without it, all")
        parser.add_argument("--languages", help="the languages of texts, separated by commas; without it, all")
        parser.add_argument("--force", action="store_true", help="overwrite FILE when it is there")

    def handle(self, *args: Any, **options: Any) -> None:
        repository = find_repository(options["db_id"])
        name: str | None = options["file"]
        shape = _shape(name, options["format"])
        elements, paths = self._chosen(repository, options)
        try:
            with (
                observing(Observed(repository=repository.db_id, dimension=self.viewset.dimension)),
                interruptible("Stopped. The export is not complete."),
                _opened(name, force=options["force"]) as file,
            ):
                count = self._export(elements, repository, paths, shape, file)
                log.info("elements_exported")
        except BrokenPipeError:
            sys.exit(_NOBODY_READS)
        except OSError as error:
            raise CommandError(f"{_called(name)} cannot be written: {error.strerror}.") from None
        except TableTooLarge as error:
            raise CommandError(str(error)) from None
        if name is not None:
            meta = self.viewset.model._meta
            noun = meta.verbose_name if count == 1 else meta.verbose_name_plural
            self.stdout.write(f"Exported {count:,} {noun} of {repository.db_id} to {name}.")

    def _chosen(self, repository: Repository, options: dict[str, Any]) -> tuple[QuerySet[Any], list[str]]:
        """The elements and the paths that the options mean; raises CommandError with everything that is wrong."""
        wire, model = self.viewset.wire, self.viewset.model
        query = {name: options[name] for name in ("filter", "sort") if options[name] is not None}
        table = ElementFields(wire, model, repository.default_language, self.viewset.unfilterable)
        filterset = ElementFilterSet(query, model._base_manager.filter(repository=repository), table=table)
        paths, failures = chosen_paths(wire, repository, options["properties"], options["languages"])
        faults = [f"--{failure.path}: {failure.message}" for failure in (*filterset.failures, *failures)]
        if faults:
            raise CommandError("\n".join(faults))
        return filterset.qs, paths

    def _export(
        self, elements: QuerySet[Any], repository: Repository, paths: list[str], shape: Shape, file: BinaryIO
    ) -> int:
        is_shown = sys.stderr.isatty()
        total = elements.order_by().count() if is_shown else None
        with tqdm(total=total, unit=" elements", disable=not is_shown, leave=False) as bar:
            return export(
                elements,
                self.viewset.wire,
                repository,
                paths=paths,
                shape=shape,
                file=file,
                progress=lambda count: bar.update(count - bar.n),
            )


def _shape(name: str | None, chosen: str | None) -> Shape:
    """The shape of the file of that name, or of standard output. Raises CommandError when the name does not tell."""
    told, gzipped = (Format.CSV, False) if name is None else told_by(name)
    format = told if chosen is None else Format(chosen)
    if format is None:
        raise CommandError(
            f"The name '{name}' does not tell the format. Let it end with .{', .'.join(Format)}, or choose one by "
            "--format."
        )
    # Excel takes a CSV file for UTF-8 when it begins with a byte-order mark; other programs stumble over it.
    encoding = "utf-8-sig" if format is Format.CSV and name is not None else "utf-8"
    return Shape(format, encoding, gzipped=gzipped)


@contextmanager
def _opened(name: str | None, *, force: bool) -> Iterator[BinaryIO]:
    """The file of that name, which is there when it is complete; or standard output. Raises OSError, CommandError."""
    if name is None:
        with open(sys.stdout.fileno(), "wb", closefd=False) as output:
            yield output
        return
    path = Path(name)
    if path.exists() and not (force and path.is_file()):
        hint = " Choose another name, or overwrite it by --force." if path.is_file() else " Choose another name."
        raise CommandError(f"{_called(name)} is there already.{hint}")
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _called(name: str | None) -> str:
    return "Standard output" if name is None else f"The file '{name}'"
