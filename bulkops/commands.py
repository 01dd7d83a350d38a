"""What the import commands of all dimensions share."""

import argparse
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, ClassVar

import structlog
from django.core.management.base import BaseCommand, CommandError, CommandParser

from bulkops.formats.reading import open_source
from bulkops.formats.rows import Format, Shape, UnreadableFile, told_by
from bulkops.formats.tables import counted
from bulkops.importing import Importer
from bulkops.imports.options import Mode, Options, Share
from bulkops.imports.rejects import RejectsWriter
from bulkops.imports.reports import ImportRefused, Report
from bulkops.interruption import interruptible
from bulkops.progress import shown_progress
from dimensions_site.api.problems import shortened
from dimensions_site.elements.actors import Actor
from dimensions_site.elements.models import Element, Origin
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.arguments import find_repository
from dimensions_site.telemetry.observation import Observed, observing

log = structlog.get_logger(__name__)

# Faulty rows went to the file for them, and the others are saved; 1 is that nothing was saved.
_REJECTED = 3
_HEADINGS_HINT = " What a heading means can be told by --map 'heading=field'; --map 'heading=' leaves the column out."


class ImportCommand(BaseCommand):
    """Imports a file into one dimension of a repository; a subclass names the dimension."""

    dimension: ClassVar[str]
    model: ClassVar[type[Element]]
    wire: ClassVar[Wire]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("db_id", metavar="DBID", help="the repository")
        parser.add_argument("file", metavar="FILE", help="a CSV, XLSX, JSON or NDJSON file, or - for standard input")
        parser.add_argument("--format", choices=list(map(str, Format)), help="refuse a file of another format")
        parser.add_argument(
            "--map",
            type=_mapped,
            action="append",
            default=[],
            metavar="HEADING=FIELD",
            help='what a heading means, such as "Konto=id"; "Note=" leaves a column out; may be given several times',
        )
        parser.add_argument(
            "--mode",
            choices=list(map(str, Mode)),
            default=str(Mode.UPSERT),
            help="what rows do: create and change elements (upsert, when none is given), only create, only update, or "
            "create and change, and elements that are not in the file are deleted (sync)",
        )
        parser.add_argument("--dry-run", action="store_true", help="tell what would be done, and save nothing")
        parser.add_argument("--strict", action="store_true", help="refuse references to elements that do not exist")
        parser.add_argument("--rejects", metavar="FILE", help="a new file for faulty rows; the others are saved then")
        parser.add_argument(
            "--max-delete",
            type=_share,
            metavar="N|N%",
            help="how many elements, or which part of those that are stored, sync may delete; when none is given, 5%%",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Import the file. Raises CommandError when nothing was saved, and SystemExit when rows were rejected."""
        mode, max_delete = Mode(options["mode"]), options["max_delete"]
        if max_delete is not None and mode is not Mode.SYNC:
            raise CommandError("--max-delete is for --mode sync, for no other mode deletes anything.")
        repository = find_repository(options["db_id"])
        chosen = Options(
            mode=mode,
            dry_run=options["dry_run"],
            strict=options["strict"],
            max_delete=Options.max_delete if max_delete is None else max_delete,
            mapping=_mapping(options["map"]),
        )
        was = "would be" if chosen.dry_run else "was"
        format = None if options["format"] is None else Format(options["format"])
        try:
            with (
                observing(Observed(repository=repository.db_id, dimension=self.dimension)),
                interruptible("Stopped. Nothing was saved."),
                _opened(options["file"]) as file,
                _rejects(options["rejects"], is_kept=not chosen.dry_run) as rejects,
                shown_progress() as show,
            ):
                importer = Importer(
                    self.model,
                    self.wire,
                    self.dimension,
                    repository,
                    Actor(None, Origin.IMPORT),
                    chosen,
                    rejects=rejects,
                    progress=lambda phase, share: show(phase, share, importer.rows_done),
                    advice="If it is, allow as many with --max-delete.",
                )
                report = _run(importer, file, format, options["rejects"])
                log.info("elements_imported", import_mode=chosen.mode.value, dry_run=chosen.dry_run)
        except ImportRefused as refusal:
            self._tell_faults(refusal.report)
            raise CommandError(f"Nothing {was} imported: {refusal}{_hint(refusal.report)}") from None
        except OSError as error:
            raise CommandError(f"Nothing {was} imported: {error.strerror}.") from None
        self._tell_faults(report)
        self._tell(report, repository.db_id, chosen, options["rejects"])
        if report.rejected:
            sys.exit(_REJECTED)

    def _tell_faults(self, report: Report) -> None:
        for failure in report.failures:
            self.stderr.write(str(failure))
        if report.failure_count > len(report.failures):
            self.stderr.write(f"and {counted(report.failure_count - len(report.failures), 'more fault')}")

    def _tell(self, report: Report, db_id: str, options: Options, rejects: str | None) -> None:
        if options.dry_run:
            for sample in report.samples:
                for difference in sample.differences:
                    change = f"{shortened(difference.before)} -> {shortened(difference.after)}"
                    self.stdout.write(f"line {sample.line}, {sample.id}, {difference.path}: {change}")
            for id in report.deleted_ids:
                self.stdout.write(f"deleted: {id}")
        counts = {"created": report.created, "changed": report.changed, "unchanged": report.unchanged}
        if options.mode is Mode.SYNC:
            counts["deleted"] = report.deleted
        if rejects is not None:
            counts["rejected"] = report.rejected
        told = ", ".join(f"{count:,} {name}" for name, count in counts.items())
        beginning = "Dry run, nothing was saved. It would be, for" if options.dry_run else "Imported into"
        self.stdout.write(f"{beginning} {db_id}: {told}.")
        if report.rejected and not options.dry_run:
            self.stdout.write(f"The rejected rows are in {rejects}. Mend them and import that file.")


def _hint(report: Report) -> str:
    return _HEADINGS_HINT if any(found.failure.code == "UNKNOWN_FIELD" for found in report.failures) else ""


def _run(importer: Importer, file: BinaryIO, format: Format | None, rejects: str | None) -> Report:
    try:
        with open_source(file, format=format) as source:
            _check_ending(rejects, source.shape)
            return importer.run(source)
    except UnreadableFile as error:
        raise ImportRefused(Report(failures=[error.failure], failure_count=1)) from None


def _check_ending(rejects: str | None, shape: Shape) -> None:
    """Refuse a name that tells another format than the file will have: programs would not open it."""
    told, gzipped = (None, False) if rejects is None else told_by(rejects)
    if (told or gzipped) and (told or shape.format, gzipped) != (shape.format, shape.gzipped):
        packed = " packed with gzip" if shape.gzipped else ""
        raise CommandError(
            f"The rejected rows of this file are written as {shape.format.upper()}{packed}, and '{rejects}' tells "
            f"another format. Choose a name that ends with {shape.ending}."
        )


def _mapping(pairs: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """The fields that are meant, by heading. Raises CommandError when a heading is told twice."""
    heading, count = Counter(heading for heading, _ in pairs).most_common(1)[0] if pairs else ("", 0)
    if count > 1:
        raise CommandError(f"--map tells {count} times what '{heading}' means. Tell it once.")
    return dict(pairs)


def _mapped(text: str) -> tuple[str, str]:
    heading, sign, field = text.rpartition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"'{text}' maps nothing; write HEADING=FIELD, such as 'Konto=id'.")
    return heading, field.strip()


def _share(text: str) -> Share:
    try:
        return Share.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    """The file of that name, or a copy of what can be read only once: a pipe, and `-` for standard input.

    The copy is complete before the import begins: whoever writes into the pipe may be slow. Raises CommandError.
    """
    with ExitStack() as stack:
        try:
            named = stack.enter_context(open(sys.stdin.fileno() if name == "-" else name, "rb", closefd=name != "-"))
            file: BinaryIO = named
            if name == "-" or not named.seekable():
                file = stack.enter_context(TemporaryFile())
                shutil.copyfileobj(named, file)
        except OSError as error:
            raise CommandError(f"The file '{name}' cannot be read: {error.strerror}.") from None
        yield file


@contextmanager
def _rejects(name: str | None, *, is_kept: bool) -> Iterator[RejectsWriter | None]:
    """What writes the file of that name, if one is named; it goes again when nothing is in it or it is not to be kept.

    Raises CommandError when a file of that name is there already.
    """
    if name is None:
        yield None
        return
    path = Path(name)
    try:
        file = path.open("xb")
    except FileExistsError:
        raise CommandError(f"The file '{name}' is there already. Choose another name, or remove it.") from None
    except OSError as error:
        raise CommandError(f"The file '{name}' cannot be written: {error.strerror}.") from None
    is_complete = False
    try:
        with file:
            yield RejectsWriter(file)
            is_complete = file.tell() > 0
    finally:
        if not (is_complete and is_kept):
            path.unlink()
