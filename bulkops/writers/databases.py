"""The writer for the database in use."""

from collections.abc import Sequence

from django.db import connection

from bulkops.writers.postgresql import PostgreSQLWriter
from bulkops.writers.sqlite import SQLiteWriter
from bulkops.writers.writer import Writer
from dimensions_site.elements.models import Element
from dimensions_site.repositories.models import Repository


def writer_for(model: type[Element], columns: Sequence[str], repository: Repository) -> Writer:
    """Return the writer of `columns` of a dimension's `model` into the `repository`."""
    kind = PostgreSQLWriter if connection.vendor == "postgresql" else SQLiteWriter
    return kind(model, columns, repository)
