"""Plans at the command line: what a file or another source would change, looked at and then applied."""

import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from dimensions_site.repositories.models import Repository
from tests.bulkops.conftest import Outcome
from tests.bulkops.plans.plans import without_info
from tests.bulkops.save.bulk import elements, patch, save
from tests.factories import Person, account, currency, read

HEADINGS = "id,descriptions.en,descriptions.de,nature,type,conversion.conversionType,documentationLink"
Run = Callable[..., Outcome]


@pytest.fixture
def run(tmp_path: Path, northwind: Repository) -> Run:
    """Run a command on Northwind; `content` is that of its file."""

    def run(command: str, *words: str, content: str | None = None) -> Outcome:
        file = tmp_path / "table.csv"
        if content is not None:
            file.write_text(content, encoding="utf-8")
        output, errors = StringIO(), StringIO()
        files = [] if content is None else [str(file)]
        refusal, status = None, 0
        try:
            call_command(command, "northwind", *files, *words, stdout=output, stderr=errors)
        except CommandError as error:
            refusal, status = str(error), error.returncode
        return Outcome(output.getvalue(), errors.getvalue().splitlines(), refusal, status)

    return run


def planned(outcome: Outcome) -> str:
    """The id of the plan that was made."""
    found = re.search("Plan ([0-9a-f-]{36}) of northwind", outcome.output)
    assert found is not None, outcome
    return found[1]


def table(*rows: str) -> str:
    return "\n".join([HEADINGS, *rows, ""])


@pytest.fixture
def chart(alice: Person) -> list[dict[str, object]]:
    """The accounts 10 to 29, each with a link that somebody has added."""
    save(alice, "account", put=[account(f"{id}", documentationLink=f"https://{id}") for id in range(10, 30)])
    return elements(alice, "account")


def cash(id: int, *, link: str = "") -> str:
    return f"{id},Cash,Kasse,BALANCE_SHEET,NORMAL,FINAL,{link}"


@pytest.mark.contract("K4", "K6", "H4", "I1")
@pytest.mark.django_db(transaction=True)
def test_a_file_is_planned_and_applied(run, alice, chart):
    """What the file lacks is deleted, an empty cell clears, a field without a column stays; nothing before it is
    applied.
    """
    save(alice, "account", patch=[patch("10", customAttributes={"owner": "Ann"})])
    before = elements(alice, "account")
    rows = [cash(id, link=f"https://{id}") for id in range(12, 29)]
    changed = ["10,Till,,BALANCE_SHEET,NORMAL,FINAL,", *rows, "9,New,Neu,BALANCE_SHEET,NORMAL,FINAL,"]
    made = run("plan_accounts", "--reason", "Night", "--max-delete", "2", content=table(*changed))

    assert "1 created, 1 changed, 17 unchanged, 2 deleted." in made.output
    assert "changed: 10\n  " in made.output
    assert '  descriptions.de: "Kasse" -> null\n' in made.output
    assert '  descriptions.en: "Cash" -> "Till"\n' in made.output
    assert "deleted: 11" in made.output
    assert elements(alice, "account") == before
    done = run("apply_plan", planned(made))
    first, *_, last = elements(alice, "account")
    assert [first["id"], last["id"]] == ["10", "9"]
    assert (first["descriptions"], first["documentationLink"]) == ({"en": "Till"}, None)
    assert first["customAttributes"] == {"owner": "Ann"}
    [latest] = read(alice.get(alice.account("elements-changesets?take=1")))
    assert done.output.splitlines()[-1] == f"Applied. Change set: {latest['id']}."
    assert [latest[name] for name in ("user", "channel", "operation", "reason")] == [
        "system",
        "PLAN",
        planned(made),
        "Night",
    ]


@pytest.mark.contract("K4", "H4")
@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_plan_does_what_an_import_does(run, alice, kind):
    """Empty cells, new elements, derived texts: the elements are the same afterwards."""
    first = [currency("EUR", descriptions={"en": "Euro", "de": "Euro", "fr": None}), currency("USD"), currency("GBP")]
    if kind == "csv":
        content = "id,description,descriptions.de,decimalNumbers,percentageDifference,xbrlContent\n" + "\n".join(
            ["EUR,Euro,,2,0,iso:EUR", "USD,Dollar,Dollar,3,0.0000,", "CHF,Franc,Franken,2,0.5,"]
        )
    else:
        content = json.dumps([{"id": "EUR", "xbrlContent": "x"}, {"id": "USD", "descriptions": {"fr": "Dollar"}}])
    results = []
    for commands in (["import_currencies"], ["plan_currencies", "apply_plan"]):
        save(alice, "currency", put=first)
        outcome = run(commands[0], "--mode", "sync", "--max-delete", "100%", content=content)
        assert outcome.refusal is None, outcome
        if len(commands) > 1:
            assert run(commands[1], planned(outcome)).refusal is None
        found = without_info(elements(alice, "currency"))
        results.append([{name: value for name, value in one.items() if name != "oid"} for one in found])
    assert results[0] == results[1]


@pytest.mark.contract("K4")
def test_only_what_is_in_the_scope_is_planned(run, alice, chart):
    """A row outside is an error on its line; with merge nothing is deleted."""
    outside = run("plan_accounts", "--scope", "id=in=(10,11)", content=table(cash(10), cash(12)))
    assert outside.errors == ["line 3, id: The element '12' is outside the scope, which the plan must not touch."]
    empty = run("plan_accounts", "--scope", " ", content=table(cash(10)))
    assert empty.refusal == "--scope is empty. Name a filter, or leave it out to plan for all elements."
    wrong = run("plan_accounts", "--scope", "colour==red", content=table(cash(10)))
    assert str(wrong.refusal).startswith("No plan was made:\n--scope: ")
    made = run("plan_accounts", "--scope", "id=in=(10,11)", "--max-delete", "50%", content=table(cash(10)))
    assert "0 created, 1 changed, 0 unchanged, 1 deleted." in made.output
    made = run("plan_accounts", "--mode", "merge", content=table(cash(10), cash(40)))
    assert "1 created, 1 changed, 0 unchanged, 0 deleted." in made.output


@pytest.mark.contract("K4", "K7")
@pytest.mark.django_db(transaction=True)
def test_other_sources_need_no_file(run, alice, chart, contoso):
    """Another repository, an earlier state, and what a change set or a plan has done."""
    token = alice.get(alice.account())["Sync-Token"]
    made = run("plan_accounts", "--mode", "merge", content=table(cash(10), cash(50)))
    run("apply_plan", planned(made))
    for words in (["--as-of", token], ["--undo", planned(made)]):
        assert "0 created, 1 changed" in run("plan_accounts", *words, "--max-delete", "1").output
    empty = run("plan_accounts", "--repository", "contoso", "--max-delete", "100%")
    assert "0 created, 0 changed, 0 unchanged, 21 deleted." in empty.output
    save(alice, "account", patch=[patch("10", documentationLink="https://later")])
    assert "'10' was changed again" in run("plan_accounts", "--undo", planned(made), "--max-delete", "1").errors[0]
    skipped = run("plan_accounts", "--undo", planned(made), "--skip-conflicts", "--max-delete", "1")
    run("apply_plan", planned(skipped))
    assert [one["documentationLink"] for one in elements(alice, "account")][:2] == ["https://later", "https://11"]


@pytest.mark.contract("K6")
def test_an_outdated_plan_lists_what_has_changed(run, alice, chart):
    """Every id, and nothing is changed."""
    made = run("plan_accounts", "--mode", "merge", content=table(cash(10), cash(11), cash(12)))
    save(alice, "account", patch=[patch(id, documentationLink="https://meanwhile") for id in ("10", "12")])
    before = elements(alice, "account")
    refused = run("apply_plan", planned(made))
    assert refused.errors == ["changed since: 10", "changed since: 12"]
    assert str(refused.refusal).startswith("Nothing was changed: 2 elements of the plan have changed")
    assert elements(alice, "account") == before
    again = planned(run("plan_accounts", "--mode", "merge", content=table(cash(10))))
    assert run("apply_plan", again).refusal is None
    assert "was applied already, by system" in str(run("apply_plan", again).refusal)


@pytest.mark.contract("K4", "K6", "I2")
def test_what_the_commands_refuse(run, alice, chart, northwind):
    for words, message in (
        ([], "A plan needs exactly one source: FILE, --repository or --as-of, or --undo; got none of them."),
        (["--undo", "x", "--as-of", "2026"], "got --repository or --as-of, --undo."),
        (["--undo", "x", "--mode", "sync"], "--mode needs FILE."),
        (["--as-of", "x", "--skip-conflicts"], "--skip-conflicts needs --undo."),
        (["--undo", "x"], "--undo: There is no change set or operation"),
        (["--as-of", "2999-01-01T00:00:00Z"], "--as-of must not be in the future"),
        (["--repository", "nowhere"], "There is no repository 'nowhere'."),
        (["--repository", "northwind"], "--repository: The repository 'northwind' is the one of the plan"),
    ):
        assert message in str(run("plan_accounts", *words).refusal)
    assert str(run("apply_plan", "7").refusal).startswith("There is no plan '7' in repository 'northwind'.")
    Repository.objects.update(requires_reason=True)
    made = planned(run("plan_accounts", "--mode", "merge", content=table(cash(10))))
    assert str(run("apply_plan", made).refusal).endswith("requires a reason for every change. Give it with --reason.")
    assert run("apply_plan", made, "--reason", "Audit").refusal is None


@pytest.mark.contract("K4")
def test_a_busy_repository_or_too_many_plans_are_no_errors_of_the_file(run, alice, chart, settings):
    """A file with an error and a refusal for another reason: the refusal is what counts."""
    settings.PLAN_MAX_OPEN = 1
    assert run("plan_accounts", "--mode", "merge", content=table(cash(10))).refusal is None
    refused = run("plan_accounts", "--mode", "merge", content=table("10,Cash"))
    assert (refused.errors, refused.refusal) == (
        [],
        "No plan was made:\nYou have 1 plans here that are not applied. Delete those that you no longer need.",
    )
