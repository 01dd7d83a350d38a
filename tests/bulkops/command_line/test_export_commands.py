"""The export commands as an operator meets them."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.factories import account
from tests.storing import store_accounts

pytestmark = pytest.mark.contract("H4")
Export = Callable[..., str]


@pytest.fixture
def export(tmp_path, monkeypatch) -> Export:
    """Run an export command in a separate folder and return what it says."""
    monkeypatch.chdir(tmp_path)

    def run(command: str, *words: str) -> str:
        output = io.StringIO()
        call_command(command, *words, stdout=output)
        return output.getvalue()

    return run


def refusal(export: Export, *words: str) -> str:
    with pytest.raises(CommandError) as refused:
        export(*words)
    assert refused.value.returncode == 1
    return str(refused.value)


def table(file: str, encoding: str = "utf-8-sig") -> tuple[list[str], list[list[str]]]:
    headings, *rows = csv.reader(io.StringIO(Path(file).read_bytes().decode(encoding), newline=""))
    return headings, rows


@pytest.fixture
def chart(northwind):
    """Three accounts of Northwind."""
    store_accounts(
        northwind,
        account("001000"),
        account("2000", type="DETAIL", descriptions={"en": "=1+1", "de": "Forderung", "fr": "Créance"}),
        account("A", type="DETAIL", alternativeDescriptions={"de": "kurz"}, customAttributes={"owner": "-x"}),
    )


@pytest.mark.contract("D1", "D5")
def test_a_filter_and_an_order_are_those_of_rest(export, chart):
    """The rows, and of maps the columns that these rows need."""
    export("export_accounts", "northwind", "a.csv", "--filter=type==DETAIL;id!=2000,id==001000", "--sort=-id")
    headings, rows = table("a.csv")
    assert [row[0] for row in rows] == ["A", "001000"]
    assert [name for name in headings if "escriptions." in name] == [
        "descriptions.en",
        "descriptions.de",
        "alternativeDescriptions.de",
    ]


@pytest.mark.parametrize(
    ("words", "headings"),
    [
        (["--properties=type, id"], ["type", "id"]),
        (["--properties=id,description"], ["id", "descriptions.en"]),
        (["--properties=id,descriptions"], ["id", "descriptions.en", "descriptions.de", "descriptions.fr"]),
        (
            ["--properties=id,descriptions,descriptions.fr"],
            ["id", *(f"descriptions.{name}" for name in ("en", "de", "fr"))],
        ),
        (["--properties=id,descriptions", "--languages=de, en"], ["id", "descriptions.de", "descriptions.en"]),
        (["--properties=id,descriptions.fr", "--languages=de"], ["id", "descriptions.fr"]),
        (
            ["--properties=id,alternativeDescriptions,customAttributes", "--languages=it"],
            ["id", "alternativeDescriptions.it", "customAttributes.owner"],
        ),
    ],
)
def test_the_fields_and_languages_can_be_chosen(export, chart, words, headings):
    """In the order in which they are named; a language that is not there has an empty column."""
    export("export_accounts", "northwind", "a.csv", *words)
    assert table("a.csv")[0] == headings


def test_a_file_that_is_there_is_overwritten_only_by_force(export, chart):
    """And never anything but a file."""
    Path("a.csv").write_text("mine", encoding="utf-8")
    Path("folder.csv").mkdir()
    message = "The file 'a.csv' already exists. Choose another name, or overwrite it with --force."
    assert refusal(export, "export_accounts", "northwind", "a.csv") == message
    assert Path("a.csv").read_text(encoding="utf-8") == "mine"
    export("export_accounts", "northwind", "a.csv", "--force")
    assert len(table("a.csv")[1]) == 3
    message = "The file 'folder.csv' already exists. Choose another name."
    assert refusal(export, "export_accounts", "northwind", "folder.csv", "--force") == message
    assert sorted(path.name for path in Path().iterdir()) == ["a.csv", "folder.csv"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["unknown"], "There is no repository 'unknown'."),
        (["northwind", "none/a.csv"], "The file 'none/a.csv' cannot be written: No such file or directory."),
        (
            ["northwind", "a.txt"],
            (
                "The name 'a.txt' has no known extension. End it with .csv, .xlsx, .json, .ndjson, or choose a format "
                "with --format."
            ),
        ),
        (
            ["northwind", "a.csv", "--properties=nature,tipe", "--languages=de,x!"],
            (
                "--properties: Unknown field 'tipe'. Did you mean 'type'?\n"
                "--languages: 'x!' is not a language tag such as de."
            ),
        ),
        (
            ["northwind", "a.csv", "--filter=tipe==x;type==NORMALE", "--sort=id,id"],
            (
                "--filter: Unknown field 'tipe'. Did you mean 'type'?\n"
                '--filter: type must be one of NORMAL, DETAIL, VARIATION; got "NORMALE". Did you mean NORMAL?\n'
                "--sort: sort must not name id twice."
            ),
        ),
        (
            ["northwind", "a.csv", "--properties="],
            "--properties: properties is empty; write for example properties=id,description.",
        ),
    ],
)
def test_what_cannot_be_done_is_reported_clearly_and_no_file_is_left(export, northwind, words, message):
    """All errors at once, as on REST."""
    assert refusal(export, "export_accounts", *words) == message
    assert list(Path().iterdir()) == []


def test_the_format_can_be_chosen_if_the_name_has_no_extension(export, chart):
    """It takes precedence over the name."""
    export("export_accounts", "northwind", "a.txt", "--format=ndjson", "--properties=id")
    assert Path("a.txt").read_text(encoding="utf-8") == '{"id":"001000"}\n{"id":"2000"}\n{"id":"A"}\n'
