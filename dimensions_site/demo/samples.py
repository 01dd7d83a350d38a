"""Sample elements for a repository, through the import that operators use.

The currencies are those of ISO 4217, with names from Unicode CLDR (through Babel).
"""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

from babel import Locale
from babel.core import get_global
from babel.numbers import get_currency_precision, get_territory_currencies

from account.dimension import ACCOUNT
from bulkops.files.formats.reading import Source, open_source
from bulkops.files.formats.rows import FileRow, FileShape
from bulkops.files.imports.importing import Importer
from bulkops.files.imports.options import Options
from bulkops.files.imports.reports import Report
from currency.dimension import CURRENCY
from dimensions_site.changes.models import Channel
from dimensions_site.elements.writing.actors import SYSTEM, Actor
from dimensions_site.repositories.models import Repository
from dimensions_site.text.files import Format

LANGUAGES = ("en", "de", "it", "fr", "es")

# A fixed date gives the same rows every day. If you change it, compare the tables below with ISO 4217 again; they
# correspond to amendment 180, in force since this date.
AS_OF = date(2026, 1, 1)

# Where CLDR's territories and ISO 4217's list of active codes disagree.
_ACTIVE_BEYOND_CLDR = {
    "SVC",  # still listed by ISO, no longer tender in El Salvador
    "XAD",  # accounting unit of the Arab Monetary Fund, listed by ISO since May 2025
}
_NOT_ACTIVE_IN_ISO = {
    "BGN",  # Bulgaria has used the euro since 2026-01-01
    "CNH",  # market name of the offshore yuan, never an ISO code
    "XTS",  # reserved for tests
    "XXX",  # stands for "no currency"
}

# CLDR has the digits of daily use, ISO 4217 those of the formal minor unit.
_ISO_DIGITS = {
    **dict.fromkeys(["AFN", "ALL", "IRR", "KPW", "LAK", "LBP", "MGA", "MMK", "RSD", "SOS", "SYP", "YER"], 2),
    "IQD": 3,
    # Metals, funds and units of account have no minor unit.
    **dict.fromkeys(["XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XDR", "XPD", "XPT", "XSU", "XUA"], 0),
}

_PREFERRED = {"CHF", "CNY", "EUR", "GBP", "JPY", "USD"}

# Names that CLDR lacks.
_MISSING_NAMES = {
    "CHE": {"it": "euro WIR"},
    "CHW": {"it": "franco WIR"},
    "COU": {"it": "unità di valore reale colombiana"},
    "UYW": {"de": "Uruguayische Lohnindexeinheit", "it": "unità indicizzata ai salari uruguaiana"},
    "VED": {
        "de": "Digitaler venezolanischer Bolívar",
        "it": "bolívar digitale venezuelano",
        "fr": "bolivar numérique vénézuélien",
        "es": "bolívar digital venezolano",
    },
    "XAD": {
        "en": "Arab Accounting Dinar",
        "de": "Arabischer Rechnungsdinar",
        "it": "dinaro contabile arabo",
        "fr": "dinar comptable arabe",
        "es": "dinar contable árabe",
    },
    "XCG": {"de": "Karibischer Gulden", "it": "fiorino caraibico"},
    "XSU": {"it": "sucre", "es": "sucre"},
    "XUA": {
        "it": "unità di conto della Banca africana di sviluppo",
        "es": "unidad de cuenta del Banco Africano de Desarrollo",
    },
    "ZWG": {"de": "Simbabwe-Gold", "it": "oro zimbabwiano", "fr": "or zimbabwéen", "es": "oro zimbabuense"},
}


def currency_rows() -> Iterator[dict[str, str]]:
    """Yield a row for each active ISO 4217 currency, sorted by code, keyed by the import's wire paths (contract H4).

    `decimalNumbers` is the number of digits of the ISO minor unit, 0 without one.
    """
    for code in _active_codes():
        yield {
            "id": code,
            **{f"descriptions.{language}": _name(code, language) for language in LANGUAGES},
            "preferred": "true" if code in _PREFERRED else "false",
            "decimalNumbers": str(_ISO_DIGITS.get(code, get_currency_precision(code))),
            "percentageDifference": "0.0000",
        }


def _active_codes() -> list[str]:
    codes = {
        code
        for territory in get_global("territory_currencies")
        for code in get_territory_currencies(territory, AS_OF, AS_OF, tender=True, non_tender=True)
    }
    return sorted((codes | _ACTIVE_BEYOND_CLDR) - _NOT_ACTIVE_IN_ISO)


def _name(code: str, language: str) -> str:
    return Locale(language).currencies.get(code) or _MISSING_NAMES[code][language]


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
