"""What the rows of a file and their cells mean for what is stored: the modes of an import but for `sync`."""

import threading

import pytest
from django.db import connection

from account.models import ACCOUNT, Account
from bulkops.files.formats.rows import ElementRow, FileShape, Source
from bulkops.files.imports.importing import Importer
from bulkops.files.imports.options import Options
from bulkops.files.imports.reports import Phase
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.elements.writing.editing import Editor
from dimensions_site.text.files import Format
from tests.bulkops.save.bulk import element
from tests.factories import account, json_bytes

HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType\n"
CASH = "1000,Cash,BALANCE_SHEET,NORMAL,FINAL\n"
BANK = "1100,Bank,BALANCE_SHEET,NORMAL,FINAL\n"

pytestmark = pytest.mark.contract("H4")


@pytest.fixture
def till(alice):
    """The account 1000, which is called Till."""
    alice.send("POST", alice.account(), account("1000", descriptions={"en": "Till"}))


@pytest.mark.contract("C13")
def test_create_refuses_what_is_there(import_accounts, alice, till):
    """A row with another error, too; nothing of the file is saved, and nothing is changed."""
    faulty = CASH.replace("NORMAL", "USUAL")
    for row, places in ((CASH, ["line 2, id"]), (faulty, ["line 2, type", "line 2, id"])):
        outcome = import_accounts(HEADINGS + row + BANK, "--mode", "create")
        assert [error.partition(":")[0] for error in outcome.errors] == places
        assert outcome.errors[-1] == "line 2, id: There is already an element with the id '1000'."
        assert outcome.status == 1
    assert [account.descriptions for account in Account.objects.all()] == [{"en": "Till"}]


def test_update_refuses_what_is_not_there(import_accounts, till):
    """With its other errors, except missing fields, which an existing element would have."""
    outcome = import_accounts(
        "id,descriptions.en,type\n1000,Cash,NORMAL\n1100,Bank,\n1200,Fund,USUAL\n", "--mode=update"
    )
    assert [error.partition(":")[0] for error in outcome.errors] == ["line 3, id", "line 4, id", "line 4, type"]
    assert outcome.errors[0] == "line 3, id: '1100' does not exist, so it cannot be updated."
    assert Account.objects.get().descriptions == {"en": "Till"}


def test_an_empty_text_is_an_error_where_no_text_can_be(import_accounts, cash):
    """It is not taken for "not set"."""
    outcome = import_accounts("id,nature,dataEntryAndReporting.icManagement\n1000,[[empty]],[[empty]]\n")
    places = [error.partition(":")[0] for error in outcome.errors]
    assert places == ["line 2, nature", "line 2, dataEntryAndReporting.icManagement"]


@pytest.mark.contract("C8")
def test_a_bundle_whose_last_value_is_taken_away_is_null(import_accounts, alice, cash):
    """And null it stays, when its cells are empty."""
    headings = "id,cashFlowPlanning.other.debit.id,monthlySplittingRules.reference.referenceSenario\n"
    for cells in ("9000,S1", ",", ","):
        outcome = import_accounts(f"{headings}1000,{cells}\n")
        assert outcome.errors == []
    assert outcome.output.endswith("0 changed, 1 unchanged.\n")
    now = element(alice, "account", "1000")
    assert (now["cashFlowPlanning"], now["monthlySplittingRules"]["reference"]) == (None, None)


if connection.vendor == "postgresql":

    @pytest.mark.django_db(transaction=True)
    def test_what_others_create_while_rows_are_checked_is_changed_and_not_replaced(northwind):
        """Single writes fit in between: the row changes the element in its current state."""
        actor = Actor(SYSTEM, Channel.REST)
        editor = Editor(ACCOUNT, northwind, actor, lambda text: None)

        def create() -> None:
            editor.create(account("1000", documentationLink="https://manual.example.com/cash"))
            connection.close()

        def look(phase: Phase, share: float, rows: int) -> None:
            if phase is Phase.SAVING and share == 0:
                other = threading.Thread(target=create)
                other.start()
                other.join()

        row = ElementRow(1, json_bytes(account("1000", descriptions={"it": "Cassa"})))
        source = Source(FileShape(Format.NDJSON), None, lambda: iter([row]), lambda: 1.0)
        importer = Importer(ACCOUNT, northwind, Actor(SYSTEM, Channel.IMPORT), Options(), progress=look)
        report = importer.run(source)
        assert (report.created, report.changed) == (0, 1)
        stored = Account.objects.get()
        assert stored.documentation_link == "https://manual.example.com/cash"
        assert stored.descriptions == {"en": "Cash", "de": "Kasse", "it": "Cassa"}
