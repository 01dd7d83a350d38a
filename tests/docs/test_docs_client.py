"""The clients of the recipes keep a copy equal to the list, and make a chart equal to its source every night."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from bulkops.models import Plan, PlanStatus
from bulkops.rest import plan_views
from dimensions_site.api.errors import Problem
from dimensions_site.changes.models import ChangeSet, Slot
from dimensions_site.repositories.models import ApiKey
from tests.bulkops.jobs.deletions import start, work_now
from tests.bulkops.save.bulk import elements, patch, save
from tests.factories import Person, account, content, read
from tests.storing import store_accounts

RECIPES = Path(__file__).parents[2] / "docs" / "integrators" / "recipes.md"
PATCH = {"descriptions": {"en": "Bank"}}
FOLLOWING, NIGHTLY = "Follow changes", "Nightly synchronisation"
Run = Callable[..., "subprocess.CompletedProcess[str]"]

pytestmark = pytest.mark.django_db(transaction=True)


def program(heading: str) -> str:
    """The client as the page shows it."""
    page = RECIPES.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    return page.partition("```python\n")[2].partition("```")[0]


@pytest.fixture
def run(alice: Person, northwind, live_server, tmp_path: Path) -> Run:
    """Run the client below that heading, in a folder of its own."""
    _, key = ApiKey.objects.create_key(user=alice.user, name="client")
    environment = {**os.environ, "KEY": key, "ACCOUNT": f"{live_server.url}/dimensions/v1/northwind/account"}

    def run(heading: str) -> "subprocess.CompletedProcess[str]":
        (tmp_path / "client.py").write_text(program(heading), encoding="utf-8")
        words = [sys.executable, "client.py"]
        return subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", timeout=60, check=False
        )

    return run


@pytest.mark.parametrize(("heading", "most"), [(FOLLOWING, 40), (NIGHTLY, 80)])
def test_the_client_has_few_lines(heading: str, most: int):
    assert 0 < len(program(heading).splitlines()) <= most


@pytest.mark.contract("I3", "I4")
def test_the_copy_is_the_list_after_each_run(alice: Person, northwind, run: Run, tmp_path: Path):
    """From the first run on, after changes and deletions, and when the token has expired."""

    def copied() -> dict[str, object]:
        done = run(FOLLOWING)
        assert done.returncode == 0, done.stderr
        copy: dict[str, object] = json.loads((tmp_path / "copy.json").read_text())
        assert copy["elements"] == {element["id"]: element for element in read(alice.get(alice.account()))}
        return copy

    store_accounts(northwind, *(account(id) for id in ("1", "2", "3")))
    first = copied()
    alice.send("PATCH", alice.account("elements/2"), PATCH)
    alice.send("POST", alice.account(), account("4"))
    start(alice, ["1", "4"])
    work_now()
    assert copied()["token"] != first["token"]
    assert copied()["elements"]
    # As after a backup was restored that had not seen the token.
    Slot.objects.all().delete()
    ChangeSet.objects.all().delete()
    assert content(alice.get(alice.account("elements-changes"), {"since": str(copied()["token"])})) == b"[]"


@pytest.fixture
def night(alice: Person, run: Run, tmp_path: Path) -> Run:
    """Run the nightly client with a chart, after which accountants have added links to the accounts 10 to 109."""
    save(alice, "account", put=[account(f"{id}", documentationLink=f"https://{id}") for id in range(10, 110)])

    def night(chart: list[dict[str, Any]]) -> "subprocess.CompletedProcess[str]":
        (tmp_path / "chart.json").write_text(json.dumps(chart), encoding="utf-8")
        return run(NIGHTLY)

    return night


def chart(*numbers: int) -> list[dict[str, Any]]:
    return [account(f"{number}") for number in numbers]


@pytest.mark.contract("K4", "K6")
def test_the_source_arrives_and_the_links_stay(alice, night):
    changed = account("11", descriptions={"en": "Bank"})
    done = night([changed, *chart(*range(12, 111))])

    assert (done.returncode, done.stdout) == (0, "1 created, 1 changed, 98 unchanged, 1 deleted\n"), done.stderr
    found = {element["id"]: element for element in elements(alice, "account")}
    assert list(found) == sorted(f"{number}" for number in range(11, 111))
    assert found["11"]["descriptions"] == {"en": "Bank", "de": "Kasse"}
    assert found["11"]["documentationLink"] == "https://11"


@pytest.mark.contract("K4", "K6")
def test_a_busy_service_and_changes_meanwhile(alice, night, monkeypatch):
    """It waits as long as Retry-After says, and plans again when an account of the plan has changed."""
    views: Any = plan_views
    calls: list[object] = []
    apply, make = views.apply_plan, views.make_plan

    def made(*arguments: Any, **options: Any) -> object:
        if not calls:
            transaction.on_commit(lambda: save(alice, "account", patch=[patch("10", customAttributes={"a": "Ann"})]))
        return make(*arguments, **options)

    def applied(plan: Plan, *arguments: Any) -> object:
        calls.append(plan.pk)
        if len(calls) == 1:
            raise Problem(503, "REPOSITORY_BUSY", "Others are saving.", headers={"Retry-After": "0"})
        return apply(plan, *arguments)

    monkeypatch.setattr(plan_views, "make_plan", made)
    monkeypatch.setattr(plan_views, "apply_plan", applied)
    done = night([account("10", descriptions={"en": "Bank"}), *chart(*range(11, 110))])

    assert (done.returncode, done.stdout.count("1 changed")) == (0, 2), done.stderr
    assert (calls[0], len(set(calls))) == (calls[1], 2)
    first, *_ = elements(alice, "account")
    assert (first["descriptions"]["en"], first["customAttributes"]) == ("Bank", {"a": "Ann"})
    assert [plan.status for plan in Plan.objects.all()] == [PlanStatus.APPLIED]


@pytest.mark.contract("K4", "K6")
@pytest.mark.parametrize(
    ("source", "message"),
    [
        (chart(*range(10, 90)), "/maxDelete : The plan deletes 20 of the 100 stored elements (20.0%)"),
        ([*chart(*range(10, 110)), {"id": "new"}], "/snapshot/100/nature new: "),
        (chart(*range(10, 3_110)), "That is more than usual. Look at http"),
    ],
)
def test_what_a_person_has_to_look_at_changes_nothing(alice, night, source, message):
    """An incomplete or invalid source, or far more than usual: status 1, and the reason."""
    before = elements(alice, "account")
    done = night(source)
    assert done.returncode == 1
    assert message in done.stderr
    assert elements(alice, "account") == before
