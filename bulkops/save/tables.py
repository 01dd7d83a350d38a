"""A bulk save of a table in CSV, which the engine of imports reads (contract K3)."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from socket import socket
from tempfile import TemporaryFile
from typing import IO, TypeVar

from django.conf import settings

from bulkops.files.formats.reading import Source, open_source
from bulkops.files.formats.rows import ReadingOptions, RowFailure, UnreadableFile
from bulkops.files.imports.importing import Importer
from bulkops.files.imports.options import Mode, Options
from bulkops.files.imports.reports import ImportRefused
from bulkops.save.envelope import SaveMode, too_many
from bulkops.save.saving import UNKNOWN_REFERENCE, others_create_the_same
from bulkops.writers.answers import write_answer
from bulkops.writers.writer import Counts, Writer
from dimensions_site.api.errors import Failure, bad_request, client_closed
from dimensions_site.db.read_limits import has_gone
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.elements.writing.turns import reading_in_turn, refuse_when_crowded, writing_in_turn
from dimensions_site.repositories.models import Repository

T = TypeVar("T")

# Rows between two looks at whether the client is still there.
_STEP = 1_000


class TableSave:
    """Saves the rows of one table into one dimension of a repository, on behalf of `actor`.

    The table is read as `reading` says. `operation` is post, put or merge. An empty cell clears its
    field in each, as in an import, unless `keeps_empty_cells`. The reading ends when the `client`, a connection, has
    gone.
    """

    def __init__(
        self,
        dimension: Dimension,
        repository: Repository,
        actor: Actor,
        reading: ReadingOptions,
        operation: str,
        save_mode: SaveMode,
        client: socket | None,
        *,
        keeps_empty_cells: bool = False,
    ) -> None:
        self._dimension = dimension
        self._repository = repository
        self._actor = actor
        self._reading = reading
        self._operation = operation
        self._save_mode = save_mode
        self._client = client
        self._keeps_empty_cells = keeps_empty_cells

    def run(self, body: bytearray, *, dry_run: bool = False, answer: IO[bytes] | None = None) -> Counts:
        """Save the rows of `body`, which is emptied; `dry_run`, `answer` and the result are those of `BulkSave`.

        Raises `Problem` 400 with every error, each with its line and column, or 503 if others write for too long.
        """
        refuse_when_crowded(self._repository)
        importer = Importer(
            self._dimension,
            self._repository,
            self._actor,
            Options(
                mode=Mode.CREATE if self._operation == "post" else Mode.UPSERT,
                replaces=self._operation == "put",
                dry_run=dry_run,
                strict=self._save_mode == "STRICT",
                keeps_empty_cells=self._keeps_empty_cells,
            ),
            turn=partial(writing_in_turn, self._repository),
            written=partial(self._write_answer, answer),
            unknown_reference=UNKNOWN_REFERENCE,
        )
        with open_table(body, self._reading, self._repository, self._client) as table:
            report = importer.run(table)
        return Counts(report.created, report.changed, report.unchanged)

    def _write_answer(self, answer: IO[bytes] | None, writer: Writer, count: int) -> None:
        if answer is not None:
            write_answer(writer, full_renderer(self._dimension, self._repository.default_language), count, answer)


@contextmanager
def open_table(
    body: bytearray, reading: ReadingOptions, repository: Repository, client: socket | None
) -> Iterator[Source]:
    """Open the table in `body`, which is emptied, for the block; it is read once, and in turn with others.

    Raises `Problem` 400 with every error, each with its line and column, also if the block raises `ImportRefused`; 499
    if the `client`, a connection, has gone.
    """
    limited = replace(reading, most_rows=2 * settings.API_MAX_BULK_ELEMENTS)
    with TemporaryFile() as file, ExitStack() as turn:
        turn.enter_context(reading_in_turn(repository, len(body)))
        file.write(body)
        body.clear()  # it is on the disk now
        try:
            with open_source(file, limited) as source:
                yield replace(source, rows=partial(_limited, source.rows, turn, client))
        except UnreadableFile as error:
            raise bad_request([_placed(error.failure)]) from None
        except ImportRefused as refusal:
            report = refusal.report
            if not report.failures:
                raise others_create_the_same() from None
            count = report.failure_count + (not report.is_count_exact)
            raise bad_request([_placed(failure) for failure in report.failures], count) from None


def _limited(rows: Callable[[], Iterator[T]], turn: ExitStack, client: socket | None) -> Iterator[T]:
    """Yield the rows, and end the `turn` after the last one.

    Raises `Problem` 400 if there are more than a bulk save may have, 499 if the client has gone.
    """
    limit: int = settings.API_MAX_BULK_ELEMENTS
    for count, row in enumerate(rows()):
        if count == limit:
            raise bad_request([too_many("rows", limit)])
        if count % _STEP == 0 and client is not None and has_gone(client):
            raise client_closed()
        yield row
    turn.close()


def _placed(failure: RowFailure) -> Failure:
    """Return the failure with its place in the table, such as `line 2, descriptions.en`."""
    found = failure.failure
    return Failure(failure.place, found.code, failure.to_program or found.message, found.id)
