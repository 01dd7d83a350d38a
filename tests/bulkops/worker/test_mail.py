"""Mail to those who decide on a plan, and to its author afterwards, through a mail server (contract O6)."""

import logging
import socket
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from django.contrib.auth.models import Group, User
from django.db import connection, transaction

from account.models import ACCOUNT
from bulkops.models import MailChoice, Plan, PlanNotice
from bulkops.plans.notices import MAX_RECIPIENTS
from bulkops.plans.planning import plan_of_patches
from bulkops.worker.mail import MAIL_ATTEMPTS, send_due_mail
from dimensions_site.repositories.dimensions import ALL
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from tests.bulkops.plans.deciding import DELETIONS, NOTHING, approved, decide, require_approval, somebody
from tests.bulkops.plans.plans import applied, make, one
from tests.bulkops.save.bulk import save
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import Person, account, add_person
from tests.mail_server import MailServer, mail_server, part
from tests.storing import place_change_sets

pytestmark = [pytest.mark.django_db, pytest.mark.contract("O6")]

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
NEW: dict[str, Any] = {"bulk": {"post": [account("4")]}}


@pytest.fixture
def server(settings):
    """The mail server that the service is set to use."""
    with mail_server() as running:
        settings.MAIL_SERVER = {"host": "127.0.0.1", "port": running.port}
        settings.DEFAULT_FROM_EMAIL = "dimensions@example.com"
        settings.SITE_ADDRESS = "https://dimensions.example.com"
        settings.EMAIL_TIMEOUT = 1
        yield running


def reachable(person: Person, **choice: str) -> Person:
    """The person with an address and, if given, a choice."""
    person.user.email = f"{person.user.username}@example.com"
    person.user.save()
    if choice:
        MailChoice.objects.update_or_create(user=person.user, defaults={"language": "en", **choice})
    return person


@pytest.fixture
def pia(northwind):
    """Proposer."""
    return reachable(add_person("pia", northwind, Role.PROPOSER))


@pytest.fixture
def ann(northwind):
    """Editor, signed in."""
    return reachable(somebody("ann", northwind, Role.EDITOR))


@pytest.fixture
def max(northwind):
    """Manager, signed in."""
    return reachable(somebody("max", northwind, Role.MANAGER))


@pytest.fixture
def stored(alice, northwind):
    """Accounts 1 to 3."""
    save(alice, "account", put=[account(id) for id in "123"])
    place_change_sets()
    return northwind


def send_now() -> None:
    """Send all mail as if its time had come."""
    PlanNotice.objects.filter(due_at__isnull=False).update(due_at=LONG_AGO)
    send_due_mail()


def in_threads(count: int) -> None:
    """Let that many workers send what is due, each with a connection of its own."""

    def work() -> None:
        try:
            send_due_mail()
        finally:
            connection.close()

    threads = [Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def recipients(server: MailServer) -> list[str]:
    return sorted(mail["To"] for mail in server.taken)


def test_who_may_decide_gets_mail_with_what_is_proposed(server, stored, pia, ann, max):
    """As text and HTML, with a link; neither readers, nor people of other repositories, nor the author."""
    reachable(add_person("rita", stored, Role.READER))
    other = Repository.objects.create(db_id="other", name="Other")
    reachable(add_person("otto", other, Role.MANAGER))
    plan = make(pia, "account", **NEW, reason="For the <audit> & us")
    send_now()

    assert recipients(server) == ["ann@example.com", "max@example.com"]
    mail = server.to("ann@example.com")[0]
    lead = "pia asks for your decision on a change proposal."
    address = f"https://dimensions.example.com/admin/bulkops/plan/{plan['planId']}/change/"
    assert mail["Subject"] == f"Northwind group, account: {lead}"
    assert (mail["From"], mail["Auto-Submitted"]) == ("dimensions@example.com", "auto-generated")
    for text in (lead, "northwind (Northwind group)", "For the <audit> & us", "To be created: 1", address):
        assert text in part(mail, "plain")
    html = part(mail, "html")
    assert "For the &lt;audit&gt; &amp; us" in html
    assert f'<a href="{address}">' in html
    assert pia.get(urlsplit(address).path).status_code == 302  # to the sign-in
    assert not PlanNotice.objects.exists()


def test_a_deletion_is_for_those_who_may_delete(server, stored, pia, ann, max):
    """Direct grants and those of groups count, each person once; not the inactive, nor superusers without a grant."""
    chiefs = Group.objects.create(name="chiefs")
    AccessGrant.objects.create(repository=stored, group=chiefs, dimension="account", role=Role.MANAGER)
    currencies = Group.objects.create(name="currencies")
    AccessGrant.objects.create(repository=stored, group=currencies, dimension="currency", role=Role.MANAGER)
    for name, groups in {"gil": [chiefs], "cur": [currencies], "max2": [chiefs], "gone": [chiefs]}.items():
        user = User.objects.create(username=name, email=f"{name}@example.com", is_active=name != "gone")
        user.groups.set(groups)
    max.user.groups.add(chiefs)
    AccessGrant.objects.create(
        repository=stored, user=User.objects.get(username="max2"), dimension=ALL, role=Role.READER
    )
    User.objects.create(username="root", email="root@example.com", is_superuser=True)
    User.objects.create(username="silent").groups.add(chiefs)

    make(pia, "account", snapshot=[account("1")], maxDelete=5)
    send_now()
    assert recipients(server) == ["gil@example.com", "max2@example.com", "max@example.com"]


@pytest.mark.parametrize(
    ("switch", "role", "body", "waits"),
    [
        (NOTHING, Role.EDITOR, NEW, False),
        (NOTHING, Role.PROPOSER, NEW, True),
        (DELETIONS, Role.MANAGER, NEW, False),
        (DELETIONS, Role.MANAGER, {"snapshot": [account("1")], "maxDelete": 5}, True),
        (NOTHING, Role.EDITOR, {"snapshot": [account("1")], "maxDelete": 5}, True),
        (NOTHING, Role.PROPOSER, {"bulk": {"put": [account("1")]}}, False),
        (NOTHING, Role.PROPOSER, {"snapshot": [account("1")], "maxDelete": 0}, False),
    ],
)
def test_only_plans_that_wait_for_somebody_else_are_mailed(server, stored, max, switch, role, body, waits):
    """Not those that their author may apply, nor those that change nothing or have errors."""
    require_approval(stored, switch)
    make(somebody("eve", stored, role), "account", **body)
    assert PlanNotice.objects.exists() is waits


def test_what_a_table_was_checked_for_is_not_proposed_yet(server, stored, pia, ann):
    """Each check of a table makes a plan, which may be thrown away."""
    patches = [msgspec.Raw(b'{"key": {"id": "1"}, "data": {"nature": "PROFIT_AND_LOSS"}}')]
    plan = plan_of_patches(ACCOUNT, stored, pia.user, patches, table_digest="digest")
    assert (plan.changed, PlanNotice.objects.count()) == (1, 0)


def test_without_a_mail_server_nothing_waits_to_be_sent(stored, pia, ann):
    plan = make(pia, "account", **NEW)
    decide(ann, "account", plan, "reject", "No.")
    assert not PlanNotice.objects.exists()


@pytest.mark.parametrize(("do", "outcome"), [("approve", "approved"), ("reject", "rejected")])
def test_the_author_gets_the_decision(server, stored, pia, ann, max, do, outcome):
    """With who decided, and their words; those who have not looked yet get no mail any more."""
    require_approval(stored)
    plan = make(pia, "account", **NEW)
    decide(ann, "account", plan, do, "See the <manual>.")
    send_now()

    assert recipients(server) == ["pia@example.com"]
    lead = f"ann has {outcome} your change proposal."
    assert server.taken[0]["Subject"] == f"Northwind group, account: {lead}"
    assert "Remark: See the <manual>." in part(server.taken[0], "plain")
    assert "See the &lt;manual&gt;." in part(server.taken[0], "html")


def test_an_approval_and_the_application_right_after_it_are_one_mail(server, stored, pia, ann):
    """Later it is another one; the application by the author themselves is none."""
    require_approval(stored)
    at_once = approved(ann, "account", make(pia, "account", **NEW))
    applied(ann, "account", at_once)
    send_now()
    [mail] = server.to("pia@example.com")
    assert "ann has applied your change proposal." in mail["Subject"]
    assert "Approved by: ann" in part(mail, "plain")

    later = approved(ann, "account", make(pia, "account", bulk={"post": [account("5")]}))
    send_now()
    applied(ann, "account", later)
    send_now()
    assert ["approved" in mail["Subject"] for mail in server.to("pia@example.com")] == [False, True, False]

    eve = reachable(somebody("eve", stored, Role.EDITOR))
    own = approved(ann, "account", make(eve, "account", bulk={"post": [account("6")]}))
    send_now()
    applied(eve, "account", own)
    send_now()
    assert ["approved" in mail["Subject"] for mail in server.to("eve@example.com")] == [True]


def test_each_person_chooses_at_once_daily_or_never(server, settings, stored, pia, ann, max):
    """The daily mail is one, at the hour of the setting, with all plans that still wait then."""
    settings.MAIL_DAILY_HOUR = 6
    reachable(ann, frequency="DAILY")
    reachable(max, frequency="NONE")
    eve = reachable(somebody("eve", stored, Role.EDITOR))
    plans = [make(pia, "account", bulk={"post": [account(id)]}) for id in "456"]

    assert set(PlanNotice.objects.values_list("user__username", flat=True)) == {"ann", "eve"}
    for due in PlanNotice.objects.filter(user=ann.user).values_list("due_at", flat=True):
        assert due is not None
        assert (due.hour, due.minute) == (6, 0)
        assert timedelta(0) < due - datetime.now(UTC) <= timedelta(days=1)
    PlanNotice.objects.filter(user=eve.user).update(due_at=LONG_AGO)
    send_due_mail()
    assert set(recipients(server)) == {"eve@example.com"}

    assert pia.delete(one(pia, "account", plans[0])).status_code == 204
    send_now()
    [mail] = server.to("ann@example.com")
    assert mail["Subject"] == "2 change proposals"
    assert [plan["planId"] in part(mail, "plain") for plan in plans] == [False, True, True]


def test_a_choice_counts_for_what_waits_already(server, stored, pia, ann, max):
    make(pia, "account", **NEW)
    reachable(ann, frequency="NONE")
    max.user.access_grants.all().delete()
    send_now()
    assert server.taken == []
    assert not PlanNotice.objects.exists()


@pytest.mark.parametrize(
    ("language", "asks", "reason"),
    [
        ("en", "pia asks for your decision on a change proposal.", "- Reason: none given"),
        ("de", "pia bittet Sie um eine Entscheidung über einen Änderungsvorschlag.", "- Grund: keiner angegeben"),
        ("fr", "pia vous demande de décider d’une proposition de modification.", "- Motif\xa0: non indiqué"),
        ("it", "pia chiede la sua decisione su una proposta di modifica.", "- Motivo: non indicato"),
        ("es", "pia le pide que decida sobre una propuesta de cambios.", "- Motivo: no indicado"),
    ],
)
def test_mail_is_in_the_language_of_who_gets_it(server, stored, pia, ann, language, asks, reason):
    reachable(ann, language=language)
    make(pia, "account", **NEW)
    send_now()
    [mail] = server.taken
    assert asks in mail["Subject"]
    assert asks in part(mail, "plain")
    assert reason in part(mail, "plain")
    assert f'<html lang="{language}">' in part(mail, "html")


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_is_not_mailed(server, stored, pia, ann):
    """And nothing is sent before the commit: a worker does not see it."""
    with transaction.atomic():
        make(pia, "account", **NEW)
        PlanNotice.objects.update(due_at=LONG_AGO)
        in_threads(1)
        transaction.set_rollback(True)
    assert (server.taken, Plan.objects.count(), PlanNotice.objects.count()) == ([], 0, 0)

    with transaction.atomic():
        make(pia, "account", **NEW)
        PlanNotice.objects.update(due_at=LONG_AGO)
    in_threads(1)
    assert recipients(server) == ["ann@example.com"]


@pytest.mark.parametrize("how", ["refuses", "hangs", "gone"])
def test_a_mail_server_that_fails_is_tried_a_few_times_with_growing_pauses(
    server, settings, caplog, stored, pia, ann, how
):
    """The plan's page shows it, the log has neither address nor password, and the plan is decided on all the same."""
    server.answer = how
    settings.MAIL_SERVER |= {"username": "mailer", "password": "hush-hush"}
    if how == "gone":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            settings.MAIL_SERVER["port"] = free.getsockname()[1]
    plan = make(pia, "account", **NEW)
    pauses = []
    with caplog.at_level(logging.INFO):
        for _ in range(MAIL_ATTEMPTS + 3):
            send_now()
            notice = PlanNotice.objects.get()
            if notice.due_at:
                pauses.append(round((notice.due_at - datetime.now(UTC)).total_seconds() / 60))

    assert pauses == [2, 4, 8, 16]
    assert (notice.attempts, notice.due_at) == (MAIL_ATTEMPTS, None)
    assert how == "gone" or server.tried == MAIL_ATTEMPTS
    assert caplog.text.count("mail_not_sent") == MAIL_ATTEMPTS
    assert "hush" not in caplog.text
    assert "@example.com" not in caplog.text
    shown = browser_of(ann).get(page(Plan, "change", plan["planId"])).content.decode()
    assert "Mail about this proposal could not be sent to: ann" in shown
    approved(ann, "account", plan)


def test_a_mail_server_that_comes_back_gets_all_of_it(server, stored, pia, ann, max):
    server.answer = "refuses"
    make(pia, "account", **NEW)
    send_now()
    assert PlanNotice.objects.filter(failed_at__isnull=False).count() == 2
    server.answer = "takes"
    make(pia, "account", bulk={"post": [account("5")]})
    send_now()
    assert set(recipients(server)) == {"ann@example.com", "max@example.com"}
    assert not PlanNotice.objects.exists()


def test_an_address_that_is_none_fails_alone(server, stored, pia, ann, max):
    """It cannot add a header or a recipient either."""
    User.objects.filter(pk=ann.user.pk).update(email="ann@example.com\nBcc: spy@example.com")
    make(pia, "account", **NEW)
    send_now()
    assert recipients(server) == ["max@example.com"]
    assert PlanNotice.objects.get().failed_at is not None


def test_names_and_reasons_add_no_headers(server, stored, ann):
    """A line break in the name of a repository becomes a blank."""
    Repository.objects.filter(pk=stored.pk).update(name="North\r\nBcc: spy@example.com\r\n\r\nwind")
    make(add_person("pia", stored, Role.PROPOSER), "account", **NEW, reason="Why: not?")
    send_now()
    [mail] = server.taken
    assert mail["Bcc"] is None
    assert mail["Subject"].startswith("North Bcc: spy@example.com wind, account: pia asks")


def test_at_most_a_hundred_people_get_mail_about_a_plan(server, caplog, stored, pia):
    users = User.objects.bulk_create(
        User(username=f"ed{number:03}", email=f"ed{number:03}@example.com") for number in range(MAX_RECIPIENTS + 5)
    )
    AccessGrant.objects.bulk_create(
        AccessGrant(repository=stored, user=user, dimension=ALL, role=Role.EDITOR) for user in users
    )
    make(pia, "account", **NEW)
    send_now()
    assert len(set(recipients(server))) == len(server.taken) == MAX_RECIPIENTS == 100
    assert "mail_recipients_limited" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_two_workers_send_each_mail_once(server, stored, pia, ann, max):
    """A claimed mail is not due for another worker."""
    for id in "456789":
        make(pia, "account", bulk={"post": [account(id)]})
    PlanNotice.objects.update(due_at=LONG_AGO)
    in_threads(4)
    shown = [line for mail in server.to("ann@example.com") for line in part(mail, "plain").splitlines()]
    assert len([line for line in shown if "/admin/bulkops/plan/" in line]) == 6
    assert not PlanNotice.objects.exists()
