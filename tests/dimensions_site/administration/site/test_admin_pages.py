"""Every page of the admin responds, whatever the request."""

import re
from itertools import product

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse
from django_q.models import Schedule

from account.models import Account
from currency.models import Currency
from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role
from tests.bulkops.plans.plans import make
from tests.factories import account, currency
from tests.storing import store_accounts, store_currencies

pytestmark = pytest.mark.contract("B3", "G2")


@pytest.fixture
def browsers(alice, northwind):
    """A superuser, a manager who is staff, and nobody."""
    store_currencies(northwind, currency())
    store_accounts(northwind, account())
    group = Group.objects.create(name="Accountants")
    AccessGrant.objects.create(repository=northwind, group=group, role=Role.READER)
    User.objects.filter(pk=alice.user.pk).update(is_staff=True)
    browsers = Client(), Client(), Client()
    browsers[0].force_login(User.objects.create_superuser("root"))
    browsers[1].force_login(User.objects.get(pk=alice.user.pk))
    return browsers


def changelist(model):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def addresses():
    """The pages of the site as such, and those of every registered model with one of its rows."""
    yield from (reverse(f"admin:{name}") for name in ("index", "login", "password_change", "jsi18n", "autocomplete"))
    for model in admin.site._registry:
        base = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield changelist(model)
        yield reverse(f"{base}_add")
        row = model._base_manager.first()
        for key in ("none", str(10**30), *([row.pk] if row else [])):
            yield from (reverse(f"{base}_{action}", args=[key]) for action in ("change", "history", "delete"))
    for dimension in (Account, Currency):
        base = f"admin:{dimension._meta.app_label}_{dimension._meta.model_name}"
        for key in ("none", "0", str(10**30), dimension._base_manager.get().pk):
            yield reverse(f"{base}_uses", args=[key])
            yield f"{reverse(f'{base}_add')}?repository={key}"
        for number in (0, 10**30, Repository.objects.get().pk):
            yield f"{reverse(f'{base}_pick', args=[number])}?q=1"
    yield from (reverse("admin:app_list", args=[label]) for label in ("account", "currency", "repositories", "auth"))
    yield from (
        f"/admin/{rest}" for rest in ("nothing", "account/account", "account/account/1/", "r/1/1/", "autocomplete/?x=1")
    )


@pytest.mark.django_db(transaction=True)
def test_no_page_fails_for_anybody(browsers):
    """Shown, forbidden, not found or sent to the login: for a superuser, for staff, and for nobody."""
    assert ApiKey.objects.exists()
    for address in addresses():
        for browser in browsers:
            assert browser.get(address).status_code in (200, 302, 403, 404), address


def test_no_page_of_a_row_fails_for_the_name_of_a_field(browsers, alice, northwind):
    """Which Django takes from the address, to look the row up in another field than its key."""
    plan = make(alice, "account", bulk={"put": [account("2")]})
    addresses = (
        (browsers[1], reverse("admin:bulkops_plan_delete", args=[plan["planId"]])),
        (browsers[0], reverse("admin:repositories_repository_delete", args=[northwind.pk])),
        (browsers[0], reverse("admin:repositories_repository_change", args=[northwind.pk])),
    )
    for field, (browser, address) in product(("", "x", "id", "name"), addresses):
        assert browser.get(address, {"_to_field": field}).status_code in (200, 400, 403), (address, field)


QUERIES = (
    "q=%00",
    "q=%FF",
    "q=" + "x" * 5_000,
    "nature__exact=%00",
    "nature__exact=x",
    "nature__isnull=x",
    "repository__id__exact=x",
    "repository__id__exact=%00",
    "repository__id__exact=" + "9" * 40,
    "repository__db_id=x",
    "element_id__regex=(",
    "element_id__exact=x",
    "p=-1",
    "p=x",
    "o=x",
    "o=99",
    "o=-",
    "e=1",
    "all=",
    "_facets=x",
    "nothing=1",
    "nothing__x=1",
    "_popup=1&_to_field=x",
    "q=" + "+".join(["a"] * 1_100),
    "q=" + "x" * 60_000,
    "q=" + "'" * 60_000,
    "username__regex=(",
    "name__regex=(",
    "next_run__gte=x",
    "id__lt=" + "9" * 40,
    "descriptions__gte=x",
    "group=x",
)


def test_no_list_fails_for_any_query(browsers):
    """Invalid values are refused or ignored: the lists of elements get each query, the others take turns."""
    superuser, staff, _ = browsers
    others = [model for model in admin.site._registry if model not in (Account, Currency)]
    for number, query in enumerate(QUERIES):
        turns = (superuser, staff) if number % 2 else (staff, superuser)
        for model, browser in (
            *zip((Account, Currency), turns, strict=True),
            *((other, superuser) for other in others[number % 8 :: 8]),
        ):
            response = browser.get(f"{changelist(model)}?{query}")
            assert response.status_code in (200, 302, 400, 403), (model, query[:80])


@pytest.mark.parametrize(
    "model", [Account, Currency, Repository, ApiKey, User, Group], ids=lambda model: model.__name__
)
def test_a_search_that_is_too_long_finds_nothing_and_says_so(browsers, model):
    """A part of it would find too much; the longest one, of as many words as possible, is searched for."""
    # The names of keys are random: the search is for what no name has.
    longest = " ".join(["a"] * 250)[:499] + "€"
    for search, shown in ((longest, False), (longest + "€", True)):
        page = browsers[0].get(changelist(model), {"q": search})
        assert page.status_code == 200
        assert list(page.context["cl"].result_list) == []
        assert ("A search may have 500 characters, and this one has 501." in page.content.decode()) is shown


def test_a_search_that_is_too_long_finds_nothing_in_a_field_either(browsers):
    """The fields of a grant search for people while the user types."""
    field = {"app_label": "repositories", "model_name": "accessgrant", "field_name": "user"}
    address = reverse("admin:autocomplete")
    assert len(browsers[0].get(address, {**field, "term": "alice"}).json()["results"]) == 1
    for term in ("alice " * 1_100, "alice" + "x" * 60_000, "alice\0"):
        response = browsers[0].get(address, {**field, "term": term})
        assert response.status_code in (200, 400)
        assert b"alice" not in response.content


def test_the_filters_of_the_queue_of_background_work_are_taken(browsers):
    """They compare by date and by plain equality, unlike those of the elements."""
    Schedule.objects.create(name="nightly", func="math.factorial", cluster="one")
    for query, found in (
        ({"next_run__gte": "2000-01-01 00:00:00+00:00", "next_run__lt": "2000-01-02 00:00:00+00:00"}, []),
        ({"next_run__gte": "2000-01-01 00:00:00+00:00"}, ["nightly"]),
        ({"cluster": "one"}, ["nightly"]),
        ({"cluster": "two"}, []),
    ):
        page = browsers[0].get(changelist(Schedule), query)
        assert page.status_code == 200
        assert [row.name for row in page.context["cl"].result_list] == found


@pytest.mark.parametrize("rest", ["repositories/apikey/%00/change/", "account/account/%00/change/", "login/?next=%00"])
def test_an_address_with_nul_is_refused_with_a_page(browsers, rest):
    """PostgreSQL would fail on it."""
    response = browsers[0].get(f"/admin/{rest}")
    assert response.status_code == 400
    assert response["Content-Type"].startswith("text/html")


def test_the_login_accepts_staff_and_refuses_others_with_a_page(alice):
    """With user name and password, from the form that everybody may see."""
    login = reverse("admin:login")
    browser = Client()
    assert browser.get(login).status_code == 200
    credentials = {"username": "alice", "password": "alice-password"}
    assert b"You have no access to the administration." in browser.post(login, credentials).content
    User.objects.filter(username="alice").update(is_staff=True)
    assert browser.post(f"{login}?next=/admin/", credentials)["Location"] == "/admin/"


@pytest.mark.parametrize("model", [Account, User])
def test_a_selection_that_no_page_made_does_nothing(browsers, model):
    """Whatever is in place of a row's key, no action fails on it."""
    before = model._base_manager.count()
    answer = browsers[0].get(changelist(model)).content.decode()
    actions = set(re.findall(r'<option value="(\w+)"', answer)) | {"delete_selected", "delete_elements"}
    for key, action in product(("abc", "", "9" * 40, "\0", "٣"), actions):
        form = {"action": action, "_selected_action": key, "select_across": "0", "index": "0"}
        assert browsers[0].post(changelist(model), form).status_code in (200, 302, 403), (action, key)
        assert model._base_manager.count() == before, (action, key)


@pytest.mark.django_db
def test_who_signs_in_without_a_page_in_mind_comes_to_the_start_page():
    """The form that was opened by its own address has no page to go back to."""
    User.objects.create_superuser("root", password="root-password")
    answer = Client().post(reverse("admin:login"), {"username": "root", "password": "root-password"})
    assert (answer.status_code, answer["Location"]) == (302, reverse("admin:index"))
