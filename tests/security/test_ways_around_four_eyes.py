"""What somebody tries who wants a change in the chart that no second person has approved (contract O2, O3).

Each is one attempt. It may be refused or come to nothing; afterwards the chart and its history are as before.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone
from oauth2_provider.models import AccessToken

from account.models import Account, AccountVersion
from bulkops.models import DataProcessing, FileImport, Plan
from bulkops.plans.planning import plan_without
from dimensions_site.changes.models import ChangeSet
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from dimensions_site.tokens.models import Application
from tests.bulkops.jobs.deletions import start, status_of, work_now
from tests.bulkops.plans.deciding import NOTHING, approved, decide, refusal, require_approval, signed_in, somebody
from tests.bulkops.plans.plans import apply, make, one
from tests.dimensions_site.administration.files.imports import HEADINGS, at, checked
from tests.dimensions_site.administration.site.people import browser_of, page, superuser
from tests.factories import Person, account, add_person
from tests.storing import store_accounts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("O2", "O3")]

NEW: dict[str, Any] = {"bulk": {"post": [account("9")]}}
LINE = "{},{},BALANCE_SHEET,NORMAL,FINAL\n"


@dataclass
class Office:
    """Pia proposes, Ann is an editor, Max a manager; all changes of the accounts 1 to 3 need an approval."""

    repository: Repository
    pia: Person
    ann: Person
    max: Person

    def plan(self, **source: Any) -> dict[str, Any]:
        body: Any = source or NEW
        return make(self.pia, "account", **body)

    def row(self, plan: dict[str, Any]) -> Plan:
        return Plan.objects.get(pk=plan["planId"])

    def send(self, method: str, path: str, body: Any, **headers: str) -> tuple[int, str]:
        return refusal(self.max.send(method, self.max.account(path), body, **headers))

    def free(self) -> None:
        require_approval(self.repository, NOTHING)

    def bind(self) -> None:
        require_approval(self.repository)


@pytest.fixture
def office(northwind: Repository) -> Office:
    store_accounts(northwind, account("1"), account("2"), account("3"))
    pia = add_person("pia", northwind, Role.PROPOSER)
    made = Office(northwind, pia, somebody("ann", northwind, Role.EDITOR), somebody("max", northwind, Role.MANAGER))
    made.bind()
    return made


Attempt = Callable[[Office, Any], None]
ATTEMPTS: dict[str, Attempt] = {}
REQUIRED = (403, "APPROVAL_REQUIRED")


def attempt(act: Attempt) -> Attempt:
    """List the function as an attempt."""
    ATTEMPTS[act.__name__.replace("_", " ")] = act
    return act


# --- Approving oneself -------------------------------------------------------------------------


@attempt
def a_plan_made_with_a_key_and_approved_with_the_password(office: Office, _: Any) -> None:
    AccessGrant.objects.filter(user=office.pia.user).update(role=Role.MANAGER)
    assert refusal(decide(signed_in(office.pia), "account", office.plan())) == (403, "OWN_PLAN")


@attempt
def a_role_that_was_raised_after_the_proposal(office: Office, _: Any) -> None:
    plan = office.plan()
    AccessGrant.objects.filter(user=office.pia.user).update(role=Role.EDITOR)
    pia = signed_in(office.pia)
    assert refusal(decide(pia, "account", plan)) == (403, "OWN_PLAN")
    assert refusal(apply(pia, "account", plan)) == REQUIRED


@attempt
def a_superuser_who_approves_their_own(office: Office, _: Any) -> None:
    User.objects.filter(pk=office.pia.user.pk).update(is_superuser=True)
    assert refusal(decide(signed_in(office.pia), "account", office.plan())) == (403, "OWN_PLAN")


@attempt
def a_token_whose_scope_only_proposes(office: Office, _: Any) -> None:
    application = Application.objects.create(
        name="App", authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE, redirect_uris="https://a.example/"
    )
    later = timezone.now() + timedelta(hours=1)
    AccessToken.objects.create(
        application=application, user=office.max.user, token="person", expires=later, scope="propose"
    )
    program = Person(headers={"Authorization": "Bearer person"})
    assert refusal(decide(program, "account", office.plan())) == (403, "CREDENTIAL_TOO_NARROW")


@attempt
def a_plan_that_says_it_is_approved(office: Office, _: Any) -> None:
    for member in ("status", "decidedBy", "approval", "createdBy"):
        sent = office.pia.send("POST", office.pia.account("elements-plans"), {**NEW, member: "APPROVED"})
        assert refusal(sent) == (400, "UNKNOWN_MEMBER")


@attempt
def a_plan_that_is_changed_after_its_approval(office: Office, _: Any) -> None:
    plan = approved(office.ann, "account", office.plan())
    for method in ("PUT", "PATCH"):
        answer = office.max.send(method, one(office.max, "account", plan), {"status": "APPROVED"})
        assert refusal(answer) == (405, "METHOD_NOT_ALLOWED")


@attempt
def a_plan_under_another_dimension(office: Office, _: Any) -> None:
    plan = office.plan()
    answer = office.ann.send("POST", one(office.ann, "currency", plan, "/approve"), {}, if_match='"x"')
    assert refusal(answer) == (404, "PLAN_NOT_FOUND")


# --- Applying something else than was approved -------------------------------------------------


@attempt
def a_part_of_an_approved_plan(office: Office, _: Any) -> None:
    plan = approved(office.ann, "account", office.plan(bulk={"post": [account("8"), account("9")]}))
    part = plan_without(office.row(plan), office.max.user, ["8"])
    assert (part.status, part.decided_by) == ("READY", None)
    assert refusal(apply(office.max, "account", {"planId": str(part.pk)})) == REQUIRED
    assert refusal(decide(office.max, "account", {"planId": str(part.pk)})) == (403, "OWN_PLAN")


@attempt
def an_approved_plan_made_again_from_its_source(office: Office, _: Any) -> None:
    office.free()
    change = office.max.send("PATCH", office.max.account("elements/1"), {"documentationLink": "x"})
    assert change.status_code == 200
    office.max.send("PATCH", office.max.account("elements/1"), {"documentationLink": None})
    office.bind()
    undo = str(ChangeSet.objects.latest("committed_at").pk)
    approved(office.ann, "account", plan := office.plan(undo=undo))
    compare_from_now()
    browser = browser_of(office.max)
    browser.post(page(Plan, "again", plan["planId"]))
    made = Plan.objects.latest("created_at")
    assert refusal(apply(office.max, "account", {"planId": str(made.pk)})) == REQUIRED


@attempt
def an_approved_plan_for_another_reason(office: Office, _: Any) -> None:
    plan = approved(office.ann, "account", make(office.pia, "account", **NEW, reason="Audit"))
    answer = apply(office.max, "account", plan, change_reason="Whim")
    assert refusal(answer) == (400, "INVALID_VALUE")


@attempt
def an_approved_plan_that_was_deleted(office: Office, _: Any) -> None:
    plan = approved(office.ann, "account", office.plan())
    path, etag = one(office.max, "account", plan, "/apply"), office.max.get(one(office.max, "account", plan))["ETag"]
    assert office.pia.delete(one(office.pia, "account", plan)).status_code == 204
    assert refusal(office.max.send("POST", path, "", if_match=etag)) == (404, "PLAN_NOT_FOUND")


@attempt
def an_approval_for_a_switch_that_was_off_meanwhile(office: Office, _: Any) -> None:
    plan = office.plan()
    office.free()
    office.bind()
    assert refusal(apply(office.max, "account", plan)) == REQUIRED


# --- Writing directly --------------------------------------------------------------------------


@attempt
def the_other_prefix(office: Office, _: Any) -> None:
    path = office.max.account().replace("/dimensions/", "/api/aih/dimensions/", 1)
    other = path if path.startswith("/api") and "/api/aih/api" not in path else office.max.account()
    assert refusal(office.max.send("POST", other, account("9"))) == REQUIRED


@attempt
def another_method_in_a_header(office: Office, _: Any) -> None:
    path = office.max.account("elements/1")
    for header in ("x-http-method-override", "x-http-method", "x-method-override"):
        office.max.get(path, headers={header: "PATCH"})


@attempt
def a_table_or_lines_as_the_body(office: Office, _: Any) -> None:
    for kind, body in {"text/csv": "id,type\n1,NORMAL\n", "application/x-ndjson": '{"id": "1"}\n'}.items():
        answer = office.max.generic("POST", office.max.account("elements-bulk?mode=merge"), body, content_type=kind)
        assert refusal(answer) == REQUIRED


@attempt
def a_repeated_call_whose_first_was_answered_before(office: Office, _: Any) -> None:
    office.free()
    headers = {"idempotency_key": "again"}
    sent = office.max.send("POST", office.max.account(), account("9"), **headers)
    assert sent.status_code == 201
    office.bind()
    compare_from_now()
    office.max.send("POST", office.max.account(), account("9"), **headers)


@attempt
def a_deletion_that_was_requested_before(office: Office, settings: Any) -> None:
    settings.DELETION_CHUNK_SIZE = 1
    office.free()
    oid = start(office.max, ["1", "2"])
    office.bind()
    work_now()
    status = status_of(office.max, oid)
    assert (status["status"], status["deleted"]) == ("FAILED", 0)
    assert "approval of a second person" in str(DataProcessing.objects.get().error)


@attempt
def an_import_that_was_checked_before(office: Office, _: Any) -> None:
    office.free()
    browser = browser_of(office.max)
    file_import = checked(browser, office.repository, HEADINGS + LINE.format("9", "Nine"))
    office.bind()
    browser.post(at(file_import, "confirm"), {})
    work_now()
    # It became a plan, which waits for somebody else.
    found = FileImport.objects.get()
    assert (found.options["proposes"], Plan.objects.get(pk=found.oid).status) == (True, "READY")


@attempt
def an_import_that_was_confirmed_before(office: Office, _: Any) -> None:
    office.free()
    browser = browser_of(office.max)
    file_import = checked(browser, office.repository, HEADINGS + LINE.format("9", "Nine"))
    browser.post(at(file_import, "confirm"), {})
    office.bind()
    work_now()
    found = FileImport.objects.get()
    assert found.status == "CHECKED"
    assert "approval of a second person" in str(found.report)


@attempt
def a_copy_over_the_repository(office: Office, _: Any) -> None:
    Repository.objects.create(db_id="source", name="Source")
    with pytest.raises(CommandError):
        call_command("copy_repository", "source", "northwind")


@attempt
def a_restored_version(office: Office, _: Any) -> None:
    office.free()
    office.max.send("PATCH", office.max.account("elements/1"), {"documentationLink": "x"})
    office.bind()
    compare_from_now()
    version = AccountVersion.objects.filter(element_id="1").earliest("number")
    answer = superuser().post(page(Account, "restore", version.pk), {})
    assert answer.status_code == 302


@attempt
def the_switch_on_a_form(office: Office, _: Any) -> None:
    browser = superuser()
    address = page(Repository, "change", office.repository.pk)
    fields = {"name": "Northwind", "default_language": "en", "api_enabled": "on", "approval": "{}"}
    browser.post(address, {**fields, "grants-TOTAL_FORMS": 0, "grants-INITIAL_FORMS": 0})
    assert Repository.objects.get(pk=office.repository.pk).approval["account"] == "all"
    assert office.send("POST", "elements", account("9")) == REQUIRED


@attempt
def a_column_that_was_changed_beside_the_switch(office: Office, _: Any) -> None:
    """Somebody empties the copy in the repository: people are no longer refused early, and the commit refuses them."""
    Repository.objects.filter(pk=office.repository.pk).update(approval={})
    assert office.send("POST", "elements", account("9")) == REQUIRED
    assert office.send("PATCH", "elements/1", {"documentationLink": "x"}) == REQUIRED
    assert office.send("POST", "elements-bulk", {"post": [account("9")]}) == REQUIRED


_baseline: list[list[Any]] = []


def state() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in (Account, AccountVersion, ChangeSet)]


def compare_from_now() -> None:
    """Compare with the state of now: what came before was permitted."""
    _baseline[:] = state()


@pytest.mark.parametrize("name", ATTEMPTS)
def test_an_attempt_leaves_the_chart_as_it_was(office: Office, settings: Any, name: str) -> None:
    """Its elements, their versions and their change sets."""
    compare_from_now()
    ATTEMPTS[name](office, settings)
    work_now()
    assert state() == _baseline


def test_there_are_many() -> None:
    """A list that shrinks would hide what is no longer tried."""
    assert len(ATTEMPTS) >= 23
