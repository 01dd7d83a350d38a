"""Snapshots in NDJSON or CSV, of which plans are made (contract K4)."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from socket import socket

from bulkops.plans.requests import OPTIONS, PlanRequest, read_options
from bulkops.rest.bodies import EMPTY_CELLS, KEEP, Lines, Table
from bulkops.save.lines import read_lines
from bulkops.save.tables import read_table
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
        scope = (dimension, repository, operation, save_mode, client)
        keeps = query.get(EMPTY_CELLS) == KEEP
        table = read_table(body.content, body.reading, *scope, keeps_empty_cells=keeps, checks_repeated=False)
        with table as envelope:
            yield replace(options, envelope=envelope)
    except Problem as problem:
        if not any(failure.path[1:] in OPTIONS for failure in problem.failures):
            raise
        failures = [replace(one, path=one.path.removeprefix("/")) for one in problem.failures]
        raise bad_request(failures, problem.failure_count) from None
