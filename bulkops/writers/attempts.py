"""Writing many elements while other clients create elements."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from django.db import IntegrityError, OperationalError, connection, transaction

from bulkops.writers.entries import Entry
from bulkops.writers.postgresql import PostgreSQLWriter
from bulkops.writers.sqlite import SQLiteWriter
from bulkops.writers.writer import Writer
from dimensions_site.elements.models import Element
from dimensions_site.elements.writing.actors import Actor, Provenance
from dimensions_site.elements.writing.locking import is_worth_another_try
from dimensions_site.repositories.models import Repository


def writer_for(model: type[Element], columns: Sequence[str], repository: Repository) -> Writer:
    """Return the writer of `columns` of a dimension's `model` into the `repository`."""
    kind = PostgreSQLWriter if connection.vendor == "postgresql" else SQLiteWriter
    return kind(model, columns, repository)


_ATTEMPTS = 10
# How many entries are read again at a time, beside the stored elements: this many of the largest take 50 MB.
_READ_TOGETHER = 200


class OthersCreateTheSame(Exception):
    """In each attempt another writer had just created one of the same elements; nothing was written."""


def attempts(writer: Writer, actor: Actor) -> Iterator[AbstractContextManager[None]]:
    """Yield blocks in which to plan what `writer` has staged; each block writes it at its end, until one succeeds.

    An exception in a block ends everything; what a failed block wrote is rolled back. Raises `OthersCreateTheSame` if
    other writers interfere each time.
    """
    for _ in range(_ATTEMPTS):
        written: list[Provenance] = []
        yield _attempt(writer, Provenance(actor), written)
        if written:
            return
    raise OthersCreateTheSame


@contextmanager
def _attempt(writer: Writer, provenance: Provenance, written: list[Provenance]) -> Iterator[None]:
    try:
        with transaction.atomic():
            yield
            writer.write(provenance)
        written.append(provenance)
    except IntegrityError:
        return  # another writer has just created one of the elements
    except OperationalError as error:
        if not is_worth_another_try(error):
            raise


def restage(writer: Writer, positions: Sequence[int], read: Callable[[Sequence[int]], Iterable[Entry]]) -> None:
    """Stage the entries at `positions` again, as `read` returns them now, and plan again."""
    writer.discard(positions)
    for start in range(0, len(positions), _READ_TOGETHER):
        writer.stage(read(positions[start : start + _READ_TOGETHER]))
    writer.plan()
