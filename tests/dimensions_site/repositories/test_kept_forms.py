"""Input is not lost with the session: after signing in again, the user finds the form filled in, and saves it."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from account.models import Account, AccountVersion
from bulkops.models import FileImport, Plan
from currency.models import Currency
from dimensions_site.repositories.login import sessions
from dimensions_site.repositories.models import AccessGrant
from dimensions_site.saved_views.models import SavedView
from tests.bulkops.plans.deciding import EVERYTHING, NOTHING, require_approval
from tests.bulkops.plans.plans import make
from tests.dimensions_site.administration.files.imports import FAULTY, HEADINGS, at, check, upload
from tests.dimensions_site.administration.plans.plan_pages import at as at_plan
from tests.dimensions_site.administration.site.pages import filled_in, typed
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account, currency
from tests.storing import store_accounts

PASSWORD = "a-long-Word-42"
ORIGIN = "http://testserver"
NOTE = "Nothing was saved, because you signed in again."


@pytest.fixture
def cash(northwind):
    store_accounts(northwind, account())
    return Account.objects.get()


@pytest.fixture
def tab(ed, cash):
    """The form of an account in Ed's browser, with a token as a browser sends it, and what is typed in it."""
    ed.user.set_password(PASSWORD)
    ed.user.is_staff = True
    ed.user.save()
    return Tab(ed.user.username, page(Account, "change", cash.pk))


class Tab:
    """A form that somebody has opened in a browser that checks tokens."""

    def __init__(self, name, address):
        self.browser = Client(enforce_csrf_checks=True)
        self.address = address
        self.sign_in(name)
        self.form = filled_in(self.browser.get(address))

    def sign_in(self, name, **form):
        """Sign in as on the page for that, with a new token."""
        address = form.pop("address", reverse("admin:login"))
        token = filled_in(self.browser.get(reverse("admin:login")), "login-form").get("csrfmiddlewaretoken")
        if token is None:  # signed in already: the page leads on
            self.sign_out()
            token = filled_in(self.browser.get(reverse("admin:login")), "login-form")["csrfmiddlewaretoken"]
        sent = {"username": name, "password": PASSWORD, "csrfmiddlewaretoken": token, **form}
        return self.browser.post(address, sent)

    def sign_out(self):
        del self.browser.cookies["sessionid"]

    def save(self, origin=ORIGIN, **typed):
        headers = {} if origin is None else {"Origin": origin}
        return self.browser.post(self.address, {**self.form, **typed}, headers=headers)


def pending(answer):
    """What the page for signing in sends along."""
    found = re.search(r'name="pending" value="([^"]*)"', answer.content.decode())
    return None if found is None else unescape(found[1])


def test_a_form_that_is_older_than_the_session_is_shown_again_filled_in(tab, cash):
    """Signed out and in again in another tab: nothing is saved, nothing lost; then Save works."""
    tab.sign_in("ed")
    answer = tab.save(documentationLink="ed.example", **{"descriptions:0:text": "Petty <cash>"})
    assert answer.status_code == 403
    assert NOTE in answer.content.decode()
    cash.refresh_from_db()
    assert cash.documentation_link is None
    again = filled_in(answer)
    assert (again["documentationLink"], again["descriptions:0:text"]) == ("ed.example", "Petty <cash>")
    assert tab.browser.post(tab.address, again, headers={"Origin": ORIGIN}).status_code == 302
    cash.refresh_from_db()
    assert cash.documentation_link == "ed.example"
    assert cash.descriptions["en"] == "Petty <cash>"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://testserver", None])
def test_what_another_site_sends_is_not_even_shown(tab, cash, origin):
    """The page does not contain it, and a browser that sends no origin is not trusted."""
    tab.sign_in("ed")
    for name in ("ed", None):
        if name is None:
            tab.sign_out()
        answer = tab.save(origin, documentationLink="evil.example")
        assert answer.status_code == 403
        assert "evil.example" not in answer.content.decode()
        assert "Open the page again" in answer.content.decode()
    cash.refresh_from_db()
    assert cash.documentation_link is None


def test_what_one_typed_is_not_shown_to_another(tab, alice, cash):
    """Another user who signs in at the same browser sees a page of the service that says what happened."""
    User.objects.filter(pk=alice.user.pk).update(is_staff=True, password=User.objects.get(username="ed").password)
    tab.sign_in("alice")
    answer = tab.save(documentationLink="ed.example")
    assert answer.status_code == 403
    assert "ed.example" not in answer.content.decode()
    tab.sign_out()
    page_for_signing_in = tab.save(
        documentationLink="ed.example", csrfmiddlewaretoken=tab.browser.cookies["csrftoken"].value
    )
    address = f"{reverse('admin:login')}?next={tab.address}"
    answer = tab.sign_in("alice", address=address, pending=pending(page_for_signing_in))
    assert answer["Location"] == tab.address
    assert "ed.example" not in tab.browser.get(tab.address).content.decode()


@pytest.mark.parametrize("has_token", [True, False])
def test_who_signs_in_after_the_end_of_the_session_finds_what_was_typed(tab, cash, has_token):
    """Saved with an ended session: the page for signing in leads back to the form. It is filled in once."""
    tab.sign_out()
    if not has_token:
        del tab.browser.cookies["csrftoken"]
    answer = tab.save(documentationLink="ed.example", **{"descriptions:0:text": 'Petty "cash"\r\nand more'})
    assert answer.status_code == 200
    assert "Sign in, and the form comes back with what you typed." in answer.content.decode()
    form = filled_in(answer, "login-form")
    action = re.search(r'<form action="([^"]*)" method="post" id="login-form"', answer.content.decode())
    assert action is not None
    address = unescape(action[1])
    wrong = tab.browser.post(address, {**form, "pending": pending(answer), "username": "ed", "password": "wrong"})
    assert pending(wrong) == pending(answer)
    sent = {**filled_in(wrong, "login-form"), "pending": pending(wrong), "username": "ed", "password": PASSWORD}
    answer = tab.browser.post(address, sent, follow=True)
    assert answer.redirect_chain == [(tab.address, 302)]
    assert NOTE in answer.content.decode()
    cash.refresh_from_db()
    assert cash.documentation_link is None
    again = filled_in(answer)
    assert again["documentationLink"] == "ed.example"
    assert again["descriptions:0:text"] == 'Petty "cash"\r\nand more'
    assert NOTE not in tab.browser.get(tab.address).content.decode()
    assert tab.browser.post(tab.address, again).status_code == 302
    cash.refresh_from_db()
    assert cash.documentation_link == "ed.example"


@pytest.mark.contract("C16")
def test_what_others_saved_meanwhile_is_merged(tab, alice, cash):
    """A conflict is shown at once; the form knows which version it began with."""
    change = {"descriptions": {"en": "Cash of Alice"}, "type": "DETAIL"}
    assert alice.send("PATCH", alice.account("elements/1000"), change).status_code == 200
    tab.sign_in("ed")
    answer = tab.save(**{"descriptions:0:text": "Cash of Ed"})
    (choice,) = answer.context["attempt"].choices
    assert (str(choice.spot), choice.theirs, choice.mine) == ("descriptions.en", "Cash of Alice", "Cash of Ed")
    assert filled_in(answer)["type"] == "DETAIL"


def test_a_new_element_is_kept_with_its_repository(tab, ed, northwind):
    """The address names it."""
    form = Tab("ed", f"{page(Currency, 'add')}?repository={northwind.pk}")
    form.sign_in("ed")
    answer = form.browser.post(form.address, {**form.form, **typed(currency("XXX"))}, headers={"Origin": ORIGIN})
    assert answer.status_code == 403
    again = filled_in(answer)
    assert again["id"] == "XXX"
    assert form.browser.post(form.address, again).status_code == 302
    assert Currency.objects.get().repository == northwind


def test_the_rights_are_looked_at_before_anything_is_shown(tab, ed, cash):
    """A user who lost the grant finds what anybody without it finds."""
    tab.sign_in("ed")
    AccessGrant.objects.filter(user=ed.user).delete()
    assert tab.save(documentationLink="ed.example").status_code == 404


def test_what_is_too_long_to_be_kept_is_said(tab, monkeypatch):
    monkeypatch.setattr(sessions, "_LONGEST", 100)
    tab.sign_out()
    answer = tab.save(documentationLink="ed.example")
    assert "What you typed is too long to be kept here" in answer.content.decode()
    assert pending(answer) is None


@pytest.mark.parametrize("text", ["x", "[1]", '[["a"]]', "{}", '[["_user", "ed"], ["nature", null]]', "[" * 1000])
def test_what_no_page_has_sent_does_no_harm(tab, cash, text):
    """After signing in, the user sees the form as it is."""
    tab.sign_out()
    address = f"{reverse('admin:login')}?next={tab.address}"
    assert tab.sign_in("ed", address=address, pending=text).status_code == 302
    assert tab.browser.get(tab.address).status_code == 200


def test_a_form_with_a_password_keeps_nothing(db):
    """The page says what happened, and the input is not shown again."""
    User.objects.create_superuser("root", password=PASSWORD)
    tab = Tab("root", page(User, "add"))
    tab.form = {"username": "nina", "new_password": "secret-Word-43"}
    answer = tab.save()
    assert answer.status_code == 403
    assert "secret-Word-43" not in answer.content.decode()
    assert "The page is too old" in answer.content.decode()
    tab.sign_out()
    token = tab.browser.cookies["csrftoken"].value
    assert "secret-Word-43" not in tab.save(csrfmiddlewaretoken=token).content.decode()
    assert not User.objects.filter(username="nina").exists()


def test_the_page_about_an_old_page_is_in_the_language_of_the_browser(tab):
    """It has no words of the library, and leads back to the page."""
    tab.sign_in("ed")
    answer = tab.browser.post(reverse("admin:password_change"), {}, headers={"Accept-Language": "de"})
    text = answer.content.decode()
    assert 'lang="de"' in text
    assert "CSRF" not in text
    assert f'href="{reverse("admin:password_change")}"' in text


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("name", "form"), [("columns", "columns-form"), ("correct", "to-correct")])
def test_columns_and_corrections_of_an_import_are_kept_and_nothing_is_checked(tab, ed, northwind, name, form):
    """The cell that was corrected is in the table again, and the field that was typed beside its column."""
    browser = browser_of(ed)
    upload(browser, northwind, HEADINGS + FAULTY)
    found = FileImport.objects.get()
    if name == "correct":
        check(browser, found)
    tab.address = at(found, name)
    tab.form = filled_in(tab.browser.get(at(found)), form)
    typed_there = {"cell-2-0": "Balance sheet"} if name == "correct" else {"column-1": "Description (de)"}
    assert typed_there.keys() <= tab.form.keys()
    tab.sign_out()
    answer = tab.save(**typed_there)
    tab.sign_in("ed", address=f"{reverse('admin:login')}?next={tab.address}", pending=pending(answer))
    again = tab.browser.get(tab.address)
    assert NOTE in again.content.decode()
    assert {field: filled_in(again, form)[field] for field in typed_there} == typed_there
    assert FileImport.objects.get().status == found.status


@pytest.mark.parametrize("has_token", [True, False])
@pytest.mark.parametrize(
    ("action", "form", "typed_there"),
    [
        ("replace_text", "replace-form", {"text": "Cash", "replacement": "Till"}),
        ("change_elements", "changes-form", {"documentationLink": "till.example"}),
        ("delete_elements", "deletion-form", {"_reason": "Not used any more"}),
    ],
)
def test_what_was_typed_for_many_is_kept_and_nothing_is_planned(tab, cash, has_token, action, form, typed_there):
    """The selection is kept, too; another action that is sent along is not done."""
    tab.address = page(Account)
    selected = {"action": action, "_selected_action": f"{cash.pk}", "select_across": "0"}
    answer = tab.browser.post(tab.address, {**tab.form, **selected}, headers={"Origin": ORIGIN})
    tab.form = filled_in(answer, form)
    chosen = {"columns": "descriptions.en", "documentationLink:how": "set", **typed_there}
    if has_token:
        tab.sign_in("ed")
        answer = tab.save(**chosen)
        assert answer.status_code == 403
    else:
        tab.sign_out()
        answer = tab.save(**chosen, action=["delete_elements", action])
        address = f"{reverse('admin:login')}?next={tab.address}"
        tab.sign_in("ed", address=address, pending=pending(answer))
        answer = tab.browser.get(tab.address)
    assert NOTE in answer.content.decode()
    again = filled_in(answer, form)
    assert {name: again.get(name) for name in (*selected, *typed_there)} == {**selected, **typed_there}
    assert not Plan.objects.exists()
    assert Account.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("has_token", [True, False])
@pytest.mark.parametrize(
    ("form", "typed_there"),
    [
        ("apply-form", {"_reason": "As agreed"}),
        ("decide-form", {"text": "Wrong parent"}),
        ("delete-form", {"_reason": "Not used any more"}),
        ("restore-form", {"_reason": "By mistake"}),
        ("view-form", {"name": "Mine", "list": "q=Cash"}),
    ],
)
def test_what_was_typed_on_a_small_page_is_kept_and_nothing_is_done(
    tab, ed, alice, northwind, cash, has_token, form, typed_there
):
    """A proposal that is applied or decided on, one account that is deleted or restored, and a view."""
    if form in ("apply-form", "decide-form"):
        require_approval(northwind, EVERYTHING if form == "decide-form" else NOTHING)
        make(alice, "account", bulk={"post": [account("2")]})
    elif form == "restore-form":
        ed.send("PATCH", ed.account("elements/1000"), {"documentationLink": "till.example"})
    opened, tab.address = {
        "apply-form": lambda: (at_plan(Plan.objects.get()), at_plan(Plan.objects.get(), "apply")),
        "decide-form": lambda: (at_plan(Plan.objects.get()), at_plan(Plan.objects.get(), "decide")),
        "delete-form": lambda: (page(Account, "delete", cash.pk),) * 2,
        "restore-form": lambda: (page(Account, "restore", AccountVersion.objects.earliest("number").pk),) * 2,
        "view-form": lambda: (page(Account, "save_view"),) * 2,
    }[form]()
    tab.form = filled_in(tab.browser.get(opened), form)
    before = Plan.objects.values_list("status", flat=True).first(), AccountVersion.objects.count()
    if has_token:
        tab.sign_in("ed")
        answer = tab.save(**typed_there)
        assert answer.status_code == 403
    else:
        tab.sign_out()
        answer = tab.save(**typed_there)
        tab.sign_in("ed", address=f"{reverse('admin:login')}?next={tab.address}", pending=pending(answer))
        answer = tab.browser.get(tab.address)
    assert NOTE in answer.content.decode()
    again = filled_in(answer, form)
    assert {name: again.get(name) for name in typed_there} == typed_there
    assert before == (Plan.objects.values_list("status", flat=True).first(), AccountVersion.objects.count())
    assert not SavedView.objects.exists()
