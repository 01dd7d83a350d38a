"""The export command that all dimensions share."""

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

from bulkops.command_line.progress import interruptible
from bulkops.files.exporting import chosen_paths, write_export
from bulkops.files.formats.rows import FileShape, format_named
from bulkops.files.formats.table import FORMATS
from bulkops.files.workbooks.writing import TableTooLarge
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.filters import ElementFilter
from dimensions_site.observability.observation import Observed, observing
from dimensions_site.repositories.arguments import find_repository
from dimensions_site.repositories.models import Repository
from dimensions_site.text.files import Format

log = structlog.get_logger(__name__)

# The exit status that shells report when the reader of a pipe has closed it.
_NOBODY_READS = 128 + SIGPIPE


class ExportCommand(BaseCommand):
    """Exports elements of one dimension of a repository; a subclass names the dimension."""

    dimension: ClassVar[Dimension]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("db_id", metavar="DBID", help="the repository")
        parser.add_argument("file", metavar="FILE", nargs="?", help="the file to write; without it, standard output")
        parser.add_argument(
            "--format", choices=list(map(str, Format)), help="default: the ending of FILE; .gz compresses the file"
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
                observing(Observed(repository=repository.db_id, dimension=self.dimension.name)),
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
            noun = self.dimension.verbose_name if count == 1 else self.dimension.verbose_name_plural
            self.stdout.write(f"Exported {count:,} {noun} of {repository.db_id} to {name}.")

    def _chosen(self, repository: Repository, options: dict[str, Any]) -> tuple[QuerySet[Any], list[str]]:
        """Return the elements and paths that the options select. Raises CommandError with all errors."""
        elements = ElementFilter(self.dimension, repository, options["filter"])
        filterset = elements.filterset(self.dimension.model.of(repository), options["sort"])
        paths, failures = chosen_paths(self.dimension.wire, repository, options["properties"], options["languages"])
        errors = [f"--{failure.path}: {failure.message}" for failure in (*filterset.failures, *failures)]
        if errors:
            raise CommandError("\n".join(errors))
        return filterset.qs, paths

    def _export(
        self, elements: QuerySet[Any], repository: Repository, paths: list[str], shape: FileShape, file: BinaryIO
    ) -> int:
        is_shown = sys.stderr.isatty()
        total = elements.order_by().count() if is_shown else None
        with tqdm(total=total, unit=" elements", disable=not is_shown, leave=False) as bar:
            return write_export(
                elements,
                self.dimension.wire,
                repository,
                paths=paths,
                shape=shape,
                file=file,
                progress=lambda count: bar.update(count - bar.n),
            )


def _shape(name: str | None, chosen: str | None) -> FileShape:
    """Return the shape of that file, or of standard output. Raises CommandError for an unknown extension."""
    named, gzipped = (Format.CSV, False) if name is None else format_named(name)
    format = named if chosen is None else Format(chosen)
    if format is None:
        raise CommandError(
            f"The name '{name}' has no known extension. End it with .{', .'.join(Format)}, or choose a format with "
            "--format."
        )
    # Programs that read standard output do not expect a byte-order mark.
    encoding = "utf-8" if name is None else FORMATS[format].encoding
    return FileShape(format, encoding, gzipped=gzipped)


@contextmanager
def _opened(name: str | None, *, force: bool) -> Iterator[BinaryIO]:
    """Open the file of that name, which appears when it is complete, or standard output. Raises OSError,
    CommandError.
    """
    if name is None:
        with open(sys.stdout.fileno(), "wb", closefd=False) as output:
            yield output
        return
    path = Path(name)
    if path.exists() and not (force and path.is_file()):
        hint = " Choose another name, or overwrite it with --force." if path.is_file() else " Choose another name."
        raise CommandError(f"{_called(name)} already exists.{hint}")
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _called(name: str | None) -> str:
    return "Standard output" if name is None else f"The file '{name}'"
