"""What is in a column decides which field it is taken for, together with its heading."""

import pytest

from tests.dimensions_site.administration.files.imports import upload
from tests.dimensions_site.administration.files.test_import_columns import columns
from tests.dimensions_site.administration.site.people import browser_of

pytestmark = pytest.mark.django_db(transaction=True)

IC = "dataEntryAndReporting.icManagement"


def table(*columns):
    """The CSV of columns, each a heading with its cells."""
    return "".join(";".join(row) + "\n" for row in zip(*columns, strict=True))


@pytest.mark.parametrize(
    "headings",
    [
        ("Konto-Nr.", "Bezeichnung", "Bilanz/G+V", "Kontotyp", "Kursart", "Intercompany"),
        ("Konto", "Kontobezeichnung", "Kontoart", "Typ", "Umrechnung", "IC-Konto"),
        ("accno", "desc", "BS/PL", "Account type", "Rate type", "IC"),
        ("N° compte", "Libellé", "Bilan/Résultat", "Type de compte", "Type de taux", "Intragroupe"),
        ("Codice conto", "Descrizione conto", "SP/CE", "Tipo conto", "Tipo di cambio", "Infragruppo"),
        ("Cuenta", "Denominación", "Balance/PyG", "Tipo de cuenta", "Tipo de cambio", "Intragrupo"),
        ("Rekeningnummer", "Omschrijving", "Balans/W&V", "Rekeningtype", "Koerssoort", "IC-rekening"),
        ("AccountID", "Naam", "BAL/W&V", "Rekeningsoort", "Koerstype", "IC (J/N)"),
        ("[Account_Value]", "Kontenbezeichnung", "Bil/GuV", "Kontenart", "Kurs", "Partnerkonto J/N"),
        ("GL account ID", "Text", "Bilanz-/GuV-Konto", "Art", "Umrechnungskurs", "Interco (ja/nein)"),
        # Turkish: three by their cells, and yes and no fit more than one field.
        ("Hesap Kodu", "Hesap Adı", "Hesap Türü", "type", "Kur", "icManagement"),
    ],
)
def test_the_words_of_the_trade_are_known(ed, northwind, headings):
    """In five languages and Dutch; every column of a chart has its field, and the values are known."""
    cells = [
        ("1000", "1010", "8000", "8010"),
        ("Kasse", "Bank", "Erlöse", "Übrige Erlöse"),
        ("Bilanz", "BS", "GuV", "W&V"),
        ("Normal", "Normal", "NORMAL", "normal"),
        ("Stichtag", "Closing", "Durchschnitt", "Gemiddelde"),
        ("ja", "nein", "nein", "nein"),
    ]
    found = columns(upload(browser_of(ed), northwind, table(*map(lambda h, c: (h, *c), headings, cells))))
    paths = ["id", "descriptions.en", "nature", "type", "conversion.conversionType", IC]
    assert [path for path, _is_out, _origin in found.values()] == paths


@pytest.mark.parametrize(
    ("heading", "cells", "expected"),
    [
        # Yes and no, and few repeated values, are no ids.
        ("Kontonummer", ("ja", "nein", "ja", "nein"), ""),
        ("Account", ("A", "A", "B", "B"), ""),
        ("Intercompany item (old)", ("ja", "nein", "ja", "ja"), ""),
        ("Debit accrual account", ("yes", "no", "yes", "no"), ""),
        ("Name", ("ja", "nein", "ja", "nein"), ""),
        ("contra", ("0", "1", "0", "0"), ""),
        # A list with the values of another field.
        ("[Account_Type]", ("Asset", "Liability", "Expense", "Revenue"), "dataEntryAndReporting.class"),
        ("Kontotyp", ("Bilanz", "GuV", "GuV", "GuV"), "nature"),
        ("Art", ("Normal", "Detail", "Normal", "Normal"), "type"),
        # Nothing is known about these.
        ("Type", ("1", "2", "3", "4"), "type"),
        ("Kennzeichen", ("x", "y", "x", "y"), ""),
        ("Intercompany", ("AG01", "AG02", "AG03", "AG04"), ""),
        # Two values that only one list has, and one that is asked.
        ("Kz.", ("Bil", "Bal", "PL", "Bil"), "nature"),
        ("Kz.", ("Bilanz", "GuV", "GuV", "Memo"), "nature"),
        ("Partnerkonto", ("1000", "1001", "1002", "1003"), ""),
        ("DescriptionNOR", ("Kasse", "Bank", "Salg", "Lønn"), "descriptions.no"),
        ("DescriptionENG", ("Cash", "Bank", "Sales", "Pay"), "descriptions.en"),
        ("Bezeichnung Französisch", ("Caisse", "Banque", "Ventes", "Paie"), "descriptions.fr"),
        ("Description French", ("Caisse", "Banque", "Ventes", "Paie"), "descriptions.fr"),
        ("DescriptionXYZ", ("Caisse", "Banque", "Ventes", "Paie"), ""),
    ],
)
def test_what_is_in_a_column_decides(ed, northwind, heading, cells, expected):
    """What contradicts the heading is left open, and what only resembles it is not chosen."""
    known = [("id", "1", "2", "3", "4"), ("descriptions.de", "a", "b", "c", "d")]
    found = columns(upload(browser_of(ed), northwind, table(*known, (heading, *cells))))[heading]
    assert found[0] == expected


@pytest.mark.parametrize(
    "heading", ["AccountID", "[Account_Value]", "Kontoschlüssel", "StandardAccountID", "Ledger key"]
)
def test_a_column_of_codes_is_the_ids_if_it_is_the_only_one(ed, northwind, heading):
    """Its heading names nothing else; names in such a column are none."""
    texts = ("Text", "Kasse", "Bank", "Erlöse")
    found = columns(upload(browser_of(ed), northwind, table((heading, "4711", "4712", "4713"), texts)))
    assert found[heading][0] == "id"


@pytest.mark.parametrize("ids", [("1000", "1010", "99"), ("A-10", "A-20", "A-30"), ("0010.1", "0010.2", "0011.1")])
def test_a_heading_like_the_ids_below_it_is_left_open(ed, northwind, ids):
    """The first row of a table without headings would be lost."""
    answer = upload(browser_of(ed), northwind, table(ids, ("Kasse", "Bank", "Erlöse")))
    assert columns(answer)[ids[0]][0] == ""
    assert f"&#x27;{ids[0]}&#x27; looks like the cells below it." in answer.content.decode()


@pytest.mark.parametrize(
    ("heading", "origin"),
    [
        *[(name, "heading") for name in ("Name", "Text", "Description", "Account name", "Description (en)")],
        *[(name, "similar") for name in ("Kontobezeichnung", "Beschreibung", "Libellé", "Nombre", "Omschrijving")],
    ],
)
def test_a_heading_in_another_language_than_the_description_is_marked(ed, northwind, heading, origin):
    """The repository's language is taken, as for every description without one, and a person checks it."""
    found = columns(upload(browser_of(ed), northwind, table(("id", "1", "2"), (heading, "Caisse", "Banque"))))
    assert found[heading] == ("descriptions.en", False, origin)


@pytest.mark.parametrize(
    ("heading", "origin"), [("Kontobezeichnung", "heading"), ("descriptions", "heading"), ("Description", "similar")]
)
def test_a_heading_in_the_language_of_the_repository_is_clear(ed, northwind, heading, origin):
    """And so is a wire path, although it is English."""
    northwind.default_language = "de"
    northwind.save()
    found = columns(upload(browser_of(ed), northwind, table(("id", "1", "2"), (heading, "Kasse", "Bank"))))
    assert found[heading] == ("descriptions.de", False, origin)


def test_a_heading_of_ids_over_names_is_marked(ed, northwind):
    """The list of ISO 4217 calls the name of the currency Currency."""
    iso = (
        "Entity,Currency,Alphabetic Code,Numeric Code,Minor unit\n"
        "ALBANIA,Lek,ALL,008,2\nALGERIA,Algerian Dinar,DZD,012,2\nFRANCE,Euro,EUR,978,2\nSPAIN,Euro,EUR,978,2\n"
    )
    found = columns(upload(browser_of(ed), northwind, iso, dimension="currency"))
    assert found["Currency"] == ("descriptions.en", False, "heading")
    assert found["Alphabetic Code"] == ("id", False, "heading")
    assert found["Minor unit"] == ("decimalNumbers", False, "heading")
    assert [found[name][0] for name in ("Entity", "Numeric Code")] == ["", ""]
    found = columns(upload(browser_of(ed), northwind, "Währung;Name\nEuro;x y\nLek;y z\n", dimension="currency"))
    assert found["Währung"] == ("id", False, "similar")
    found = columns(upload(browser_of(ed), northwind, "Currency;Name\nEUR;Euro\nALL;Lek\n", dimension="currency"))
    assert found["Currency"] == ("id", False, "heading")
