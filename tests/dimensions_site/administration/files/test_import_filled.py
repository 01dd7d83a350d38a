"""A chart whose file has no columns for required fields: one value for all that is new, as the form would suggest."""

import pytest

from account.models import Account
from bulkops.files.imports.options import remember_mapping
from bulkops.models import FileImport, Plan
from currency.models import Currency
from tests.account.samples import MINIMAL
from tests.dimensions_site.administration.files.imports import at, check, checked, describe, save, shown, upload
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.storing import store_accounts

pytestmark = pytest.mark.django_db(transaction=True)

SKR = "Konto;Bezeichnung;Bilanz/GuV\n0027;Software;Bilanz\n4400;Erlöse;GuV\n"
TYPE, BALANCE_SHEET, OTHERS = (
    f"fill-{name}"
    for name in (
        "type",
        "conversion.conversionType-BALANCE_SHEET",
        "conversion.conversionType-OTHER_STOCKS",
    )
)


def offered(answer):
    """What the page offers, by the name of the box."""
    return {control.name: control.typed for control in answer.context["form"].filling.controls}


def test_the_page_offers_what_the_form_suggests(ed, northwind):
    """The type is Normal; the rate follows the nature, which the file has."""
    answer = upload(browser_of(ed), northwind, SKR)
    assert [box for box in offered(answer).items() if box[1]] == [
        (TYPE, "NORMAL"),
        (BALANCE_SHEET, "FINAL"),
        ("fill-conversion.conversionType-PROFIT_AND_LOSS", "AVERAGE"),
    ]
    text = answer.content.decode()
    assert "Conversion type · Balance sheet" in text
    assert "fill-nature" not in text


def test_a_chart_without_types_and_rates_is_imported(ed, northwind):
    """The report of the check, and that of the import, say what new accounts get."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, SKR)
    assert (file_import.report["created"], file_import.report["rejected"]) == (2, 0)
    text = shown(browser, file_import)
    assert "2 new rows get values for which the file has no column" in text
    assert "<li>Type: Normal</li>" in text
    assert "<li>Conversion type · Balance sheet: Closing rate</li>" in text
    save(browser, file_import)
    stored = Account.objects.order_by("element_id").values_list("element_id", "type", "conversion_type")
    assert list(stored) == [("0027", "NORMAL", "FINAL"), ("4400", "NORMAL", "AVERAGE")]
    assert "<li>Type: Normal</li>" in shown(browser, file_import)


def test_what_is_stored_keeps_its_value(ed, northwind):
    """Although the values are for all rows: a file changes only what it has columns for."""
    store_accounts(
        northwind, {**MINIMAL, "id": "4400", "type": "DETAIL", "conversion": {"conversionType": "HISTORICAL"}}
    )
    file_import = checked(browser_of(ed), northwind, SKR, **{TYPE: "VARIATION"})
    save(browser_of(ed), file_import)
    stored = Account.objects.order_by("element_id").values_list("type", "conversion_type", "nature")
    assert list(stored) == [("VARIATION", "FINAL", "BALANCE_SHEET"), ("DETAIL", "HISTORICAL", "PROFIT_AND_LOSS")]


def test_what_was_chosen_is_remembered_with_the_columns(ed, alice, northwind):
    """For the next file with the same headings."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, SKR, **{TYPE: "DETAIL", BALANCE_SHEET: "HISTORICAL"})
    assert offered(browser.get(at(file_import, "columns")))[TYPE] == "DETAIL"
    save(browser, file_import)
    found = offered(upload(browser_of(alice), northwind, SKR))
    assert (found[TYPE], found[BALANCE_SHEET], found[OTHERS]) == ("DETAIL", "HISTORICAL", "")


def test_nothing_is_filled_in_that_the_page_has_not_shown(ed, northwind):
    """Who leaves a column out sees first what new accounts get instead, and may want nothing."""
    browser = browser_of(ed)
    typed = SKR.replace("GuV\n", "GuV;Typ\n", 1).replace("Bilanz\n", "Bilanz;Detail\n").replace("GuV\n", "GuV;Normal\n")
    assert TYPE not in offered(upload(browser, northwind, typed))
    file_import = FileImport.objects.get()
    answer = describe(browser, file_import, **{"column-3": "", "out-3": "yes"})
    assert offered(answer)[TYPE] == "NORMAL"
    assert "so see what new rows get: Type." in answer.content.decode()
    check(browser, file_import, **{"column-3": "", "out-3": "yes", TYPE: ""})
    assert file_import.report["rejected"] == 2
    assert "Type is missing" in shown(browser, file_import)


def test_a_nature_without_a_rate_is_an_error_and_an_unknown_one_is_a_single_error(ed, northwind):
    """The rate of a nature that is unknown is not missed before the nature has a meaning."""
    file_import = checked(browser_of(ed), northwind, SKR + "9000;Ruhe;Statistik\n")
    assert [kind["heading"] for kind in file_import.report["kinds"]] == ["Bilanz/GuV"]
    file_import = checked(browser_of(ed), northwind, SKR.replace("Bilanz\n", "Sonstige Bestände\n"))
    assert [kind["heading"] for kind in file_import.report["kinds"]] == ["conversion.conversionType"]


def test_values_of_any_kind_are_filled_in(ed, northwind):
    """As people write them; an invalid one is an error at its box."""
    codes = "Code;Name\nCHF;Schweizer Franken\n"
    browser = browser_of(ed)
    upload(browser, northwind, codes, dimension="currency")
    file_import = FileImport.objects.get()
    answer = describe(browser, file_import, **{"fill-decimalNumbers": "two", "fill-percentageDifference": "1.5"})
    assert "must be" in answer.context["form"].filling.controls[0].errors[0]
    check(browser, file_import, **{"fill-decimalNumbers": "2", "fill-percentageDifference": "1.5"})
    save(browser, file_import)
    assert Currency.objects.values_list("decimal_numbers", "percentage_difference").get() == (2, "1.5")


def test_the_boxes_are_folded_where_nothing_is_new(ed, northwind):
    """Most files with few columns change what is stored."""
    texts = SKR.replace(";Bilanz/GuV", "").replace(";Bilanz", "").replace(";GuV", "")
    assert upload(browser_of(ed), northwind, texts).context["form"].filling.is_open
    store_accounts(northwind, *({**MINIMAL, "id": id} for id in ("0027", "4400")))
    assert not upload(browser_of(ed), northwind, texts).context["form"].filling.is_open


def test_what_is_filled_in_is_proposed_where_people_propose(polly, northwind):
    """A change proposal has it, too."""
    store_accounts(northwind, {**MINIMAL, "id": "4400", "type": "DETAIL", "nature": "PROFIT_AND_LOSS"})
    file_import = checked(browser_of(polly), northwind, SKR)
    save(browser_of(polly), file_import)
    plan = Plan.objects.get()
    assert (plan.created, plan.changed) == (1, 1)
    browser = browser_of(polly)
    assert "Closing rate" in browser.get(page(Plan, "change", plan.pk)).content.decode()


def test_what_is_no_field_any_more_is_neither_offered_nor_reported(ed, northwind):
    """With the remembered columns the form suggests again; the page of an old import leaves it out."""
    browser = browser_of(ed)
    file_import = checked(browser, northwind, SKR)
    gone = {"no.field": ("", {"": "x"}), "type": ("no.leader", {"A": "DETAIL"})}
    remember_mapping(file_import, file_import.options["mapping"], {"filled": gone})
    assert offered(upload(browser, northwind, SKR))[TYPE] == "NORMAL"
    FileImport.objects.filter(pk=file_import.pk).update(options={**file_import.options, "filled": gone})
    assert "<li>Type" not in shown(browser, file_import)
