"""The import command that all dimensions share."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import structlog
from django.core.management.base import CommandError, CommandParser

from bulkops.command_line.files import FileCommand, mapping_of, open_input, reason_of
from bulkops.command_line.progress import interruptible, show_progress
from bulkops.files.formats.rows import FileShape, format_named
from bulkops.files.imports.importing import Importer
from bulkops.files.imports.options import MAX_DELETE, Mode, Options
from bulkops.files.imports.reports import ImportRefused, Report
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor, ApprovalRequired
from dimensions_site.observability.observation import Observed, observing
from dimensions_site.repositories.arguments import find_repository
from dimensions_site.text.formats import shortened

log = structlog.get_logger(__name__)

# Rows with errors are in the file of rejected rows, the others are saved; status 1 means that nothing was saved.
_REJECTED = 3


class ImportCommand(FileCommand):
    """Imports a file into one dimension of a repository; a subclass names the dimension."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--mode",
            choices=list(map(str, Mode)),
            default=str(Mode.MERGE),
            help="what rows do: create and change elements (merge, the default), only create, only update, or "
            "create and change, and elements that are not in the file are deleted (sync)",
        )
        parser.add_argument(
            "--empty-cells",
            choices=["clear", "keep"],
            default="clear",
            help="what an empty cell does to a stored field: clear it (the default), or keep it",
        )
        parser.add_argument("--dry-run", action="store_true", help="report what would be done, and save nothing")
        parser.add_argument(
            "--rejects", metavar="FILE", help="a new file for the rows with errors; the others are saved then"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Import the file. Raises CommandError if nothing was saved, and SystemExit if rows were rejected."""
        mode, max_delete = Mode(options["mode"]), options["max_delete"]
        if max_delete is not None and mode is not Mode.SYNC:
            raise CommandError("--max-delete needs --mode sync, because no other mode deletes anything.")
        repository = find_repository(options["db_id"])
        reason = reason_of(options["reason"], repository, refusal="Nothing was imported", is_trial=options["dry_run"])
        chosen = Options(
            mode=mode,
            dry_run=options["dry_run"],
            strict=options["strict"],
            max_delete=max_delete or MAX_DELETE,
            mapping=mapping_of(options["map"]),
            keeps_empty_cells=options["empty_cells"] == "keep",
        )
        was = "would be" if chosen.dry_run else "was"
        try:
            with (
                observing(Observed(repository=repository.db_id, dimension=self.dimension.name)),
                interruptible("Stopped. Nothing was saved."),
                open_input(options["file"]) as file,
                _rejects(options["rejects"], is_kept=not chosen.dry_run) as rejects,
                show_progress() as show,
            ):
                importer = Importer(
                    self.dimension,
                    repository,
                    Actor(SYSTEM, Channel.IMPORT, reason=reason),
                    chosen,
                    rejects=rejects,
                    progress=show,
                    advice="If it is, allow as many with --max-delete.",
                )
                with self.source(file, options) as source:
                    _check_ending(options["rejects"], source.shape)
                    report = importer.run(source)
                log.info("elements_imported", import_mode=chosen.mode.value, dry_run=chosen.dry_run)
        except ImportRefused as refusal:
            raise self.refused(f"Nothing {was} imported", refusal) from None
        except ApprovalRequired as refusal:
            raise CommandError(f"Nothing {was} imported: {refusal.detail}") from None
        except OSError as error:
            raise CommandError(f"Nothing {was} imported: {error.strerror}.") from None
        self.print_errors(report)
        self._print_report(report, repository.db_id, chosen, options["rejects"])
        if report.rejected:
            sys.exit(_REJECTED)

    def _print_report(self, report: Report, db_id: str, options: Options, rejects: str | None) -> None:
        if options.dry_run:
            for sample in report.samples:
                for difference in sample.differences:
                    change = f"{shortened(difference.before)} -> {shortened(difference.after)}"
                    self.stdout.write(f"line {sample.line}, {sample.id}, {difference.path}: {change}")
            for id in report.deleted_ids:
                self.stdout.write(f"deleted: {id}")
        if report.formulas:
            values = "value" if report.formulas == 1 else "values"
            self.stdout.write(
                f"Took {report.formulas:,} {values} of formulas as the program that saved the file had computed them."
            )
        counts = {"created": report.created, "changed": report.changed, "unchanged": report.unchanged}
        if options.mode is Mode.SYNC:
            counts["deleted"] = report.deleted
        if rejects is not None:
            counts["rejected"] = report.rejected
        counted = ", ".join(f"{count:,} {name}" for name, count in counts.items())
        beginning = "Dry run, nothing was saved. It would import into" if options.dry_run else "Imported into"
        self.stdout.write(f"{beginning} {db_id}: {counted}.")
        if report.rejected and not options.dry_run:
            self.stdout.write(f"The rejected rows are in {rejects}. Correct them and import that file.")


def _check_ending(rejects: str | None, shape: FileShape) -> None:
    """Reject a file extension of another format: programs would not open the file."""
    named, gzipped = (None, False) if rejects is None else format_named(rejects)
    if (named or gzipped) and (named or shape.format, gzipped) != (shape.format, shape.gzipped):
        compression = " compressed with gzip" if shape.gzipped else ""
        raise CommandError(
            f"The rejected rows of this file are written as {shape.format.upper()}{compression}, but the name "
            f"'{rejects}' means another format. Choose a name that ends with {shape.ending}."
        )


@contextmanager
def _rejects(name: str | None, *, is_kept: bool) -> Iterator[BinaryIO | None]:
    """Return the file of rejected rows, if one is named; an empty or unwanted file is deleted.

    Raises CommandError if a file of that name exists.
    """
    if name is None:
        yield None
        return
    path = Path(name)
    try:
        file = path.open("xb")
    except FileExistsError:
        raise CommandError(f"The file '{name}' already exists. Choose another name, or remove it.") from None
    except OSError as error:
        raise CommandError(f"The file '{name}' cannot be written: {error.strerror}.") from None
    is_complete = False
    try:
        with file:
            yield file
            is_complete = file.tell() > 0
    finally:
        if not (is_complete and is_kept):
            path.unlink()
