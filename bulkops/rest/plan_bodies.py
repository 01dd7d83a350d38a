"""Snapshots in NDJSON or CSV, of which plans are made (contract K4)."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from socket import socket
from tempfile import TemporaryFile

from bulkops.files.imports.options import Options
from bulkops.plans.files import PlannedFile
from bulkops.plans.requests import OPTIONS, PlanRequest, read_options
from bulkops.rest.bodies import EMPTY_CELLS, KEEP, Lines, Table
from bulkops.save.lines import read_lines
from bulkops.save.tables import open_table
from dimensions_site.api.errors import Problem, bad_request
from dimensions_site.elements.dimension import Dimension
from dimensions_site.repositories.models import Repository


@contextmanager
def read_snapshot(
    body: Lines | Table,
    query: Mapping[str, str],
    dimension: Dimension,
    repository: Repository,
    client: socket | None,
) -> Iterator[PlanRequest]:
    """Yield the request for a plan of the elements in `body`, with options in the `query`; `client` is its connection.

    Raises `Problem` 400 with what is wrong with them, as the making of the plan within the block does: the path of an
    error is the option, the index of a line as in `/0/id`, or the line and column of a table.
    """
    try:
        options = read_options(query)
        operation, save_mode = "put" if query.get("replace") == "true" else "merge", options.envelope.save_mode
        if isinstance(body, Lines):
            yield replace(options, envelope=read_lines(body.content, operation, save_mode))
            return
        with ExitStack() as stack:
            table = stack.enter_context(open_table(body.content, body.reading, repository, client))
            records, errors = (stack.enter_context(TemporaryFile()) for _ in range(2))
            cells = Options(keeps_empty_cells=query.get(EMPTY_CELLS) == KEEP)
            file = PlannedFile(dimension, repository, records, errors, lambda *_: None, cells)
            envelope = file.read(table, {}, save_mode, operation)
            try:
                yield replace(options, envelope=envelope)
            except Problem as problem:
                raise file.refused(problem) or problem from None
    except Problem as problem:
        if not any(failure.path[1:] in OPTIONS for failure in problem.failures):
            raise
        failures = [replace(one, path=one.path.removeprefix("/")) for one in problem.failures]
        raise bad_request(failures, problem.failure_count) from None
