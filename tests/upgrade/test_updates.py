"""The database of each earlier release is updated by the commands of the guide.

It has people, groups, grants, keys, and elements with every kind of field and several versions in two repositories. The
release that is checked out is recorded and updated as well, so that the recording works on the day of a release.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from account.serializers import ACCOUNT_WIRE
from currency.serializers import CURRENCY_WIRE
from tests.bulkops.save.bulk import patch
from tests.services.bulk_state import rows
from tests.services.clerk import errand, run_command
from tests.services.database import copied_database, empty_database
from tests.services.guide import commands, run
from tests.services.service import PROJECT, Service, serving
from tests.services.worker import delete, working
from tests.upgrade.recording import MIGRATIONS, ask, digest, record
from tests.upgrade.released import RELEASES, answers, columns, contents, load

SERVER = os.environ.get("DATABASE_URL", "")
# How many versions of which kind contoso's accounts have.
KINDS = (
    "SELECT change, count(*) FROM account_accountversion AS version "
    "JOIN repositories_repository AS repository ON repository.id = repository_id "
    "WHERE db_id = 'contoso' GROUP BY change"
)
ACCOUNTS = "/dimensions/v1/northwind/account/elements"
NEW_KEY = "from django.core.management import call_command; call_command('create_api_key', 'alice', name='new')"
MAPS = {path for wire in (ACCOUNT_WIRE, CURRENCY_WIRE) for path, place in wire.places.items() if place.is_map}
# Reads and restores in the administration, which can only be used by a browser.
BROWSER = """
from django.contrib.auth.models import User
from django.test import Client
from django.utils.html import strip_tags
from account.models import Account, AccountVersion
browser = Client(SERVER_NAME="localhost")
browser.force_login(User.objects.get(username="alice"))
element = Account.objects.get(repository__db_id="northwind", element_id="004000")
first = AccountVersion.objects.filter(element_id="004000").earliest("number")
page = browser.get(f"/admin/account/account/{element.pk}/history/", secure=True)
print(page.status_code, strip_tags(page.content.decode()))
print(browser.post(f"/admin/account/account/versions/{first.pk}/restore/", secure=True).status_code)
"""


@dataclass(frozen=True)
class Updated:
    """The folder of a release, the address of its updated database, and its contents before and after the update.

    The contents are those of the old columns. Nothing writes to the database; tests may write to the `copy`.
    """

    release: Path
    url: str
    copy: str
    before: dict[str, set[str]]
    after: dict[str, set[str]]


@pytest.fixture(scope="module", params=[*RELEASES, None], ids=lambda folder: folder.name if folder else "checked out")
def updated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Updated]:
    """Return a database of the old release, updated by the commands of the guide."""
    release: Path = request.param or tmp_path_factory.mktemp("recorded")
    if request.param is None:
        record(release, SERVER)
    folder = tmp_path_factory.mktemp("updated")
    with empty_database(folder, SERVER) as url:
        load(release, url)
        old = columns(url)
        before = contents(url, old)
        for block in commands("Updating the tables"):
            run(block, folder, url)
        after = contents(url, old)
        with copied_database(tmp_path_factory.mktemp("copy"), url) as copy:
            yield Updated(release, url, copy, before, after)


@contextmanager
def this_release(url: str, folder: Path) -> Iterator[Service]:
    """Run this release on the updated database, with a new key of the old superuser."""
    with serving(url, errand(url, NEW_KEY).split()[-1], folder) as running:
        yield running


@pytest.fixture(scope="module")
def service(updated: Updated, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a service that is only read from: others compare all that it answers."""
    with this_release(updated.url, tmp_path_factory.mktemp("service")) as running:
        yield running


def test_everything_is_there_unchanged(updated: Updated):
    """Each row of each table in each of its old columns, so that what the old release reads it can still read."""
    before, after = updated.before, updated.after
    assert {table: before[table] - after[table] for table in before if before[table] - after[table]} == {}
    grown = {table for table in before if before[table] != after[table]}
    assert grown <= {"django_migrations", "django_content_type", "auth_permission"}


def test_every_answer_is_the_one_of_the_old_release(updated: Updated, service: Service):
    """With the same keys, passwords and grants: status, body and entity tag, and the refusals too.

    Newer fields are in the body beside the old ones, which changes the entity tag.
    """
    for recorded in answers(updated.release, updated.url):
        found = ask(service, recorded["name"], recorded["address"])
        body = as_then(found["body"], recorded["body"])
        etag = found["etag"] if body == found["body"] else recorded["etag"]
        assert {**found, "body": body, "etag": etag} == recorded


def as_then(found: Any, recorded: Any) -> Any:
    """Return what is `found` without the fields that the release lacked; of maps every entry counts."""
    if isinstance(found, list) and isinstance(recorded, list):
        return [as_then(*pair) for pair in zip(found, recorded, strict=False)] + found[len(recorded) :]
    if isinstance(found, dict) and isinstance(recorded, dict):
        return {
            name: value if name in MAPS else as_then(value, recorded[name])
            for name, value in found.items()
            if name in recorded
        }
    return found


def test_a_second_update_does_nothing(updated: Updated):
    assert "No migrations to apply." in run_command(updated.url, "migrate")


@pytest.mark.contract("C18", "E1", "F3", "H4")
def test_what_is_new_works_with_old_elements(updated: Updated, tmp_path: Path):
    """Old versions are shown and restored; old elements are changed in bulk, exported, and deleted by a worker."""
    contoso = ACCOUNTS.replace("northwind", "contoso")
    url = updated.copy
    with this_release(url, tmp_path) as service:
        shown = errand(url, BROWSER)
        assert (shown.split()[0], shown.split()[-1]) == ("200", "302")
        assert "Revenue, third parties" in shown
        assert service.send("GET", f"{ACCOUNTS}/004000").json()["descriptions"] == {"en": "Revenue"}

        ids = [element["id"] for element in service.send("GET", contoso).json()]
        patches = [patch(id, customAttributes={"updated": "yes"}) for id in ids]
        saved = service.send("POST", f"{contoso}-bulk", {"patch": patches}).json()
        assert [element["customAttributes"]["updated"] for element in saved] == ["yes"] * 4
        assert service.send("GET", contoso, Accept="text/csv").body.count(b"yes") == 4
        with working(url, tmp_path):
            assert delete(service, ids, "contoso").ended()["deleted"] == 4
        assert service.send("GET", contoso).json() == []
        assert dict(rows(url, KINDS)) == {"+": 4, "~": 7, "-": 4}


def test_no_released_migration_is_changed(updated: Updated):
    """An updated database would never get the change: put it into a new migration."""
    listed = (updated.release / MIGRATIONS).read_text(encoding="utf-8").splitlines()
    assert len(listed) >= len(list(PROJECT.glob("[a-z]*/**/migrations/__init__.py")))
    for line in listed:
        recorded, name = line.split()
        assert digest(PROJECT / name) == recorded, name
