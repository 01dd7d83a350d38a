"""Fills a repository with sample elements through the import that operators use."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from bulkops.importing import Importer, Report
from bulkops.tabular import Row, open_csv, read_csv
from currency.models import Currency
from currency.serializers import CURRENCY_WIRE
from dimensions_site.demo.currencies import currency_rows
from dimensions_site.elements.models import Origin
from dimensions_site.elements.saving import Actor
from dimensions_site.repositories.models import Repository

GROUP_CHART = Path(__file__).parent / "data" / "group_chart.csv"


def fill_currencies(repository: Repository) -> Report:
    """Create or bring up to date all currencies of ISO 4217, with names in five languages."""
    rows = _numbered(currency_rows())
    return Importer(Currency, CURRENCY_WIRE, repository, Actor(None, Origin.IMPORT)).run(rows)


def fill_accounts(repository: Repository) -> Report:
    """Create or bring up to date the sample group chart."""
    with open_csv(GROUP_CHART) as file:
        return Importer(Account, ACCOUNT_WIRE, repository, Actor(None, Origin.IMPORT)).run(read_csv(file))


def _numbered(rows: Iterable[Mapping[str, str]]) -> Iterator[Row]:
    return (Row(line, cells) for line, cells in enumerate(rows, start=2))
