"""No commit of elements without the approval that it needs, whatever wrote them (contract O2)."""

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from account.models import ACCOUNT, Account, AccountVersion
from bulkops.session.envelope import read_envelope
from bulkops.session.session import save_all
from dimensions_site.changes.models import ChangeSet, Channel, Slot
from dimensions_site.changes.placing import Actor, Approval, ApprovalRequired
from dimensions_site.changes.requirements import set_approval
from dimensions_site.elements.models import Change
from dimensions_site.elements.writing.editing import Editor
from dimensions_site.elements.writing.restoring import copy_elements
from dimensions_site.elements.writing.saving import delete, record
from dimensions_site.repositories.models import AccessChange, Repository
from tests.bulkops.plans.deciding import DELETIONS, EVERYTHING, NOTHING, require_approval
from tests.dimensions_site.elements.history.writers import writers
from tests.factories import account
from tests.storing import store_accounts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("O2")]

ACTOR = Actor("alice", Channel.ADMIN)
NOW = timezone.now()
APPROVED = Actor("alice", Channel.PLAN, approval=Approval(uuid4(), "pia", NOW, "ann", NOW, None))


@pytest.fixture
def filled(northwind: Repository) -> Repository:
    store_accounts(northwind, account("1"), account("2"))
    return northwind


def editor(repository: Repository, actor: Actor = ACTOR) -> Editor:
    return Editor(ACCOUNT, repository, actor, allow=lambda _text: None)


def bulk(repository: Repository, actor: Actor = ACTOR, *, dry_run: bool = False) -> Any:
    envelope = read_envelope(bytearray(json.dumps({"put": [account("1", documentationLink="x")]}).encode()))
    return save_all(ACCOUNT, repository, actor, envelope, dry_run=dry_run)


def deletes(repository: Repository) -> None:
    delete(Account.of(repository).filter(element_id="1"), repository, ACTOR)


def copies(repository: Repository) -> None:
    with transaction.atomic():
        copy_elements(ACCOUNT, Repository.objects.create(db_id="source"), repository, ACTOR, lambda *_: None)
        record(Account.of(repository).filter(element_id="1"), repository.pk, Change.CHANGED, ACTOR)


# Every function that writes elements, called directly: no page, route or command that checks before.
WRITERS: dict[str, Callable[[Repository], Any]] = {
    "create": lambda repository: editor(repository).create(account("3")),
    "replace": lambda repository: editor(repository).replace("1", account("1", documentationLink="x")),
    "modify": lambda repository: editor(repository).modify("1", {"documentationLink": "x"}),
    "bulk": bulk,
    "delete": deletes,
    "history": copies,
}


def state() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in (Account, AccountVersion, ChangeSet)]


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("switch", [NOTHING, DELETIONS, EVERYTHING])
def test_the_commit_decides_for_every_writer(filled, writer, switch):
    """Nothing else has checked; what is refused leaves no element, no version, no change set and no place."""
    set_approval(filled, "account", switch)
    before, slots = state(), list(Slot.objects.values())

    if switch is EVERYTHING or (switch is DELETIONS and writer == "delete"):
        with pytest.raises(ApprovalRequired, match="elements-plans"):
            WRITERS[writer](filled)
        assert (state(), list(Slot.objects.values())) == (before, slots)
        assert not connection.in_atomic_block
        assert not connection.run_on_commit
    else:
        WRITERS[writer](filled)
        assert state() != before


def test_what_writes_nothing_needs_no_approval(filled):
    """The same values again, a dry run, and what is rolled back."""
    require_approval(filled)
    before = state()
    editor(filled).replace("1", account("1"))
    bulk(filled, dry_run=True)
    with transaction.atomic():
        with transaction.atomic():
            editor(filled).create(account("3"))
            transaction.set_rollback(True)
        Repository.objects.filter(pk=filled.pk).update(name="Other")
    assert state() == before
    assert Repository.objects.get(pk=filled.pk).name == "Other"


def test_a_refused_write_takes_everything_of_its_transaction_along(filled):
    """Also what it has written elsewhere, and what was left for after the commit."""
    require_approval(filled)
    done: list[str] = []

    @transaction.atomic
    def write() -> None:
        Repository.objects.filter(pk=filled.pk).update(name="Other")
        editor(filled).create(account("3"))
        transaction.on_commit(lambda: done.append("done"))

    with pytest.raises(ApprovalRequired):
        write()
    assert (Repository.objects.get(pk=filled.pk).name, done) == ("Northwind group", [])
    editor(filled, APPROVED).create(account("3"))
    assert Account.objects.filter(element_id="3").exists()


@pytest.mark.parametrize("order", [[APPROVED, ACTOR], [ACTOR, APPROVED]])
def test_no_write_rides_along_with_an_approved_one(filled, order):
    """In one transaction, each author needs an approval of their own, also with the same name, channel and reason."""
    require_approval(filled)
    same = [Actor("alice", Channel.PLAN, approval=actor.approval) for actor in order]
    before = state()

    @transaction.atomic
    def write() -> None:
        editor(filled, same[0]).create(account("3"))
        editor(filled, same[1]).create(account("4"))

    with pytest.raises(ApprovalRequired):
        write()
    assert state() == before


def test_other_dimensions_and_repositories_are_free(filled, contoso):
    """The switch is for one dimension of one repository."""
    set_approval(filled, "currency", EVERYTHING)
    set_approval(contoso, "account", EVERYTHING)
    editor(filled).create(account("3"))
    with pytest.raises(ApprovalRequired):
        editor(contoso).create(account("3"))


def test_the_switch_is_in_every_slot(filled):
    """It stays when slots advance; a new switch replaces it in all."""
    for switch in (EVERYTHING, DELETIONS, NOTHING, EVERYTHING):
        set_approval(filled, "account", switch)
        slots = Slot.objects.filter(repository=filled, dimension="account")
        assert {slot.approval for slot in slots} == {switch}
        assert slots.count() == 16
    editor(filled, APPROVED).create(account("3"))
    with pytest.raises(ApprovalRequired):
        editor(filled).create(account("4"))
    assert Repository.objects.get(pk=filled.pk).approval == {"account": "all"}


def test_the_command_sets_it_and_the_record_of_access_changes_says_so(filled):
    """For one dimension or all; what it cannot mean is refused."""
    call_command("set_approval", "northwind", "all", "deletions")
    call_command("set_approval", "northwind", "account", "all")
    assert Repository.objects.get().approval == {"account": "all", "currency": "deletions"}
    changes = [
        change.changes or {} for change in AccessChange.objects.filter(event="repository_changed").order_by("pk")
    ]
    both = {"account": "deletions", "currency": "deletions"}
    first = next(iter(changes[0]["approval"][1]))
    assert changes[0] == {"approval": [{}, {first: "deletions"}]}
    assert changes[1] == {"approval": [{first: "deletions"}, both]}
    assert changes[2] == {"approval": [both, {"account": "all", "currency": "deletions"}]}
    for wrong in (("nowhere", "account", "all"), ("northwind", "entity", "all"), ("northwind", "account", "some")):
        with pytest.raises(CommandError):
            call_command("set_approval", *wrong)


def test_a_switch_waits_for_what_is_placed_and_precedes_what_is_not(filled):
    """On PostgreSQL, a change set that is placed is committed before the switch; one that is not finds it thrown.

    On SQLite every transaction has the only lock, so there is nothing in between.
    """
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer")
    with writers(filled, 3) as (placed, waiting, switching):
        for writer, id in ((placed, "3"), (waiting, "4")):
            writer.begin()
            writer.save(id, mark="x")
        placed.place()
        thrown = switching._thread.submit(set_approval, filled, "account", EVERYTHING)
        with pytest.raises(TimeoutError):
            thrown.result(timeout=0.5)
        placed.commit()
        thrown.result(timeout=20)
        with pytest.raises(ApprovalRequired):
            waiting.commit()
    assert set(Account.objects.values_list("element_id", flat=True)) == {"1", "2", "3"}


def made_in(path: Path) -> Iterator[str]:
    """The places in a module where an `Approval` is made."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Approval":
            yield f"{path}"


def test_only_a_decided_plan_makes_an_approval():
    """Whatever else made one would be a way around it."""
    sources = [
        path for folder in ("account", "currency", "bulkops", "dimensions_site") for path in Path(folder).rglob("*.py")
    ]
    assert [place for path in sources for place in made_in(path)] == ["bulkops/plans/deciding.py"]
