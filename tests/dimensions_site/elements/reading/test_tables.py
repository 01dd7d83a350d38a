"""Rows of tables: two kinds of the same rows, and the columns that they have."""

import csv
import io

import pytest
from msgspec import ValidationError

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from currency.models import Currency
from currency.serializers import CURRENCY_WIRE
from dimensions_site.elements.reading.cells import untyped_cell
from dimensions_site.elements.reading.selection import everything
from dimensions_site.elements.reading.table_rows import csv_rows, leaves_reader, value_rows
from dimensions_site.elements.reading.tables import table_columns
from tests.bulkops.save.bulk import save
from tests.factories import account, content, currency
from tests.random_elements import RandomElements

pytestmark = pytest.mark.contract("H4")
# More than the cells that a renderer caches, and more than are read for the usual keys.
MANY = 1_100


def table(wire, elements, *paths):
    """The headings and the rows, as lists of cells; None is an empty cell."""
    columns = table_columns(wire, paths or everything(wire), "en", elements)
    rows = value_rows(columns, untyped_cell, elements)
    return [column.path for column in columns], list(rows)


def lines(wire, elements, *paths):
    """The lines of the same table as CSV, the headings first."""
    headings, rows = csv_rows(table_columns(wire, paths or everything(wire), "en", elements), elements)
    return [headings, *rows]


def written(rows):
    """The rows as the library for CSV writes them."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n\r\n").writerows(rows)
    return text.getvalue().split("\n\r\n")[:-1]


@pytest.mark.parametrize(
    ("dimension", "wire", "model"), [("currency", CURRENCY_WIRE, Currency), ("account", ACCOUNT_WIRE, Account)]
)
@pytest.mark.parametrize("seed", [1, 2])
def test_csv_is_what_the_library_for_it_makes_of_the_same_cells(alice, northwind, dimension, wire, model, seed):
    """Byte for byte, whatever is in the elements and in the headings."""
    save(alice, dimension, post=RandomElements(wire, seed=seed).many(150))
    elements = model.of(northwind).order_by("element_id")
    headings, rows = table(wire, elements)
    assert lines(wire, elements) == written([headings, *rows])


@pytest.mark.parametrize("path", ["documentationLink", "alternativeDescriptions.*"])
def test_a_row_whose_only_cell_is_empty_is_a_row(alice, northwind, path):
    """And one without any cell is an empty line, as the library for CSV has it."""
    save(alice, "account", post=[account(), account("2000", documentationLink="a,b")])
    elements = Account.of(northwind).order_by("element_id")
    headings, rows = table(ACCOUNT_WIRE, elements, path)
    assert lines(ACCOUNT_WIRE, elements, path) == written([headings, *rows])


def test_a_fetch_of_maps_without_entries_has_a_row_for_each_element_and_no_columns(alice, northwind):
    """As many empty lines as there are elements, below an empty one for the headings."""
    save(alice, "account", post=[account(), account("2000")])
    path = alice.account("elements-fetch?properties=alternativeDescriptions")
    assert content(alice.get(path, headers={"Accept": "text/csv"})) == b"\r\n\r\n\r\n"


def test_cells_of_one_object_stand_wherever_they_are_asked_for(alice, northwind):
    """Between those of others, and after what precedes them in the object."""
    planning = {"liquidity": {"credit": {"id": "C"}, "debit": {"id": "D", "description": "Alice, Bob"}}}
    save(alice, "account", post=[account(cashFlowPlanning=planning), account("2000")])
    credit, debit = "cashFlowPlanning.liquidity.credit.id", "cashFlowPlanning.liquidity.debit"
    headings, rows = table(ACCOUNT_WIRE, Account.of(northwind).order_by("element_id"), debit, "id", credit)
    assert headings == [f"{debit}.id", f"{debit}.description", "id", credit]
    assert rows == [["D", "Alice, Bob", "1000", "C"], [None, None, "2000", None]]


def test_null_is_said_where_an_empty_cell_would_mean_something_else(alice, northwind):
    """`class` has a default, an entry of a map may be null, and other leaves are just not set."""
    body = account(customAttributes={"owner": None}, dataEntryAndReporting={"class": None, "icManagement": None})
    save(alice, "account", post=[body, account("2000")])
    paths = "dataEntryAndReporting.class", "dataEntryAndReporting.icManagement", "customAttributes.*"
    _, *found = lines(ACCOUNT_WIRE, Account.of(northwind).order_by("element_id"), *paths)
    assert found == ["[[null]],,[[null]]", "NONE,,"]


def test_a_number_is_not_a_boolean(alice, northwind):
    """One and true, zero and false are distinguished, however often they come."""
    save(alice, "currency", post=[currency(f"C{n}", preferred=n % 2 == 0, decimalNumbers=n % 2) for n in range(4)])
    elements = Currency.of(northwind).order_by("element_id")
    _, *found = lines(CURRENCY_WIRE, elements, "preferred", "decimalNumbers")
    assert found == ["true,0", "false,1", "true,0", "false,1"]


def test_of_many_different_values_each_has_its_own_cell(alice, northwind):
    """Also of more than are cached, and of unset ones in between."""
    post = [account(f"{n:04}", documentationLink=f"={n}" if n % 10 else None) for n in range(MANY)]
    save(alice, "account", post=post)
    _, *found = lines(ACCOUNT_WIRE, Account.of(northwind).order_by("element_id"), "id", "documentationLink")
    assert found == [f"{n:04}," + (f"[[text]]={n}" if n % 10 else "") for n in range(MANY)]


def test_a_map_has_a_column_for_a_key_that_a_single_element_has(alice, northwind):
    """The last of many, and whatever is in the key; a page only has the keys of its elements."""
    rare = 'Größe "a", 50 %'
    post = [account(f"{n:04}", customAttributes={"owner": "Bob"}) for n in range(MANY)]
    post[-1]["customAttributes"] = {rare: "x"}
    post[-2]["customAttributes"] = None
    post[-3]["descriptions"] = {"en": "Cash", "fr-CH": "Caisse"}
    save(alice, "account", post=post)
    elements = Account.of(northwind).order_by("element_id")
    maps = "id", "descriptions.*", "customAttributes.*"
    assert table(ACCOUNT_WIRE, elements, *maps)[0] == [
        "id",
        "descriptions.en",
        "descriptions.de",
        "descriptions.fr-CH",
        f"customAttributes.{rare}",
        "customAttributes.owner",
    ]
    assert table(ACCOUNT_WIRE, elements[: MANY - 3], *maps)[0][-1] == "customAttributes.owner"
    headings, rows = table(ACCOUNT_WIRE, elements[MANY - 2 :], *maps)
    assert headings == ["id", "descriptions.en", "descriptions.de", f"customAttributes.{rare}"]
    assert rows == [["1098", "Cash", "Kasse", None], ["1099", "Cash", "Kasse", "x"]]


def test_what_is_neither_text_nor_boolean_is_refused():
    """JSON that no element can have is an error, and not a cell."""
    with pytest.raises(ValidationError):
        leaves_reader((("id",), ("description",)))('{"id": 1, "description": null}')
