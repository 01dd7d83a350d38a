"""Versions of before there were change sets get theirs from the migration, and the order of commits goes on."""

import os
from json import loads
from pathlib import Path

import pytest

from tests.services.clerk import errand
from tests.services.database import empty_database

# The repository, the id, the kind, the author, the origin, and the minute of each version, in the order of their
# writing. A transaction that began first may have ended last.
VERSIONS = {
    "account": [
        ("northwind", "A", "+", "alice", "INPUT_WEB", 1),
        ("northwind", "B", "+", "alice", "INPUT_WEB", 1),
        ("northwind", "A", "~", "bob", "INPUT_WEB", 1),
        ("contoso", "A", "+", "alice", "INPUT_WEB", 1),
        ("northwind", "B", "~", "alice", "IMPORT", 2),
        ("northwind", "A", "-", "alice", "IMPORT", 2),
        ("northwind", "C", "+", "alice", "INPUT_WEB", 0),
        ("northwind", "C", "~", "alice", "INPUT_WEB", 2),
    ],
    "currency": [
        ("northwind", "A", "+", "alice", "INPUT_WEB", 1),
        ("northwind", "A", "-", "alice", "INPUT_WEB", 5),
    ],
}
# The repository, the number, the author, the channel, the minute, what was created, changed and deleted, and the ids.
CHANGE_SETS = {
    "account": [
        ("contoso", 1, "alice", "REST", 1, (1, 0, 0), "A"),
        ("northwind", 1, "alice", "REST", 0, (1, 0, 0), "C"),
        ("northwind", 2, "alice", "REST", 1, (2, 0, 0), "AB"),
        ("northwind", 3, "bob", "REST", 1, (0, 1, 0), "A"),
        ("northwind", 4, "alice", "IMPORT", 2, (0, 1, 1), "AB"),
        ("northwind", 5, "alice", "REST", 2, (0, 1, 0), "C"),
    ],
    "currency": [
        ("northwind", 1, "alice", "REST", 1, (1, 0, 0), "A"),
        ("northwind", 2, "alice", "REST", 5, (0, 0, 1), "A"),
    ],
}
# Fills the tables as they were, with little in the elements but the minute.
_BEFORE = f"""
from datetime import UTC, datetime
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
apps = MigrationExecutor(connection).migrate([("account", "0001_initial"), ("currency", "0001_initial")]).apps
Repository = apps.get_model("repositories", "Repository")
repositories = {{name: Repository.objects.create(db_id=name, name=name) for name in ("northwind", "contoso")}}
for dimension, versions in {VERSIONS}.items():
    model = apps.get_model(dimension, f"Historical{{dimension.capitalize()}}")
    blank = {{"JSONField": {{}}, "PositiveSmallIntegerField": 0, "IntegerField": 0, "BooleanField": False}}
    columns = model._meta.concrete_fields
    values = {{each.name: blank[each.get_internal_type()] for each in columns if each.get_internal_type() in blank}}
    for name, id, kind, author, origin, minute in versions:
        at = datetime(2026, 5, 1, 12, minute, 0, 250_000, tzinfo=UTC)
        model.objects.create(
            **{{**values, "descriptions": {{"en": f"{{minute}}"}}}}, id=ord(id), element_id=id,
            repository=repositories[name], update_user=author, update_date=at, update_origin=origin,
            history_type=kind, history_actor=author, history_origin=origin, history_date=at,
        )
"""
_AFTER = """
import json
from account.models import Account
from currency.models import Currency
from dimensions_site.changes.models import ChangeSet, Slot
from dimensions_site.changes.states import current, versions_at
from dimensions_site.repositories.models import Repository
from tests.factories import account
from tests.storing import store_accounts
report = {}
for model, dimension in ((Account, "account"), (Currency, "currency")):
    versions = model.version_model.objects
    report[dimension] = {
        "versions": [
            (row.repository.db_id, row.element_id, row.change, row.descriptions["en"])
            for row in versions.order_by("number").select_related("repository")
        ],
        "change sets": [
            (each.repository.db_id, each.number, each.user, each.channel, each.committed_at.minute,
             (each.created, each.changed, each.deleted),
             "".join(sorted(versions.filter(change_set=each).values_list("element_id", flat=True))))
            for each in ChangeSet.objects.filter(dimension=dimension, slot=0).order_by("repository__db_id", "number")
        ],
        "slots": [
            (slot.repository.db_id, slot.slot, slot.number, ChangeSet.objects.get(pk=slot.last).number, slot.horizon)
            for slot in Slot.objects.filter(dimension=dimension).order_by("repository__db_id")
        ],
    }
northwind = Repository.objects.get(db_id="northwind")
state, _ = current(northwind.pk, "account")
store_accounts(northwind, account("D"))
report["later"] = [each.created for each in state.later()]
report["state"] = sorted(versions_at(Account.versions_of(northwind), state).values_list("element_id", flat=True))
print(json.dumps(report))
"""


@pytest.mark.contract("C18")
def test_versions_of_before_get_change_sets_by_author_origin_and_moment(tmp_path: Path):
    """All are there in their order. The change sets are numbered by their moments, and later writes come after them."""
    with empty_database(tmp_path, os.environ.get("DATABASE_URL", "")) as url:
        errand(url, _BEFORE)
        errand(url, "from django.core.management import call_command; call_command('migrate', verbosity=0)")
        report = loads(errand(url, _AFTER))
    for dimension, versions in VERSIONS.items():
        found = report[dimension]
        assert found["versions"] == [[name, id, kind, str(minute)] for name, id, kind, _, _, minute in versions]
        sets = [(*each[:5], tuple(each[5]), each[6]) for each in found["change sets"]]
        assert sets == CHANGE_SETS[dimension]
        last = {name: number for name, number, *_ in CHANGE_SETS[dimension]}
        assert found["slots"] == [[name, 0, number, number, 0] for name, number in sorted(last.items())]
    assert report["later"] == [1]
    assert report["state"] == ["B", "C"]
