"""The mode `sync` of an import: afterwards the dimension of the repository is what the file says."""

import json

import pytest

from account.models import Account, AccountVersion, CalculationLogic
from bulkops.files.imports.options import Share
from currency.models import Currency
from tests.bulkops.save.bulk import save
from tests.factories import account, currency

HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType\n"

pytestmark = pytest.mark.contract("H4")


def rows(*numbers: int) -> str:
    return "".join(f"{number},Account {number},BALANCE_SHEET,NORMAL,FINAL\n" for number in numbers)


def stored() -> list[str]:
    return list(Account.objects.order_by("element_id").values_list("element_id", flat=True))


@pytest.fixture
def chart(import_accounts):
    """Forty accounts, 1000 to 1039."""
    assert import_accounts(HEADINGS + rows(*range(1000, 1040))).status == 0


@pytest.mark.contract("C17", "C18")
@pytest.mark.django_db(transaction=True)
def test_what_is_not_in_the_file_is_deleted(import_accounts, chart):
    """With its generated logic; the history keeps it, and shows that an import did it."""
    import_accounts("id,rules.grossAmountEqualICSum\n1000,true\n")
    outcome = import_accounts(HEADINGS + rows(*range(1001, 1039), 2000), "--mode=sync")
    assert outcome.output == "Imported into northwind: 1 created, 0 changed, 38 unchanged, 2 deleted.\n"
    assert stored() == [*map(str, range(1001, 1039)), "2000"]
    assert not CalculationLogic.objects.exists()
    deletions = AccountVersion.objects.filter(change="-").order_by("element_id")
    assert [(version.element_id, version.change_set.channel) for version in deletions] == [
        ("1000", "IMPORT"),
        ("1039", "IMPORT"),
    ]


@pytest.mark.parametrize(
    ("words", "kept", "is_allowed"),
    [
        ([], 38, True),
        ([], 37, False),
        (["--max-delete", "3"], 37, True),
        (["--max-delete", "2"], 37, False),
        (["--max-delete=0"], 40, True),
        (["--max-delete=0%"], 39, False),
        (["--max-delete=7.5%"], 37, True),
        (["--max-delete=7.4%"], 37, False),
        (["--max-delete=100%"], 0, True),
        (["--max-delete=40"], 0, True),
    ],
)
def test_no_more_is_deleted_than_is_allowed(import_accounts, chart, words, kept, is_allowed):
    """5% of what is stored by default; a number, or a percentage."""
    outcome = import_accounts(HEADINGS + rows(*range(1000, 1000 + kept)), "--mode=sync", *words)
    assert outcome.status == (0 if is_allowed else 1)
    assert len(stored()) == (kept if is_allowed else 40)


@pytest.mark.parametrize("words", [[], ["--mode=merge"], ["--mode=create"], ["--mode=update", "--dry-run"]])
@pytest.mark.parametrize("share", ["3", "5%"])
def test_how_much_may_be_deleted_is_for_this_mode_alone(import_accounts, chart, words, share):
    """Whoever uses the option expects that something is deleted."""
    outcome = import_accounts(HEADINGS + rows(*range(1001, 1041)), f"--max-delete={share}", *words)
    assert outcome.refusal == "--max-delete needs --mode sync, because no other mode deletes anything."
    assert stored() == [*map(str, range(1000, 1040))]


@pytest.mark.parametrize("rejects", [False, True])
def test_a_refusal_shows_the_numbers_and_the_option(import_accounts, chart, tmp_path, rejects):
    """No row is saved, even with a file for rejected rows, because that would not correct anything."""
    words = ["--rejects", str(tmp_path / "rejects.csv")] if rejects else []
    outcome = import_accounts(HEADINGS + rows(*range(1000, 1030), 2000), "--mode=sync", *words)
    assert outcome.refusal == (
        "Nothing was imported: 10 of the 40 stored (25.0%) are not in the file and would be deleted; the "
        "limit is 5%. Check that the file is complete. If it is, allow as many with --max-delete."
    )
    assert "2000" not in stored()
    assert not (tmp_path / "rejects.csv").exists()


@pytest.mark.parametrize("content", [HEADINGS, "[]"])
def test_a_file_without_elements_deletes_nothing_unasked(import_accounts, chart, content):
    """It may be a file that somebody has emptied by accident."""
    assert import_accounts(content, "--mode=sync").refusal.startswith("Nothing was imported: 40 of the 40 stored")
    assert import_accounts(content, "--mode=sync", "--max-delete=100%").status == 0
    assert stored() == []


def test_the_ids_of_rejected_rows_count_as_in_the_file(import_accounts, chart, tmp_path):
    """A row with an error is not a request to delete."""
    rejects = tmp_path / "rejects.csv"
    table = HEADINGS + rows(*range(1001, 1039)) + "1000,Cash,WRONG,NORMAL,FINAL\n"
    outcome = import_accounts(table, "--mode=sync", "--rejects", str(rejects))
    assert outcome.status == 3
    assert "1 deleted, 1 rejected." in outcome.output
    assert stored() == [*map(str, range(1000, 1039))]


@pytest.mark.parametrize("row", [",Cash,BALANCE_SHEET,NORMAL,FINAL\n", "1000,Too,many,cells,in,it\n"])
def test_a_row_that_names_no_element_deletes_none(import_accounts, chart, tmp_path, row):
    """It could be any of the missing ones."""
    words = ["--mode=sync", "--rejects", str(tmp_path / "rejects.csv")]
    outcome = import_accounts(HEADINGS + rows(*range(1001, 1040)) + row, *words)
    assert outcome.refusal.startswith("Nothing was imported: Line 41 has no id, so it is unknown which")
    assert len(stored()) == 40


@pytest.mark.contract("C2")
def test_an_oid_is_free_again_when_its_element_goes(import_currencies, alice):
    """A currency that gets another code keeps its oid."""
    alice.send("POST", alice.currency(), currency("EUR", oid="o-eur"))
    content = json.dumps([currency("EURO", oid="o-eur")])
    assert import_currencies(content, "--mode=sync", "--max-delete=1").status == 0
    assert list(Currency.objects.values_list("element_id", "oid")) == [("EURO", "o-eur")]


@pytest.mark.contract("E2")
def test_strict_refuses_a_reference_to_what_would_be_deleted(import_accounts, alice):
    """It exists before the import, and not after it."""
    referring = account("1100", rules={"accrual": {"debitAccrual": {"id": "1000"}}})
    save(alice, "account", post=[account("1000"), referring])
    words = ["--mode=sync", "--max-delete=1", "--strict"]
    outcome = import_accounts(json.dumps([referring]), *words)
    assert [error.partition(":")[0] for error in outcome.errors] == ["line 1, rules.accrual.debitAccrual.id"]
    assert len(stored()) == 2
    assert import_accounts(json.dumps([referring]), *words[:-1]).status == 0


@pytest.mark.parametrize("text", ["", "-1", "101%", "5 %", "ten", "1e3", "%", "1.5"])
def test_an_invalid_share_is_refused_with_a_message(text):
    with pytest.raises(ValueError, match="It must be a number such as 20, or a share from 0") as caught:
        Share.parse(text)
    assert str(caught.value).endswith(f"; got '{text}'.")
