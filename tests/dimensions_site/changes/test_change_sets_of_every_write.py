"""Every way of writing elements leaves one change set per transaction: who, through what, why, and what it wrote."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import QuerySet
from django.test import Client

from account.models import Account, AccountVersion
from bulkops.models import DataProcessing, FileImport
from dimensions_site.changes.models import ChangeSet
from dimensions_site.repositories.models import Repository
from tests.bulkops.jobs.deletions import ASYNC, body, work_now
from tests.dimensions_site.administration.files.imports import HEADINGS, at, checked
from tests.dimensions_site.administration.site.pages import filled_in
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import Person, account, content
from tests.storing import store_accounts

# The worker of imports shows that it is alive through a separate connection.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("C18", "I1", "I2")]

ROW = "{},{},BALANCE_SHEET,NORMAL,FINAL\n"
# As it is typed, and as it is sent over REST.
REASON, SENT = "Prüfung, 5 % fertig", "Pr%C3%BCfung, 5 %25 fertig"


@dataclass
class World:
    """Alice, a manager, the accounts 1 and 2 of her repository, and the reason that she gives."""

    alice: Person
    repository: Repository
    folder: Path
    reason: str = REASON

    @property
    def browser(self) -> Client:
        return browser_of(self.alice)

    @property
    def first(self) -> Account:
        return Account.objects.get(element_id="1")

    @property
    def keys(self) -> list[int]:
        return list(Account.objects.values_list("pk", flat=True))

    def send(self, method: str, path: str, sent: Any) -> Any:
        headers = {"Change_Reason": SENT} if self.reason else {}
        return self.alice.send(method, self.alice.account(path), sent, **headers)

    def post(self, address: str, sent: dict[str, Any]) -> Any:
        return self.browser.post(address, {**sent, "_reason": self.reason})

    def file(self, *ids: str) -> str:
        return HEADINGS + "".join(ROW.format(id, f"New {id}") for id in ids)


@pytest.fixture
def world(alice: Person, northwind: Repository, tmp_path: Path) -> World:
    store_accounts(northwind, account("1"), account("2"))
    return World(alice, northwind, tmp_path)


Write = Callable[[World], Any]


def sends(method: str, path: str, sent: Any) -> Write:
    return lambda world: world.send(method, path, sent)


def saves(**operations: Any) -> Write:
    return sends("POST", "elements-bulk", operations)


def create_in_admin(world: World) -> Any:
    address = page(Account, "add")
    typed = {"id": "3", "descriptions": "", "descriptions:0:key": "en", "descriptions:0:text": "Three"}
    typed |= {"nature": "BALANCE_SHEET", "type": "NORMAL", "conversion.conversionType": "FINAL"}
    return world.post(address, {**filled_in(world.browser.get(address)), **typed})


def change_in_admin(world: World, **typed: str) -> Any:
    address = page(Account, "change", world.first.pk)
    return world.post(address, {**filled_in(world.browser.get(address)), **typed})


def delete_from_the_list(world: World) -> Any:
    sent = {"action": "delete_elements", "_selected_action": world.keys, "confirmed": "2"}
    return world.post(page(Account), sent)


def restore(world: World) -> Any:
    version = AccountVersion.objects.filter(element_id="1").earliest("number")
    is_deleted = not Account.objects.filter(element_id="1").exists()
    return world.post(page(Account, "restore", version.pk), {"is_deleted": "yes"} if is_deleted else {})


def import_in_admin(world: World, *ids: str, **chosen: str) -> Any:
    return world.post(at(checked(world.browser, world.repository, world.file(*ids), **chosen), "confirm"), {})


def import_by_command(world: World) -> None:
    file = world.folder / "accounts.csv"
    file.write_text(world.file("1", "3"))
    call_command("import_accounts", "northwind", str(file), "--reason", world.reason)


NEW = {"descriptions": {"en": "New"}}
# The way of writing, its channel, and what its change sets count: created, changed, deleted.
WAYS: dict[str, tuple[Write, str, list[tuple[int, int, int]]]] = {
    "POST": (sends("POST", "elements", account("3")), "REST", [(1, 0, 0)]),
    "PUT inserts": (sends("PUT", "elements/3", account("3")), "REST", [(1, 0, 0)]),
    "PUT replaces": (sends("PUT", "elements/1", account("1", **NEW)), "REST", [(0, 1, 0)]),
    "PUT of the same": (sends("PUT", "elements/1", account("1")), "REST", []),
    "PATCH": (sends("PATCH", "elements/1", NEW), "REST", [(0, 1, 0)]),
    "PATCH of the same": (sends("PATCH", "elements/1", {"type": "NORMAL"}), "REST", []),
    "refused POST": (sends("POST", "elements", account("1")), "REST", []),
    "bulk post": (saves(post=[account("3"), account("4")]), "REST", [(2, 0, 0)]),
    "bulk put": (saves(put=[account("1", **NEW), account("3")]), "REST", [(1, 1, 0)]),
    "bulk patch": (saves(patch=[{"key": {"id": "1"}, "data": NEW}]), "REST", [(0, 1, 0)]),
    "bulk of all kinds": (
        saves(post=[account("3")], put=[account("1", **NEW)], patch=[{"key": {"id": "2"}, "data": NEW}]),
        "REST",
        [(1, 2, 0)],
    ),
    "bulk of the same": (saves(put=[account("1")]), "REST", []),
    "refused bulk": (saves(post=[account("3"), account("1")]), "REST", []),
    "dry run": (sends("POST", "elements-bulk?dryRun=true", {"post": [account("3")]}), "REST", []),
    "deletion over REST": (sends("POST", ASYNC, body(["1", "2", "3"])), "DELETION", [(0, 0, 1), (0, 0, 1)]),
    "form of a new element": (create_in_admin, "ADMIN", [(1, 0, 0)]),
    "form of an element": (lambda world: change_in_admin(world, nature="PROFIT_AND_LOSS"), "ADMIN", [(0, 1, 0)]),
    "form of the same": (change_in_admin, "ADMIN", []),
    "deletion in the admin": (
        lambda world: world.post(page(Account, "delete", world.first.pk), {"post": "yes"}),
        "ADMIN",
        [(0, 0, 1)],
    ),
    "deletion from the list": (delete_from_the_list, "DELETION", [(0, 0, 1), (0, 0, 1)]),
    "restored version": (restore, "RESTORE", [(0, 1, 0)]),
    "restored element": (restore, "RESTORE", [(1, 0, 0)]),
    "import": (lambda world: import_in_admin(world, "1", "3"), "IMPORT", [(1, 1, 0)]),
    "import that deletes": (
        lambda world: import_in_admin(world, "3", mode="sync", max_delete="100%"),
        "IMPORT",
        [(1, 0, 2)],
    ),
    "import command": (import_by_command, "IMPORT", [(1, 1, 0)]),
}
# What precedes the write.
PREPARATIONS: dict[str, Write] = {
    "restored version": sends("PATCH", "elements/1", NEW),
    "restored element": sends("POST", ASYNC, body(["1"])),
}


def prepare(world: World, settings: Any, way: str) -> QuerySet[ChangeSet]:
    """Prepare the write; return the change sets that it will leave."""
    settings.DELETION_CHUNK_SIZE = 1
    PREPARATIONS.get(way, lambda _: None)(world)
    work_now()
    DataProcessing.objects.all().delete()
    return ChangeSet.objects.exclude(pk__in=list(ChangeSet.objects.values_list("pk", flat=True)))


def done(world: World, write: Write) -> tuple[Any, str]:
    """Write, and let a worker do what is left to it; return the response, if there is one, and its text."""
    answer = write(world)
    text = "" if answer is None else content(answer).decode()
    work_now()
    return answer, text


@pytest.mark.parametrize("requires_reason", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_a_write_leaves_its_change_sets(world: World, settings: Any, way: str, requires_reason: bool) -> None:
    """One for each transaction; what saves nothing leaves none. Each version belongs to one of them.

    Whether the reason that is given is required or not.
    """
    write, channel, counts = WAYS[way]
    left = prepare(world, settings, way)
    Repository.objects.update(requires_reason=requires_reason)
    before = set(AccountVersion.objects.values_list("number", flat=True))

    answer, _ = done(world, write)

    assert answer is None or answer.status_code < 400 or way.startswith("refused")
    sets = list(left.order_by("committed_at"))
    assert [(one.created, one.changed, one.deleted) for one in sets] == counts
    user = "system" if way == "import command" else "alice"
    assert {(one.user, one.channel, one.reason) for one in sets} <= {(user, channel, REASON)}
    assert {(one.repository_id, one.dimension) for one in sets} <= {(world.repository.pk, "account")}
    jobs = [*DataProcessing.objects.all(), *FileImport.objects.all()]
    assert [one.operation for one in sets] == [jobs[0].oid if jobs else None] * len(counts)
    requests = {one.request_id for one in sets if one.channel in ("REST", "ADMIN", "RESTORE")}
    assert requests <= {answer and answer["X-Request-ID"]}
    for one in sets:
        written = AccountVersion.objects.filter(change_set=one).exclude(number__in=before)
        assert written.count() == one.created + one.changed + one.deleted


@pytest.mark.parametrize("way", WAYS)
def test_where_a_reason_is_required_nothing_is_saved_without_one(world: World, settings: Any, way: str) -> None:
    """The error says so, at the field or as REASON_REQUIRED. A dry run needs none."""
    write, *_ = WAYS[way]
    left = prepare(world, settings, way)
    Repository.objects.update(requires_reason=True)
    before = list(Account.objects.order_by("pk").values())
    world.reason = ""
    message = "The repository northwind requires a reason for every change."

    if way == "import command":
        with pytest.raises(CommandError, match=f"{message} Give it with --reason."):
            write(world)
    else:
        answer, text = done(world, write)
        assert (message in text) != (way == "dry run")
        is_problem = answer.headers["Content-Type"] == "application/problem+json"
        codes = [error["code"] for error in answer.json()["errors"]] if is_problem else []
        assert ("REASON_REQUIRED" in codes) if is_problem else (answer.status_code == 200)

    assert not left.exists()
    assert list(Account.objects.order_by("pk").values()) == before
