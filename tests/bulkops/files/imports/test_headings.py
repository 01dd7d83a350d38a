"""What the headings of a table may be."""

import pytest

from account.models import Account
from tests.factories import account, currency, read


@pytest.fixture
def cash(alice):
    """The account 1000, stored."""
    assert alice.send("POST", alice.account(), account("1000")).status_code == 201


@pytest.mark.contract("C6", "H4")
@pytest.mark.parametrize(
    ("heading", "cell", "column", "stored"),
    [
        ("conversion-conversionType", "AVERAGE", "conversion_type", "AVERAGE"),
        ("conversion.conversionType", "AVERAGE", "conversion_type", "AVERAGE"),
        ("restrictions.customDimension3.restricted", "RESTRICTED", "custom_dimension3_restriction", "RESTRICTED"),
        ("rules.consolidaton.useAccountForSetup", "NO", "use_account_for_setup", "NO"),
        ("alternativesDescriptions.de-CH", "Chasse", "alternative_descriptions", {"de-CH": "Chasse"}),
        ("customAttributes.Cost centre", "Basel", "custom_attributes", {"Cost centre": "Basel"}),
        ("CtpElement.id", "E7", "ctp_restriction", {"id": "E7", "description": None}),
        ("dataEntryAndReporting.icManagement", "TRUE", "ic_management", True),
        (" dataEntryAndReporting.class ", "ASSET", "account_class", "ASSET"),
        ("\u200bdataEntryAndReporting.class\u200b", "ASSET", "account_class", "ASSET"),
    ],
)
def test_a_heading_is_a_wire_path_in_any_spelling(import_accounts, cash, heading, cell, column, stored):
    """Both spellings of the specification, entries of maps, and blanks around a heading are understood."""
    outcome = import_accounts(f"id,{heading}\n1000,{cell}\n")
    assert outcome.errors == []
    assert getattr(Account.objects.get(), column) == stored


@pytest.mark.contract("C4", "H4")
@pytest.mark.parametrize("heading", ["description", "descriptions", "descriptions.en"])
def test_description_is_the_text_in_the_default_language(import_accounts, import_currencies, alice, cash, heading):
    """For both dimensions, as in a fetch; the texts in other languages stay."""
    alice.send("POST", alice.currency(), currency("EUR"))
    import_accounts(f"id,{heading}\n1000,Bank\n")
    import_currencies(f"id,{heading}\nEUR,euro\n")

    assert read(alice.get(alice.account("elements/1000")))["descriptions"] == {"en": "Bank", "de": "Kasse"}
    assert read(alice.get(alice.currency("elements/EUR")))["descriptions"] == {"en": "euro", "de": "Euro"}


@pytest.mark.contract("C5", "H4")
@pytest.mark.parametrize(
    ("heading", "message"),
    [
        ("natur", "Unknown field 'natur'. Did you mean 'nature'?"),
        ("Class", "Unknown field 'Class'. Did you mean 'dataEntryAndReporting.class'?"),
        ("startDate", "Unknown field 'startDate'. Did you mean 'dataEntryAndReporting.validity.startDate'?"),
        ("debitAccrual", "Unknown field 'debitAccrual'. Did you mean 'rules.accrual.debitAccrual.id' or 'rules.accr"),
        ("conversion.conversiontype", "Unknown field 'conversion.conversiontype'. Did you mean 'conversion.conv"),
        ("descriptions.english language", "descriptions: 'english language' is not a language tag such as de."),
        ("Descriptions.Deutsch", "descriptions: 'Deutsch' is not a language tag such as de."),
        ("descriptions.", "descriptions: '' is not a language tag such as de."),
        ("conversion", "'conversion' is a group; name one of its fields, such as conversion.conversionType."),
        ("rules.accrual.debit", "'rules.accrual.debit' is a group; name one of its fields, such as rules.accrual"),
        ("customAttributes", "'customAttributes' has many entries; name one of them, such as customAttributes."),
        ("oid", "Unknown field 'oid'."),
        ("NATURE", "Unknown field 'NATURE'. Did you mean 'nature'?"),
        ("Description.de", "Unknown field 'Description.de'. Did you mean 'descriptions.de'?"),
        ("Descriptions.EN", "Unknown field 'Descriptions.EN'. Did you mean 'descriptions.en'?"),
        ("Descriptions.DE-ch", "Unknown field 'Descriptions.DE-ch'. Did you mean 'descriptions.de-CH'?"),
        ("CustomAttributes.Owner", "Unknown field 'CustomAttributes.Owner'. Did you mean 'customAttributes.Owner'?"),
        ("customAttribute.owner", "Unknown field 'customAttribute.owner'. Did you mean 'customAttributes.owner'?"),
    ],
)
def test_a_heading_that_means_no_field_is_refused_with_the_nearest_known_one(import_accounts, heading, message):
    """Nothing in a file is dropped silently."""
    outcome = import_accounts(f"id,{heading}\n1000,x\n")
    assert len(outcome.errors) == 1
    assert outcome.errors[0].startswith(f"line 1, {heading}: {message}")


@pytest.mark.contract("H4")
def test_all_errors_of_the_headings_are_reported_at_once(import_accounts):
    """Two unknown headings and the missing `id` are three errors."""
    outcome = import_accounts("natur,typ\nx,y\n")
    assert [error.partition(":")[0] for error in outcome.errors] == ["line 1, natur", "line 1, typ", "line 1, id"]
    assert outcome.refusal == (
        "Nothing was imported: 3 errors. Say what a heading means with --map 'heading=field'; --map 'heading=' "
        "leaves the column out."
    )


@pytest.mark.contract("C6", "H4")
def test_two_spellings_of_one_field_may_stand_there_when_their_cells_agree(import_accounts, cash):
    """An exported table may have both `description` and `descriptions.en`."""
    headings = "id,conversion-conversionType,conversion.conversionType,description,descriptions.en\n"
    outcome = import_accounts(headings + "1000,FINAL,AVERAGE,Bank,Bank\n")
    (error,) = outcome.errors
    assert error.startswith(
        "line 2, conversion.conversionType: 'conversion-conversionType' and 'conversion.conversionT"
    )
    assert error.endswith('are one field and must not have different cells; got "FINAL" and "AVERAGE".')
    assert import_accounts(headings + "1000,AVERAGE,AVERAGE,Bank,Bank\n").errors == []
    assert Account.objects.get().conversion_type == "AVERAGE"


@pytest.mark.contract("C12", "H4")
def test_update_info_in_a_file_is_accepted_and_ignored(import_accounts, alice, cash):
    """An exported table can be imported as it is, and nobody forges who changed what."""
    outcome = import_accounts("id,documentationLink,updateInfo.user,updateInfo.origin\n1000,x,mallory,INPUT_WEB\n")
    assert outcome.errors == []
    info = read(alice.get(alice.account("elements/1000")))["updateInfo"]
    assert (info["user"], info["origin"]) == ("system", "IMPORT")


@pytest.mark.contract("H4")
def test_a_mapping_says_what_headings_mean(import_accounts, alice, cash):
    """In any spelling; an empty meaning leaves a column out, one whose heading is known included."""
    table = "Konto;Text;Debit=Credit;Notiz;nature\n1000;Bank;9000;whatever;also whatever\n"
    words = ["--map", "Konto=id", "--map=Text=description", "--map=Debit=Credit=rules.accrual.debit.id"]
    outcome = import_accounts(table, *words, "--map=Notiz=", "--map=nature=")
    assert (outcome.errors, outcome.refusal) == ([], None)
    now = read(alice.get(alice.account("elements/1000")))
    assert now["descriptions"] == {"en": "Bank", "de": "Kasse"}
    assert now["rules"]["accrual"]["debitAccrual"]["id"] == "9000"
    assert now["nature"] == "BALANCE_SHEET"


@pytest.mark.contract("H4")
def test_errors_of_a_mapped_column_are_reported_by_its_own_heading(import_accounts):
    """The reader of the message looks at the file."""
    table = "Konto,Text,Art,Typ,Kurs\n1000,Cash,BALANCE,NORMAL,FINAL\n1000,Cash,BALANCE_SHEET,NORMAL,FINAL\n"
    fields = ("Konto=id", "Text=description", "Art=nature", "Typ=type", "Kurs=conversion.conversionType")
    outcome = import_accounts(table, *(f"--map={field}" for field in fields))
    assert [error.partition(":")[0] for error in outcome.errors] == ["line 2, Art", "line 3, Konto"]
    assert outcome.errors[0].startswith("line 2, Art: nature must be one of BALANCE_SHEET, ")


def test_a_heading_is_mapped_once(import_accounts):
    """Neither of two meanings is used silently."""
    outcome = import_accounts("Konto,type\n1000,NORMAL\n", "--map=Konto=id", "--map=Konto=oid")
    assert outcome.refusal == "--map must name 'Konto' only once; it names it 2 times."


@pytest.mark.contract("H4")
@pytest.mark.parametrize(
    ("word", "error"),
    [
        ("Konto=id", "line 1, Konto: The file has no heading 'Konto' that could be mapped."),
        ("type=typ", "line 1, type: Unknown field 'typ'. Did you mean 'type'?"),
        ("id=", "line 1, id: The heading 'id' is missing; each row needs an id."),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(import_accounts, cash, word, error):
    """No option is ignored silently."""
    assert import_accounts("id,type\n1000,NORMAL\n", "--map", word).errors == [error]


@pytest.mark.contract("H4")
def test_two_columns_may_be_mapped_to_one_field_when_their_cells_agree(import_accounts, cash):
    outcome = import_accounts("id,Text,Name\n1000,Bank,Till\n", "--map=Text=description", "--map=Name=description")
    assert outcome.errors == [
        "line 2, Name: 'Text' and 'Name' are one field and must not have different cells; got \"Bank\" and \"Till\"."
    ]


@pytest.mark.contract("H4")
def test_the_reason_of_a_rejected_row_is_not_a_field(import_accounts, cash):
    """So a file of rejected rows can be imported as it is."""
    assert import_accounts("id,descriptions.en,_reason\n1000,Bank,nature: x\n").errors == []
