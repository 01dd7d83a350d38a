"""Sample elements for a repository, through the import that operators use."""

from pathlib import Path

from account.dimension import ACCOUNT
from bulkops.files.formats.reading import Source, open_source
from bulkops.files.formats.rows import FileRow, FileShape
from bulkops.files.imports.importing import Importer
from bulkops.files.imports.options import Options
from bulkops.files.imports.reports import Report
from currency.dimension import CURRENCY
from dimensions_site.changes.models import Channel
from dimensions_site.demo.currencies import currency_rows
from dimensions_site.elements.writing.actors import SYSTEM, Actor
from dimensions_site.repositories.models import Repository
from dimensions_site.text.files import Format

# Repositories may require a reason.
_ACTOR = Actor(SYSTEM, Channel.IMPORT, reason="Sample data")
GROUP_CHART = Path(__file__).parent / "data" / "group_chart.csv"


def fill_currencies(repository: Repository) -> Report:
    """Create or update all currencies of ISO 4217, with names in five languages."""
    rows = [FileRow(line, cells) for line, cells in enumerate(currency_rows(), start=2)]
    source = Source(FileShape(Format.CSV), list(rows[0].cells), lambda: iter(rows), lambda: 1.0)
    return Importer(CURRENCY, repository, _ACTOR, Options()).run(source)


def fill_accounts(repository: Repository) -> Report:
    """Create or update the sample group chart."""
    importer = Importer(ACCOUNT, repository, _ACTOR, Options())
    with GROUP_CHART.open("rb") as file, open_source(file) as source:
        return importer.run(source)
