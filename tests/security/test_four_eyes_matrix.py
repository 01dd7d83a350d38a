"""Every way of writing, by everybody, under every switch of approval: no change goes around a second person.

The ways are found in the code: the routes of REST with unsafe methods, the pages and actions of the administration, and
the commands. Each is one that writes elements or one that does not; a new one fails here until it is listed.
"""

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.core.management import CommandError, call_command, get_commands
from django.db import transaction
from django.test import Client

from account.models import Account, AccountVersion
from bulkops.jobs import file_imports
from bulkops.models import DataProcessing, FileImport, Plan, PlanStatus, new_oid
from bulkops.plans import deciding
from currency.models import Currency, CurrencyVersion
from dimensions_site.administration.elements import deleting, editing, history
from dimensions_site.administration.files import wizard
from dimensions_site.administration.table import page as table
from dimensions_site.changes.models import ChangeSet
from dimensions_site.elements.rest import dimension as rest
from dimensions_site.repositories.models import Repository, Role
from tests.bulkops.plans.deciding import DELETIONS, EVERYTHING, NOTHING, require_approval
from tests.bulkops.plans.plans import apply, make
from tests.dimensions_site.administration.site.people import page
from tests.dimensions_site.administration.table.grids import checked, send
from tests.dimensions_site.api.test_methods import PERMITTED
from tests.dimensions_site.changes.test_change_sets_of_every_write import WAYS as DIRECT
from tests.dimensions_site.changes.test_change_sets_of_every_write import World, done, prepare
from tests.factories import account, add_person, content, currency, json_bytes
from tests.lengths import IS_LONG
from tests.routes import api_routes
from tests.security.test_access_matrix import MODES
from tests.storing import store_accounts, store_currencies

pytestmark = [pytest.mark.contract("O2", "O1")]

# What people read who are refused.
NEEDS = "approval of a second person"
SWITCHES = [NOTHING, DELETIONS, EVERYTHING]
UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
WRITTEN = (Account, AccountVersion, Currency, CurrencyVersion, ChangeSet)

# --- REST --------------------------------------------------------------------------------------

# The calls that write elements, the smallest role for them, and whether they delete.
REST_WRITES = {
    ("elements", "POST"): (Role.EDITOR, False),
    ("element", "PUT"): (Role.EDITOR, False),
    ("element", "PATCH"): (Role.EDITOR, False),
    ("elements-bulk", "POST"): (Role.EDITOR, False),
    ("elements-bulk-minimal", "POST"): (Role.EDITOR, False),
    ("plan-apply", "POST"): (Role.MANAGER, True),  # of a plan that deletes
    ("deletions", "POST"): (Role.MANAGER, True),
    ("deletions-other-spelling", "POST"): (Role.MANAGER, True),
}
# Those that write none.
REST_OTHERS = {
    ("plans", "POST"),
    ("plan", "DELETE"),
    ("plan-approve", "POST"),
    ("plan-reject", "POST"),
    ("deletion", "DELETE"),  # stops it
    ("deletion-other-spelling", "DELETE"),
}
PLANS = {"account": new_oid(), "currency": new_oid()}
PEOPLE = {"reader": Role.READER, "proposer": Role.PROPOSER, "editor": Role.EDITOR, "manager": Role.MANAGER}


def test_every_unsafe_route_is_listed():
    """A new route is one that writes elements, or one that does not."""
    found = {(route.name, method) for route in api_routes() for method in PERMITTED[route.name] & UNSAFE}
    assert found == REST_WRITES.keys() | REST_OTHERS


def state() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in WRITTEN]


def body(name: str, dimension: str) -> Any:
    new = (account if dimension == "account" else currency)("NEW")
    bodies = {
        "elements": new,
        "element": {**new, "id": "NW"},
        "elements-bulk": {"post": [new]},
        "elements-bulk-minimal": {"post": [new]},
        "plan-apply": {},
    }
    return bodies.get(name, [{"id": "NW"}])


@pytest.mark.django_db
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("switch", SWITCHES)
def test_no_credential_of_anybody_writes_over_rest(northwind: Repository, switch, mode, record_property):
    """Each call is refused by the role first, then by the switch; what the switch lets pass is done.

    How a client authenticates is no matter of the operation: in the short form the modes share the calls of each user.
    """
    store_accounts(northwind, account("NW"))
    store_currencies(northwind, currency("NW"))
    for dimension, id in PLANS.items():
        known = {"id": id, "repository": northwind, "dimension": dimension, "source": {}, "errors": []}
        Plan.objects.create(**known, requester="pia", status=PlanStatus.READY, deleted=1)
    require_approval(northwind, switch)
    users = {name: add_person(name, northwind, role).user for name, role in PEOPLE.items()}
    users["superuser"] = User.objects.create_superuser("superuser", password="superuser-password")
    before, cells = state(), 0
    calls = [(route, method) for route in api_routes() for method in sorted(UNSAFE & PERMITTED[route.name])]
    writes = [(route, method) for route, method in calls if (route.name, method) in REST_WRITES]
    for turn, (name, user) in enumerate(users.items(), start=list(MODES).index(mode)):
        client = Client(headers={"Authorization": MODES[mode].right(user)})
        for route, method in writes if IS_LONG else writes[turn % len(MODES) :: len(MODES)]:
            role, deletes = REST_WRITES[route.name, method]
            dimension = route.namespace.partition("-")[0]
            path = route.path("northwind", id="NW", plan_id=PLANS[dimension])
            sent = json_bytes({"descriptions": {"en": "x"}} if method == "PATCH" else body(route.name, dimension))
            headers: dict[str, str] = {}
            if route.name == "plan-apply":
                sent, headers = b"", {"if-match": client.get(path.removesuffix("/apply"))["ETag"]}
            with transaction.atomic():
                answer = client.generic(method, path, sent, content_type="application/json", headers=headers)
                text = content(answer).decode()
                transaction.set_rollback(True)
            cell = (str(route), method, name, answer.status_code, text[:300])
            code = json.loads(text).get("code") if answer.status_code >= 400 else None
            if PEOPLE.get(name, Role.MANAGER) < role:
                assert (answer.status_code, code) == (403, "ROLE_TOO_SMALL"), cell
            elif switch.requires(deletes=deletes):
                assert (answer.status_code, code) == (403, "APPROVAL_REQUIRED"), cell
                assert "elements-plans" in text, cell
            else:
                assert answer.status_code < 300, cell
            cells += 1
    assert state() == before
    record_property("access_cells", cells)


# --- All ways, up to their commits -------------------------------------------------------------


def save_table(world: World) -> Any:
    browser = world.browser
    return send(browser, checked(browser, {"1": {"type": "Detail"}}), "save", _reason=world.reason)


def planned(world: World, apply_it: Callable[[World, dict[str, Any]], Any]) -> Any:
    plan = make(world.alice, "account", bulk={"post": [account("3")]})
    return apply_it(world, plan)


def page_of_plan(world: World, plan: dict[str, Any]) -> Any:
    found = Plan.objects.get(pk=plan["planId"])
    etag = world.browser.get(page(Plan, "change", found.pk)).context["etag"]
    return world.post(page(Plan, "apply", found.pk), {"etag": etag})


def applying_command(world: World, plan: dict[str, Any]) -> None:
    call_command("apply_plan", "northwind", plan["planId"])


# Further ways to those that leave change sets: the write, and what it creates, changes and deletes.
WAYS: dict[str, tuple[Callable[[World], Any], list[tuple[int, int, int]]]] = {
    **{name: (write, counts) for name, (write, _channel, counts) in DIRECT.items()},
    "plan over REST": (lambda world: planned(world, lambda w, plan: apply(w.alice, "account", plan)), [(1, 0, 0)]),
    "table": (save_table, [(0, 1, 0)]),
    "plan on its page": (lambda world: planned(world, page_of_plan), [(1, 0, 0)]),
    "plan by command": (lambda world: planned(world, applying_command), [(1, 0, 0)]),
    "sample data": (lambda world: call_command("fill_repository", "northwind"), [(1, 0, 0)]),
    "import of currencies by command": (
        lambda world: call_command("import_currencies", "northwind", str(world.folder / "currencies.csv")),
        [(1, 0, 0)],
    ),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", WAYS)
def test_no_way_of_writing_is_exempt(alice, northwind, tmp_path, settings, monkeypatch, way, record_property):
    """Not for a manager, not for a superuser, and not if nobody is refused early: then the commit refuses.

    It does so in words, never with a 500, and nothing is stored. What the switch lets pass is done.
    """
    write, counts = WAYS[way]
    store_accounts(northwind, account("1"), account("2"))
    (tmp_path / "currencies.csv").write_text("id,descriptions.en,decimalNumbers,percentageDifference\nEUR,Euro,2,0\n")
    world = World(alice, northwind, tmp_path)
    prepare(world, settings, way)
    deletes = any(deleted for *_, deleted in counts)
    cells = 0
    for switch in [EVERYTHING, DELETIONS]:
        require_approval(northwind, switch)
        for is_superuser, is_early in [(False, True), (True, False)]:
            if not switch.requires(deletes=deletes):
                continue
            User.objects.filter(pk=alice.user.pk).update(is_superuser=is_superuser)
            before = state()
            with monkeypatch.context() as patch:
                if not is_early:
                    switch_off_early_checks(patch)
                refused(world, write, is_write=bool(counts))
            assert state() == before, (switch, is_superuser, is_early)
            cells += 1
    require_approval(northwind, NOTHING if deletes else DELETIONS)
    before = state()
    answer, text = done(world, write)
    assert answer is None or answer.status_code < 400 or way.startswith("refused"), text
    assert (state() != before) == bool(counts)
    record_property("access_cells", cells + 1)


def refused(world: World, write: Callable[[World], Any], *, is_write: bool) -> None:
    """Write, which must be refused in a way that the client understands, at once or in the status of its job."""
    failure = ""
    try:
        answer, text = done(world, write)
    except CommandError as error:
        failure = str(error)
    if failure:
        assert NEEDS in failure
        return
    assert answer is not None, "the command did not fail"
    if is_proposed(answer):
        return
    assert answer.status_code in (200, 202, 302, 403) or not is_write, text
    if answer.headers["Content-Type"] == "application/problem+json":
        assert answer.json()["code"] == "APPROVAL_REQUIRED" or not is_write, text
    elif is_write:
        jobs = [*DataProcessing.objects.order_by("pk"), *FileImport.objects.order_by("created_at")]
        said = [text, *(f"{job.error} {getattr(job, 'report', '')}" for job in jobs), *messages_left(answer)]
        assert any(NEEDS in one for one in said), said


def is_proposed(answer: Any) -> bool:
    """Whether the page has made a plan instead, or had a worker make it (contract O4)."""
    imports = FileImport.objects.filter(options__proposes=True).values_list("oid", flat=True)
    became_plan = Plan.objects.filter(pk__in=list(imports), status=PlanStatus.READY).exists()
    return became_plan or answer.headers.get("Location", "").startswith(page(Plan))


def messages_left(answer: Any) -> list[str]:
    """The messages that the next page will show."""
    return [str(message) for message in get_messages(answer.wsgi_request)]


def switch_off_early_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave it to the commit to refuse."""
    for module in (file_imports, deciding, rest):
        monkeypatch.setattr(module, "refuse_unapproved", lambda *_arguments, **_named: None)
    for module in (deleting, editing, history, table, wizard):
        monkeypatch.setattr(module, "proposes", lambda *_arguments, **_named: False)


# --- The administration and the commands -------------------------------------------------------

# Pages and actions that write elements, or have a worker do it.
ADMIN_WRITES = {
    *((dimension, name) for dimension in ("account", "currency") for name in ("add", "change", "delete", "restore")),
    *((dimension, "delete_elements") for dimension in ("account", "currency")),
    *((dimension, "table") for dimension in ("account", "currency")),  # applies the plan of the table
    ("plan", "apply"),
    ("plan", "decide"),  # may also apply it
    ("fileimport", "confirm"),
}
# Those that write none: they show something, or make, change or delete plans, views, files and jobs.
ADMIN_OTHERS = {
    *product(
        ("account", "currency"),
        (
            *("change_elements", "columns", "compare_plan", "condition", "edit_elements", "export_elements"),
            *("history", "pick", "replace_text", "save_view", "uses", "view", "views"),
            "changelist",  # its actions are in these lists by their names
        ),
    ),
    *product(("changeset", "dataprocessing", "fileimport"), ("undo",)),
    ("dataprocessing", "abort"),
    *product(("fileimport",), ("columns", "correct", "drop", "read")),
    *product(("plan",), ("again", "remove", "without")),
}
COMMANDS_THAT_WRITE = {"apply_plan", "fill_repository", "import_accounts", "import_currencies"}
COMMANDS_THAT_DO_NOT = {
    *("export_accounts", "export_currencies", "plan_accounts", "plan_currencies", "clean_old_history", "set_approval"),
    *("backup_sqlite", "create_api_key", "create_repository", "create_user", "grant_access", "unlock_logins"),
    *("end_tokens", "qcluster", "distribute", "verify_repositories"),
    *("copy_repository", "run_demo"),  # into a new repository, which has no switch yet
}


def test_every_command_is_listed():
    """Those that the service defines itself."""
    own = {name for name, app in get_commands().items() if app.startswith(("account", "currency", "bulkops", "dim"))}
    assert own == COMMANDS_THAT_WRITE | COMMANDS_THAT_DO_NOT
    assert not COMMANDS_THAT_WRITE & COMMANDS_THAT_DO_NOT


def test_every_page_that_takes_a_form_is_listed():
    """Of the models whose pages are about elements: a new page is one that writes elements, or one that does not."""
    found: set[tuple[str, str]] = set()
    for model, pages in admin.site._registry.items():
        name = model._meta.model_name or ""
        found |= {(name, one.name) for one in getattr(pages, "pages", ()) if getattr(one, "method", None) != "GET"}
        if name in ("account", "currency"):
            found |= {(name, action.__name__) for action in pages.actions or () if callable(action)}
            found.add((name, "delete"))
    assert found == ADMIN_WRITES | ADMIN_OTHERS
    assert not ADMIN_WRITES & ADMIN_OTHERS
