"""What the commands that read a file of elements share: their arguments, the file, and how errors are printed."""

import argparse
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryFile
from typing import Any, BinaryIO, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bulkops.files.formats.encodings import ENCODINGS, encoding_name
from bulkops.files.formats.reading import beginnings, open_source
from bulkops.files.formats.rows import ReadingOptions, Source, UnreadableFile
from bulkops.files.imports.options import Share, locate_headings
from bulkops.files.imports.reports import ImportRefused, Report
from dimensions_site.changes.requirements import InvalidReason, typed_reason
from dimensions_site.elements.dimension import Dimension
from dimensions_site.repositories.models import Repository
from dimensions_site.text.files import Format, known_encoding
from dimensions_site.text.formats import shortened

# The advice for errors, by their codes.
_HINTS = {
    "UNKNOWN_FIELD": " Say what a heading means with --map 'heading=field'; --map 'heading=' leaves the column out.",
    "UNKNOWN_SHEET": " Name the sheet with --sheet.",
    "UNCERTAIN_ENCODING": " Name the encoding with --encoding.",
}


class FileCommand(BaseCommand):
    """Reads a file of elements of one dimension of a repository; a subclass names the dimension."""

    dimension: ClassVar[Dimension]
    # Whether the elements may also come from elsewhere.
    is_file_optional: ClassVar[bool] = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("db_id", metavar="DBID", help="the repository")
        parser.add_argument(
            "file",
            metavar="FILE",
            nargs="?" if self.is_file_optional else None,
            help=f"a {Format.listed()} file, or - for standard input",
        )
        parser.add_argument("--format", choices=list(map(str, Format)), help="read the file in this format")
        parser.add_argument(
            "--encoding",
            type=_encoding,
            metavar="NAME",
            help="the encoding of a text that does not show it, such as windows-1250",
        )
        parser.add_argument("--sheet", metavar="NAME", help="the sheet of a workbook, if several have a table")
        parser.add_argument(
            "--heading-row",
            type=_row,
            metavar="N",
            help="the row with the headings, if it is not the first one with a text and is not recognized",
        )
        parser.add_argument(
            "--map",
            type=_mapped,
            action="append",
            default=[],
            metavar="HEADING=FIELD",
            help='what a heading means, such as "Konto=id"; "Note=" leaves a column out; may be given several times',
        )
        parser.add_argument("--strict", action="store_true", help="refuse references to elements that do not exist")
        parser.add_argument("--reason", default="", metavar="TEXT", help="why; it is kept with what is changed")
        parser.add_argument(
            "--max-delete",
            type=_share,
            metavar="N|N%",
            help="how many elements, or which share of the stored ones, may be deleted (default: 5%%)",
        )

    @contextmanager
    def source(self, file: BinaryIO, options: Mapping[str, Any]) -> Iterator[Source]:
        """Open the file as the command's options say, and print what was found where they say nothing.

        Raises `ImportRefused` if it cannot be read, also in the block.
        """
        format = None if options["format"] is None else Format(options["format"])
        mapping = mapping_of(options["map"])
        given = ReadingOptions(
            format, options["encoding"], options["sheet"], options["heading_row"], named=tuple(mapping)
        )
        try:
            reading = locate_headings(given, beginnings(file, given), self.dimension.wire, mapping)
            with open_source(file, reading) as source:
                if reading != given or (given.heading_row is None and source.found.heading_row > 1):
                    of_sheet = f" of the sheet '{shortened(source.found.sheet)}'" if source.found.sheet else ""
                    self.stdout.write(f"The headings are those in row {source.found.heading_row}{of_sheet}.")
                yield source
        except UnreadableFile as error:
            raise ImportRefused(Report(failures=[error.failure], failure_count=1)) from None

    def print_errors(self, report: Report) -> None:
        for failure in report.failures:
            self.stderr.write(str(failure))
        if report.failure_count > len(report.failures):
            more = report.failure_count - len(report.failures)
            errors = f"{more:,} more error{'' if more == 1 else 's'}"
            self.stderr.write(f"and {errors}" if report.is_count_exact else f"and at least {errors}")

    def refused(self, outcome: str, refusal: ImportRefused) -> CommandError:
        """Print the errors; return the error of the command, with advice for the options that they call for."""
        self.print_errors(refusal.report)
        codes = {found.failure.code for found in refusal.report.failures}
        hints = "".join(advice for code, advice in _HINTS.items() if code in codes)
        return CommandError(f"{outcome}: {refusal}{hints}")


def reason_of(text: str, repository: Repository, *, refusal: str, is_trial: bool = False) -> str | None:
    """Return the reason, which a trial does not need. Raises CommandError, which begins with the `refusal`, for an
    invalid or missing one.
    """
    if is_trial and not text:
        return None
    try:
        return typed_reason(text, repository)
    except InvalidReason as error:
        advice = " Give it with --reason." if error.code == "REASON_REQUIRED" else ""
        raise CommandError(f"{refusal}: {error}{advice}") from None


def mapping_of(pairs: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Return the field of each heading. Raises CommandError for a repeated heading."""
    heading, count = Counter(heading for heading, _ in pairs).most_common(1)[0] if pairs else ("", 0)
    if count > 1:
        raise CommandError(f"--map must name '{heading}' only once; it names it {count} times.")
    return dict(pairs)


def _mapped(text: str) -> tuple[str, str]:
    heading, sign, field = text.rpartition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"it must be HEADING=FIELD, such as 'Konto=id'; got '{text}'.")
    return heading, field.strip()


def _encoding(text: str) -> str:
    found = known_encoding(text, (*ENCODINGS, *ENCODINGS.values()))
    if found is None:
        raise argparse.ArgumentTypeError(f"it must be one of {', '.join(ENCODINGS)}; got '{text}'.")
    return encoding_name(ENCODINGS.get(found, found))


def _row(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,6}", text):
        raise argparse.ArgumentTypeError(f"it must be the number of a row, such as 4; got '{text}'.")
    return int(text)


def _share(text: str) -> Share:
    try:
        return Share.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


@contextmanager
def open_input(name: str) -> Iterator[BinaryIO]:
    """Open the file of that name, or a copy of a pipe or standard input (`-`), which can be read only once.

    The copy is complete before the rows are read, because the writer of the pipe may be slow. Raises CommandError.
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
