"""The client of the recipe keeps its copy equal to the list, in at most 40 lines."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dimensions_site.changes.models import ChangeSet, Slot
from dimensions_site.repositories.models import ApiKey
from tests.bulkops.jobs.deletions import start, work_now
from tests.factories import Person, account, content, read
from tests.storing import store_accounts

RECIPES = Path(__file__).parents[2] / "docs" / "integrators" / "recipes.md"
PATCH = {"descriptions": {"en": "Bank"}}

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("I3", "I4")]


def program() -> str:
    """The client as the page shows it."""
    page = RECIPES.read_text(encoding="utf-8").partition("\n## Follow changes\n")[2]
    return page.partition("```python\n")[2].partition("```")[0]


def test_the_client_has_at_most_40_lines():
    assert len(program().splitlines()) <= 40


def test_the_copy_is_the_list_after_each_run(alice: Person, northwind, live_server, tmp_path: Path):
    """From the first run on, after changes and deletions, and when the token has expired."""
    (tmp_path / "client.py").write_text(program(), encoding="utf-8")
    _, key = ApiKey.objects.create_key(user=alice.user, name="client")
    environment = {**os.environ, "KEY": key, "ACCOUNT": f"{live_server.url}/dimensions/v1/northwind/account"}

    def run() -> dict[str, object]:
        subprocess.run([sys.executable, "client.py"], cwd=tmp_path, env=environment, check=True, timeout=60)
        copy: dict[str, object] = json.loads((tmp_path / "copy.json").read_text())
        assert copy["elements"] == {element["id"]: element for element in read(alice.get(alice.account()))}
        return copy

    store_accounts(northwind, *(account(id) for id in ("1", "2", "3")))
    first = run()
    alice.send("PATCH", alice.account("elements/2"), PATCH)
    alice.send("POST", alice.account(), account("4"))
    start(alice, ["1", "4"])
    work_now()
    assert run()["token"] != first["token"]
    assert run()["elements"]
    # As after a backup was restored that had not seen the token.
    Slot.objects.all().delete()
    ChangeSet.objects.all().delete()
    assert content(alice.get(alice.account("elements-changes"), {"since": str(run()["token"])})) == b"[]"
