"""Fills a repository with sample elements through the import that operators use."""

from pathlib import Path

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from bulkops.formats.reading import Source, open_source
from bulkops.formats.rows import Format, Row, Shape
from bulkops.importing import Importer
from bulkops.imports.options import Options
from bulkops.imports.reports import Report
from currency.models import Currency
from currency.serializers import CURRENCY_WIRE
from dimensions_site.demo.currencies import currency_rows
from dimensions_site.elements.actors import Actor
from dimensions_site.elements.models import Origin
from dimensions_site.repositories.models import Repository

GROUP_CHART = Path(__file__).parent / "data" / "group_chart.csv"


def fill_currencies(repository: Repository) -> Report:
    """Create or bring up to date all currencies of ISO 4217, with names in five languages."""
    rows = [Row(line, cells) for line, cells in enumerate(currency_rows(), start=2)]
    source = Source(Shape(Format.CSV), list(rows[0].cells), lambda: iter(rows), lambda: 1.0)
    return Importer(Currency, CURRENCY_WIRE, "currency", repository, Actor(None, Origin.IMPORT), Options()).run(source)


def fill_accounts(repository: Repository) -> Report:
    """Create or bring up to date the sample group chart."""
    importer = Importer(Account, ACCOUNT_WIRE, "account", repository, Actor(None, Origin.IMPORT), Options())
    with GROUP_CHART.open("rb") as file, open_source(file) as source:
        return importer.run(source)
