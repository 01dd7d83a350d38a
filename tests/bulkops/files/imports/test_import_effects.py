"""What an import changes, what it leaves unchanged, and what it reports."""

import threading

import pytest
from django.db import connection

from account.dimension import ACCOUNT
from account.models import Account, AccountVersion, CalculationLogic
from bulkops.files.formats.reading import Source
from bulkops.files.formats.rows import FileRow, FileShape
from bulkops.files.imports.importing import Importer
from bulkops.files.imports.options import Options
from dimensions_site.changes.models import Channel
from dimensions_site.elements.writing.actors import SYSTEM, Actor
from dimensions_site.repositories.models import Repository
from dimensions_site.text.files import Format
from tests.factories import account, read

HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType\n"
CASH = "1000,Cash,BALANCE_SHEET,NORMAL,FINAL\n"
BANK = "1100,Bank,BALANCE_SHEET,NORMAL,FINAL\n"


@pytest.mark.contract("C18", "H4")
def test_a_row_that_changes_nothing_writes_nothing(import_accounts):
    """The second import of a file finds everything as it is: same change date, no further history."""
    import_accounts(HEADINGS + CASH + BANK)
    dates = dict(Account.objects.values_list("element_id", "update_date"))
    outcome = import_accounts(HEADINGS + CASH + BANK.replace("Bank", "Banks"))

    assert outcome.output == "Imported into northwind: 0 created, 1 changed, 1 unchanged.\n"
    cash, bank = Account.objects.order_by("element_id")
    assert cash.update_date == dates["1000"]
    assert bank.update_date > dates["1100"]
    assert [AccountVersion.objects.filter(id=row.pk).count() for row in (cash, bank)] == [1, 2]


@pytest.mark.contract("C12", "C18", "H4")
@pytest.mark.django_db(transaction=True)
def test_an_import_leaves_its_origin_and_history(import_accounts, alice):
    """Created and changed elements have the origin IMPORT and the system as their last author."""
    alice.send("POST", alice.account(), account("1000"))
    import_accounts(HEADINGS + CASH.replace("Cash", "Till") + BANK)

    for id, kinds in (("1000", ["+", "~"]), ("1100", ["+"])):
        info = read(alice.get(alice.account(f"elements/{id}")))["updateInfo"]
        assert (info["user"], info["origin"]) == ("system", "IMPORT")
        versions = AccountVersion.objects.filter(element_id=id).order_by("number")
        assert [version.change for version in versions] == kinds
        last = versions[len(kinds) - 1]
        assert (last.change_set.user, last.change_set.channel) == ("system", "IMPORT")
    assert last.descriptions == {"en": "Bank"}


@pytest.mark.contract("H4")
def test_fields_without_a_column_stay_as_they_are(import_accounts, alice):
    """Other languages of a map, other leaves of a group and other members of a bundle included."""
    before = account(
        "1000",
        customAttributes={"a": "1", "b": "2"},
        conversion={"conversionType": "FINAL", "referenceAccountForInitialBalance": "9000"},
        cashFlowPlanning={"variation": {"debit": {"id": "V1", "description": "Variation"}}},
    )
    alice.send("POST", alice.account(), before)
    stored = read(alice.get(alice.account("elements/1000")))
    import_accounts(
        "id,descriptions.en,customAttributes.a,conversion.conversionType,cashFlowPlanning.variation.debit.id\n"
        "1000,Till,one,AVERAGE,V2\n"
    )
    stored["descriptions"]["en"] = "Till"
    stored["customAttributes"]["a"] = "one"
    stored["conversion"]["conversionType"] = "AVERAGE"
    stored["cashFlowPlanning"]["variation"]["debit"]["id"] = "V2"
    now = read(alice.get(alice.account("elements/1000")))
    assert {**now, "updateInfo": None} == {**stored, "updateInfo": None}


@pytest.mark.contract("C8", "H4")
def test_an_empty_cell_means_that_the_field_is_not_set(import_accounts, alice):
    """A leaf becomes null or gets its default, an entry of a map is removed, an empty reference is null."""
    before = account(
        "1000",
        documentationLink="https://manual.example.com/cash",
        dataEntryAndReporting={"class": "ASSET"},
        restrictions={"ctpRestriction": {"id": "E1"}},
        rules={"grossAmountEqualICSum": True},
    )
    alice.send("POST", alice.account(), before)
    outcome = import_accounts(
        "id,descriptions.de,documentationLink,dataEntryAndReporting.class,restrictions.ctpRestriction.id,"
        "rules.grossAmountEqualICSum\n1000,,,,,\n"
    )
    assert outcome.errors == []
    now = read(alice.get(alice.account("elements/1000")))
    assert now["descriptions"] == {"en": "Cash"}
    assert now["documentationLink"] is None
    assert now["dataEntryAndReporting"]["class"] == "NONE"
    assert now["restrictions"]["ctpRestriction"] is None
    assert now["rules"]["grossAmountEqualICSum"] is False


@pytest.mark.contract("C17", "H4")
def test_an_import_generates_and_removes_the_calculation_logic(import_accounts):
    """It follows `rules.grossAmountEqualICSum`, as for every other way of saving."""
    headings = HEADINGS.strip() + ",rules.grossAmountEqualICSum\n"
    import_accounts(headings + CASH.strip() + ",true\n" + BANK.strip() + ",false\n")
    logic = CalculationLogic.objects.get()
    assert (logic.account.element_id, logic.name) == ("1000", "IC on Gross amount")

    import_accounts("id,rules.grossAmountEqualICSum\n1000,false\n1100,true\n")
    assert CalculationLogic.objects.get().account.element_id == "1100"


@pytest.mark.django_db(transaction=True)
@pytest.mark.contract("H4")
def test_two_imports_of_the_same_accounts_in_opposite_order_both_succeed(northwind: Repository):
    """Each locks what it changes, part by part, and must not deadlock with the other."""
    ids = [str(number) for number in range(1000, 2000)]
    fixed = {"nature": "BALANCE_SHEET", "type": "NORMAL", "conversion.conversionType": "FINAL"}
    problems: list[BaseException] = []

    def run(order: list[str], text: str) -> None:
        rows = [FileRow(line, {"id": id, "descriptions.en": text, **fixed}) for line, id in enumerate(order, start=2)]
        source = Source(FileShape(Format.CSV), list(rows[0].cells), lambda: iter(rows), lambda: 1.0)
        try:
            Importer(ACCOUNT, northwind, Actor(SYSTEM, Channel.IMPORT), Options()).run(source)
        except BaseException as problem:
            problems.append(problem)
        finally:
            connection.close()

    run(ids, "before")
    threads = [threading.Thread(target=run, args=(order, text)) for order, text in ((ids, "a"), (ids[::-1], "b"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert problems == []
    # The later one wins as a whole.
    assert len({element.descriptions["en"] for element in Account.objects.all()} - {"before"}) == 1
