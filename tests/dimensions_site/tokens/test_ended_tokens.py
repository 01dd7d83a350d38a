"""All tokens of a user are ended for good: when the user is deactivated, and when an operator ends them."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from dimensions_site.tokens.ending import end_tokens, locked_user
from dimensions_site.tokens.models import TokenGeneration
from tests.beside import beside
from tests.dimensions_site.administration.site.people import messages_of, page, superuser
from tests.dimensions_site.observability.lines import line, lines
from tests.dimensions_site.tokens import consenting
from tests.dimensions_site.tokens.clients import (
    access_token,
    ask,
    log_in,
    renew,
    service,
    status_of,
    tokens_of,
    with_token,
)
from tests.factories import Person

pytestmark = [pytest.mark.contract("G1"), pytest.mark.django_db]


class Holdings:
    """Everything that programs hold for a user: a login, a token of a service, tokens of a consent, and a code."""

    def __init__(self, user: User) -> None:
        browser = consenting.signed_in(user)
        self.login = tokens_of(user.get_username())
        self.warehouse = service(user)
        self.of_warehouse = access_token(self.warehouse)
        self.planning, self.of_planning = consenting.allowed(browser)
        sent_back = consenting.answer_page(browser, consenting.question(self.planning))
        self.code = consenting.redirect_parameters(sent_back)["code"]

    def good(self) -> dict[str, bool]:
        """Which of them are accepted; that uses up the code and the refresh tokens."""
        return {
            "access of the login": status_of(self.login["access"]) == 200,
            "refresh of the login": renew(self.login["refresh"]).status_code == 200,
            "token of the service": status_of(self.of_warehouse) == 200,
            "access of the consent": status_of(self.of_planning["access_token"]) == 200,
            "refresh of the consent": consenting.renewed(
                self.planning, self.of_planning["refresh_token"]
            ).status_code == 200,
            "code": consenting.redeem(self.planning, self.code).status_code == 200,
        }  # fmt: skip


def test_what_a_user_holds_is_good_until_it_is_ended(alice: Person, ed: Person) -> None:
    """What is ended for one user stays valid for all others, and later tokens are valid."""
    of_alice, of_ed = Holdings(alice.user), Holdings(ed.user)
    end_tokens(alice.user)
    assert set(of_alice.good().values()) == {False}
    assert set(of_ed.good().values()) == {True}
    assert set(Holdings(alice.user).good().values()) == {True}


def by_saving(user: User, is_active: bool) -> None:
    user.is_active = is_active
    user.save()


def by_saving_one_field(user: User, is_active: bool) -> None:
    user.is_active = is_active
    user.save(update_fields=["is_active"])


def on_the_page(user: User, is_active: bool) -> None:
    boss, _ = User.objects.get_or_create(username="root", is_staff=True, is_superuser=True)
    root = Client()
    root.force_login(boss)
    form = root.get(page(User, "change", user.pk)).context["adminform"].form
    fields = {name: form[name].value() for name in ("username", "email", "is_staff", "is_superuser")}
    inlines = {"access_grants-TOTAL_FORMS": 0, "access_grants-INITIAL_FORMS": 0}
    dates = {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    sent = {**{name: value for name, value in fields.items() if value}, **inlines, **dates}
    answer = root.post(page(User, "change", user.pk), {**sent, **({"is_active": "on"} if is_active else {})})
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    assert User.objects.get(pk=user.pk).is_active is is_active


@pytest.mark.parametrize("way", [by_saving, by_saving_one_field, on_the_page], ids=lambda way: way.__name__)
def test_who_is_deactivated_and_activated_again_has_no_old_tokens(
    alice: Person, way: Callable[[User, bool], None]
) -> None:
    """Neither over REST nor to get new ones; the user logs in again."""
    held = Holdings(alice.user)
    way(alice.user, False)
    assert not any(model.objects.exists() for model in (AccessToken, RefreshToken, Grant))
    way(alice.user, True)
    assert set(held.good().values()) == {False}
    assert log_in("alice", "alice-password").status_code == 200


def test_a_user_deactivated_by_a_statement_has_no_old_tokens_when_activated(alice: Person) -> None:
    """A statement sends no signal; the form or the command that activates the user does."""
    held = Holdings(alice.user)
    User.objects.filter(pk=alice.user.pk).update(is_active=False)
    by_saving(User.objects.get(pk=alice.user.pk), True)
    assert set(held.good().values()) == {False}


def test_a_user_who_is_saved_keeps_their_tokens(alice: Person) -> None:
    """Whatever else of the user changes, apart from the password."""
    held = Holdings(alice.user)
    alice.user.email = "alice@example.com"
    alice.user.save()
    User.objects.create_user("clara", password="clara-password", is_active=False)
    assert set(held.good().values()) == {True}
    assert not TokenGeneration.objects.exists()


def test_the_refusal_says_why(alice: Person) -> None:
    """So that a person logs in again, and does not look for an error."""
    login = tokens_of("alice")
    end_tokens(alice.user)
    refused = renew(login["refresh"])
    assert refused.status_code == 401
    assert refused.json()["detail"] == "All tokens of the user have been ended since this token was made."


def test_a_renewal_keeps_what_the_login_is_bound_to(alice: Person) -> None:
    """Renewed tokens end like the first ones, also when tokens had been ended before."""
    end_tokens(alice.user)
    login = renew(tokens_of("alice")["refresh"]).json()
    assert status_of(login["access"]) == 200
    end_tokens(alice.user)
    assert status_of(login["access"]) == 401
    assert renew(login["refresh"]).status_code == 401


def test_a_call_with_a_json_web_token_costs_no_query_more(alice: Person, django_assert_num_queries: Any) -> None:
    """The number of ended generations comes with the user, whether there were any or not."""
    for _ in range(2):
        program = with_token(tokens_of("alice")["access"])
        with django_assert_num_queries(3):  # the user, the repository, the number
            assert program.get(program.currency("elements-count")).status_code == 200
        end_tokens(alice.user)


def test_the_command_ends_all_tokens_of_a_user(alice: Person, capsys: pytest.CaptureFixture[str]) -> None:
    """The user stays active, and logs in again."""
    held = Holdings(alice.user)
    call_command("end_tokens", "alice")
    assert capsys.readouterr().out == "All tokens of alice are ended.\n"
    assert set(held.good().values()) == {False}
    assert log_in("alice", "alice-password").status_code == 200
    with pytest.raises(CommandError, match=r"^There is no user 'nobody'\.$"):
        call_command("end_tokens", "nobody")


def test_a_superuser_ends_the_tokens_of_selected_users(alice: Person, ed: Person, rita: Person) -> None:
    """The page shows how many users that were, and the history of each keeps it."""
    held = [Holdings(person.user) for person in (alice, ed, rita)]
    root = superuser()
    selected = {"action": "end_tokens_of_users", "_selected_action": [alice.user.pk, ed.user.pk]}
    shown = root.post(page(User, "changelist"), selected, follow=True)
    assert messages_of(shown) == ["All tokens of 2 users are ended; calls with them are refused from now on."]
    assert [set(each.good().values()) for each in held] == [{False}, {False}, {True}]
    entries = LogEntry.objects.filter(change_message="tokens ended")
    assert sorted(entry.object_repr for entry in entries) == ["alice", "ed"]


@pytest.mark.django_db(transaction=True)
def test_the_log_shows_whose_tokens_were_ended(alice: Person, caplog: pytest.LogCaptureFixture) -> None:
    """Also by a deactivation; what is rolled back is not logged."""
    caplog.set_level(logging.INFO)
    with transaction.atomic():
        end_tokens(alice.user)
        transaction.set_rollback(True)
    assert not lines(caplog, "user_tokens_ended")
    call_command("end_tokens", "alice")
    assert line(caplog, "user_tokens_ended") == {"subject": {"user": "alice"}, "level": "info"}
    caplog.clear()
    by_saving(alice.user, False)
    assert line(caplog, "user_tokens_ended")["subject"] == {"user": "alice"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("grant", ["client_credentials", "authorization_code", "refresh_token"])
def test_a_token_that_is_asked_for_at_the_same_moment_is_not_issued(alice: Person, grant: str) -> None:
    """The client has proved everything, but while it waits all is ended: no token survives."""
    browser = consenting.signed_in(alice.user)
    warehouse = service(alice.user)
    planning, held = consenting.allowed(browser)
    code = consenting.redirect_parameters(consenting.answer_page(browser, consenting.question(planning)))["code"]

    def request() -> Any:
        if grant == "client_credentials":
            return ask("token", warehouse, grant_type=grant)
        if grant == "authorization_code":
            return consenting.redeem(planning, code)
        return consenting.renewed(planning, held["refresh_token"])

    with transaction.atomic():
        locked_user(alice.user.pk)
        asked = beside(request)
        while not _waits(asked):
            pass
        by_saving(alice.user, False)
    assert asked.result().status_code in (400, 401)
    assert not any(model.objects.exists() for model in (AccessToken, RefreshToken, Grant))


def _waits(asked: Any) -> bool:
    """Whether the other thread waits for the lock of this one, as far as the database reports it; SQLite does not."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid")
        return asked.done() or cursor.fetchone() is not None
