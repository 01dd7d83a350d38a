"""The columns of a foreign table find their fields: by label, by memory, or by a guess that the page marks."""

import re

import pytest

from bulkops.files.imports import options
from bulkops.files.imports.options import remember_mapping
from bulkops.models import ColumnMapping, FileImport, ImportStatus
from bulkops.worker.tasks import work
from dimensions_site.repositories.models import AccessGrant, Role
from tests.dimensions import WIRES
from tests.dimensions_site.administration.files.imports import CASH, HEADINGS, at, check, confirm, describe, upload
from tests.dimensions_site.administration.site.people import browser_of, page

pytestmark = pytest.mark.django_db(transaction=True)

FOREIGN = "Konto;Bezeichnung (de);ART;Typ;umrechnungs-art;Debit account;Memo\n1;Kasse;Bilanz;Normal;Stichtagskurs;;x\n"


def columns(answer):
    """The columns on the page by heading: path, whether left out, why."""
    return {
        column.heading: (column.path, column.is_out, str(column.origin))
        for column in answer.context["form"].columns.fields
    }


def test_headings_in_any_language_are_recognised(ed, northwind):
    """Without regard to case and blanks; what is ambiguous or unknown is not chosen, and the page says why."""
    answer = upload(browser_of(ed), northwind, FOREIGN)
    assert columns(answer) == {
        "Konto": ("id", False, "heading"),
        "Bezeichnung (de)": ("descriptions.de", False, "heading"),
        "ART": ("nature", False, "heading"),
        "Typ": ("type", False, "heading"),
        "umrechnungs-art": ("conversion.conversionType", False, "heading"),
        "Debit account": ("", False, ""),
        "Memo": ("", False, ""),
    }
    text = answer.content.decode()
    assert "Several fields are called &#x27;Debit account&#x27;. Did you mean" in text
    assert "Unknown field &#x27;Memo&#x27;." in text
    assert "Check the 2 columns that are marked" in text


def test_a_similar_heading_is_chosen_and_marked(ed, northwind):
    """But not for a field that another column has."""
    answer = upload(browser_of(ed), northwind, HEADINGS.replace("type", "Tpye") + CASH)
    assert columns(answer)["Tpye"] == ("type", False, "similar")
    assert "Chosen because its name is similar; check it." in answer.content.decode()
    answer = upload(browser_of(ed), northwind, HEADINGS.replace("\n", ",Tpye\n") + CASH.replace("\n", ",\n"))
    assert columns(answer)["Tpye"] == ("", False, "")
    assert "Did you mean &#x27;Type&#x27;?" in answer.content.decode()


def test_nothing_is_chosen_by_hand_when_all_is_clear(ed, northwind):
    """What the service itself maintains is left out."""
    answer = upload(
        browser_of(ed), northwind, HEADINGS.replace("\n", ",updateInfo.user\n") + CASH.replace("\n", ",x\n")
    )
    assert "Each column has its field." in answer.content.decode()
    assert columns(answer)["updateInfo.user"] == ("", True, "")
    check(browser_of(ed), FileImport.objects.get())
    assert FileImport.objects.get().report["created"] == 1


@pytest.mark.parametrize(
    ("headings", "chosen"),
    [
        ("id,LIBELLÉ,Name (en)", {}),
        ("id,Name (en),Name (en) ", {}),
        ("id,descriptions.en,Note", {"column-2": "Description (en)"}),
    ],
)
def test_two_columns_with_one_field_and_different_cells_are_named_where_columns_are_chosen(
    ed, northwind, headings, chosen
):
    """Once, instead of at each row of the check; equal cells do no harm."""
    browser, (_id, one, other) = browser_of(ed), headings.split(",")
    answer = upload(browser, northwind, f"{headings}\n1000,Cash,Till\n")
    if chosen:
        answer = describe(browser, FileImport.objects.get(), **chosen)
    errors = {column.heading: column.errors for column in answer.context["form"].columns.fields if column.errors}
    error = (
        f"'{one}' and '{other}' are one field, and their cells are different. Leave one of them out, or choose another "
        "field."
    )
    assert errors == {other: [error]}
    answer = describe(browser, FileImport.objects.get(), **chosen, **{"out-2": "yes"})
    assert FileImport.objects.get().status == ImportStatus.CHECKING
    answer = upload(browser, northwind, f"{headings}\n1000,Cash,Cash\n")
    assert not any(column.errors for column in answer.context["form"].columns.fields)


def test_the_last_confirmed_choice_is_remembered(ed, alice, bob, northwind, contoso):
    """For the same headings, in any order, of the same repository and dimension; for everybody who imports there."""
    browser = browser_of(ed)
    upload(browser, northwind, FOREIGN)
    file_import = FileImport.objects.get()
    chosen = {"column-5": "Liquidity › Debit account", "out-6": "yes"}
    describe(browser, file_import, **chosen)
    assert not ColumnMapping.objects.exists()
    work()
    confirm(browser, file_import)
    heading, memo = "cashFlowPlanning.liquidity.debit.id", ("", True, "remembered")
    swapped = "Memo;" + FOREIGN.replace(";Memo", "").replace(";x\n", "\n").replace("\n1;", "\nx;1;")
    for person in (ed, alice):
        answer = upload(browser_of(person), northwind, swapped)
        assert columns(answer)["Debit account"] == (heading, False, "remembered")
        assert columns(answer)["Memo"] == memo
        assert "As last time." in answer.content.decode()
    assert columns(upload(browser_of(ed), northwind, FOREIGN.replace("Memo", "Note")))["Debit account"][0] == ""
    AccessGrant.objects.get_or_create(user=bob.user, repository=contoso, defaults={"role": Role.EDITOR})
    assert columns(upload(browser_of(bob), contoso, FOREIGN))["Debit account"][0] == ""


def test_a_remembered_field_that_is_no_more_is_asked_for_again(ed, northwind):
    """Instead of an error that nobody on the page can correct."""
    upload(browser_of(ed), northwind, FOREIGN)
    mapping = dict.fromkeys(FOREIGN.partition("\n")[0].split(";"), "id") | {"Memo": "no.such.field", "ART": ""}
    remember_mapping(FileImport.objects.get(), mapping)
    answer = upload(browser_of(ed), northwind, FOREIGN)
    assert columns(answer)["Memo"] == ("", False, "")
    assert columns(answer)["ART"] == ("", True, "remembered")


def test_only_the_last_mappings_are_remembered(ed, northwind, monkeypatch):
    """So that they do not grow without limit; the same headings take one place."""
    monkeypatch.setattr(options, "MAX_MAPPINGS", 2)
    upload(browser_of(ed), northwind, FOREIGN)
    file_import = FileImport.objects.get()
    for name in ("a", "b", "b", "c"):
        remember_mapping(file_import, {name: "id"})
    assert [found.mapping for found in ColumnMapping.objects.order_by("confirmed_at")] == [{"b": "id"}, {"c": "id"}]


def test_the_page_is_short_however_many_columns_there_are(alice, northwind):
    """One list of fields for all columns, and nothing for the fields without one."""
    headings = ",".join(path for path, place in WIRES["account"].places.items() if not place.is_map)
    answer = upload(browser_of(alice), northwind, headings + "\n" + "1" + "," * headings.count(","))
    assert len(answer.context["form"].columns.fields) > 90
    text = answer.content.decode()
    assert text.count('<option value="Nature"') == 1
    assert len(text) < 300_000
    short = upload(browser_of(alice), northwind, HEADINGS + CASH).content.decode()
    assert len(re.findall(r'name="column-\d+"', short)) == 5


def test_another_file_goes_to_the_same_place(ed, alice, northwind, contoso):
    """The link to take another file keeps the repository and the dimension."""
    AccessGrant.objects.create(user=ed.user, repository=contoso, role=Role.EDITOR)
    browser = browser_of(ed)
    text = upload(browser, northwind, HEADINGS + CASH).content.decode()
    address = f"{page(FileImport, 'add')}?dimension=account&amp;repository={northwind.pk}"
    assert f'href="{address}"' in text
    form = browser.get(address.replace("&amp;", "&")).context["form"]
    assert form.fields["target"].initial == f"account:{northwind.pk}"
    for wrong in ("x", "999999", ""):
        form = browser.get(f"{page(FileImport, 'add')}?dimension=account&repository={wrong}").context["form"]
        assert form.fields["target"].initial == ""


def test_what_was_typed_stays_when_it_is_wrong(ed, northwind):
    """With the error at its column."""
    upload(browser_of(ed), northwind, FOREIGN)
    file_import = FileImport.objects.get()
    answer = describe(
        browser_of(ed), file_import, **{"column-5": "Sollkonto <b>", "column-6": "x" * 5000, "mode": "create"}
    )
    fields = answer.context["form"].columns.fields
    assert [fields[5].typed, len(fields[6].typed)] == ["Sollkonto <b>", 300]
    assert all(column.errors for column in fields[5:])
    assert "Sollkonto &lt;b&gt;" in answer.content.decode()
    assert browser_of(ed).get(at(file_import)).status_code == 200


def test_the_columns_to_look_at_come_first_and_the_clear_ones_are_folded(ed, northwind):
    """Those without a field, then guessed ones; each with the different texts in it."""
    headings = [
        path for path, place in WIRES["account"].places.items() if not place.is_map and not place.leaf.read_only
    ]
    cells = dict.fromkeys(headings, "") | {"id": "1", "Tpye": "NORMAL", "Memo": "x"}
    table = f"{';'.join(cells)}\n{';'.join(cells.values())}\n{';'.join(cells.values()).replace('1', '2')}\n"
    answer = upload(browser_of(ed), northwind, table.replace(";type;", ";Kind;", 1))
    fields = answer.context["form"].columns
    assert [column.heading for column in fields.marked] == ["Kind", "Memo", "Tpye"]
    assert [list(column.samples) for column in fields.marked] == [[], ["x"], ["NORMAL"]]
    assert len(fields.clear) == len(cells) - 3
    text = answer.content.decode()
    assert text.index('value="" list="fields"') < text.index(f"{len(fields.clear)} columns are clear")
    assert "<details ><summary>" in text


def test_the_most_that_is_deleted_is_asked_only_where_something_is_deleted(alice, northwind):
    """Without it the usual share holds."""
    upload(browser_of(alice), northwind, HEADINGS + CASH)
    file_import = FileImport.objects.get()
    answer = describe(browser_of(alice), file_import, mode="sync", max_delete="")
    assert "It must be a number such as 20" in answer.content.decode()
    check(browser_of(alice), file_import, max_delete="")
    assert (file_import.status, file_import.options["max_delete"]) == ("CHECKED", "5%")
