"""Views: a filter, a search, columns and an order under a name, which one user owns and others may share."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from account.models import Account
from currency.models import Currency
from dimensions_site.repositories.models import AccessGrant, Role
from dimensions_site.saved_views import models
from dimensions_site.saved_views.models import DefaultView, SavedView
from tests.dimensions_site.administration.lists.lists import LIST, SAVE, VIEWS, ids
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import account
from tests.storing import store_accounts

pytestmark = pytest.mark.contract("G2")

MISSING = "filter=nature%3D%3DPROFIT_AND_LOSS%3Bdescriptions.de%3Disnull%3Dtrue"
ON = {"is_shared": "on"}
DEFAULT = {"is_default": "on"}


def save(browser: Client, name: str, query: str = MISSING, repository: Any = None, **marks: str) -> Any:
    """Save the list with that query as a view."""
    sent = {"name": name, "list": query, "repository": "" if repository is None else repository.pk, **marks}
    return browser.post(SAVE, sent)


def parameters(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query))


def menu(answer: Any) -> list[str]:
    """The views that a list names."""
    return [view.name for view, _address in answer.context["views"].named]


def do(browser: Client, action: str, view: SavedView) -> Any:
    return browser.post(VIEWS, {"do": action, "view": view.pk}, follow=True)


@pytest.fixture
def missing(chart, alice, northwind):
    """A view of Alice's that she shares in Northwind."""
    save(browser_of(alice), "Missing German texts", repository=northwind, **ON)
    return SavedView.objects.get()


def test_a_list_is_saved_as_a_view_and_opened_by_one_click(chart, alice):
    """With all that it shows; the address carries it, so that its filter works without the view, too."""
    browser = browser_of(alice)
    query = f"{MISSING}&q=e&columns=descriptions.de%2Ctype&o=-3&nature__exact=PROFIT_AND_LOSS&p=2&as_of=2020-01-01"
    saved = save(browser, "Missing German texts", query)
    view = SavedView.objects.get()
    expected = dict(parse_qsl(query))
    del expected["p"], expected["as_of"]
    assert parameters(saved["Location"]) == {"view": f"{view.pk}", **expected}
    answer = browser.get(saved["Location"])
    assert ids(answer) == ["1100", "2100"]
    assert menu(answer) == ["Missing German texts"]
    assert answer.context["views"].current == view
    assert not answer.context["views"].is_changed
    assert "Missing German texts" in answer.content.decode()


def test_a_view_of_a_repository_shows_that_one(missing, alice, northwind):
    browser = browser_of(alice)
    answer = browser.get(LIST, {"view": missing.pk})
    assert parameters(answer["Location"])["repository__id__exact"] == f"{northwind.pk}"
    assert not browser.get(answer["Location"]).context["views"].is_changed


def test_an_order_is_kept_with_its_columns(chart, alice):
    """The order names columns by position, and the same columns may have other positions later."""
    save(browser_of(alice), "By type", "o=5")
    assert parameters("?" + SavedView.objects.get().query)["columns"].startswith("descriptions,nature,type")


def test_an_order_adds_no_column_for_the_repository_where_there_is_only_one(chart, alice, northwind, contoso):
    """The columns are those that the list has without the order."""
    save(browser_of(alice), "One grant", "o=5")
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    save(browser_of(alice), "One chosen", "o=5", repository=northwind)
    save(browser_of(alice), "All", "o=5")
    columns = {view.name: parameters(f"?{view.query}")["columns"].split(",") for view in SavedView.objects.all()}
    assert {name for name, paths in columns.items() if "repository" in paths} == {"All"}


def test_a_view_that_was_changed_says_so_and_is_saved_again(missing, alice, northwind):
    browser = browser_of(alice)
    changed = f"view={missing.pk}&repository__id__exact={northwind.pk}&filter=type==DETAIL"
    answer = browser.get(f"{LIST}?{changed}")
    assert answer.context["views"].is_changed
    address = page(Account, "view", missing.pk)
    assert f"{address}?list=" in answer.content.decode()
    form = browser.get(address, {"list": changed}).context["form"]
    assert (form["name"].value(), form["is_shared"].value()) == ("Missing German texts", True)
    browser.post(address, {"name": "Details", "list": changed, "repository": northwind.pk, **ON})
    missing.refresh_from_db()
    assert (missing.name, missing.query, missing.is_shared) == ("Details", "filter=type%3D%3DDETAIL", True)


def test_a_view_is_renamed_without_its_list(missing, alice, northwind):
    query = missing.query
    browser_of(alice).post(page(Account, "view", missing.pk), {"name": "Other", "list": "", "repository": northwind.pk})
    missing.refresh_from_db()
    assert (missing.name, missing.query, missing.is_shared) == ("Other", query, False)


# --- The view by default --------------------------------------------------------------------------------------------


def test_the_list_opens_with_the_default_view_and_shows_all_on_request(chart, alice):
    browser = browser_of(alice)
    save(browser, "First", **DEFAULT)
    save(browser, "Second", "filter=type==DETAIL", **DEFAULT)
    second = SavedView.objects.get(name="Second")
    opened = browser.get(LIST, follow=True)
    assert ids(opened) == ["2000"]
    assert opened.context["views"].current == second
    assert ids(browser.get(LIST, {"view": "all"})) == ["1000", "1100", "2000", "2100"]
    assert "?view=all" in opened.content.decode()
    assert DefaultView.objects.count() == 1
    # Other parameters are a choice of their own, and other lists have their own view.
    assert ids(browser.get(LIST, {"q": "cash"})) == ["1000"]
    assert browser.get(page(Currency)).status_code == 200
    do(browser, "usual", second)
    assert ids(browser.get(LIST)) == ["1000", "1100", "2000", "2100"]


def test_a_shared_view_is_the_default_of_each_user_alone(missing, alice, rita):
    browser = browser_of(rita)
    do(browser, "default", missing)
    assert ids(browser.get(LIST, follow=True)) == ["1100", "2100"]
    assert len(ids(browser_of(alice).get(LIST))) == 4


def test_a_default_that_is_not_open_any_more_shows_all_with_a_message(missing, rita, northwind, contoso):
    AccessGrant.objects.create(user=rita.user, repository=contoso, role=Role.READER)
    browser = browser_of(rita)
    do(browser, "default", missing)
    AccessGrant.objects.filter(user=rita.user, repository=northwind).delete()
    answer = browser.get(LIST)
    assert answer.status_code == 200
    (message,) = messages_of(answer)
    assert message.startswith("The view with which this list opens is not shared with you any more")


# --- Sharing --------------------------------------------------------------------------------------------------------


def test_colleagues_open_a_shared_view_and_cannot_change_it(missing, rita):
    browser = browser_of(rita)
    assert menu(browser.get(LIST)) == ["Missing German texts"]
    assert ids(browser.get(LIST, {"view": missing.pk}, follow=True)) == ["1100", "2100"]
    assert browser.get(page(Account, "view", missing.pk)).status_code == 404
    assert browser.post(page(Account, "view", missing.pk), {"name": "Mine"}).status_code == 404
    for action in ("delete", "unshare", "x"):
        assert do(browser, action, missing).status_code == 403
    text = browser.get(VIEWS).content.decode()
    assert "shared by alice" in text
    assert "Stop sharing" not in text
    assert SavedView.objects.get().is_shared


def test_a_view_is_shared_in_a_repository_of_the_user_only(chart, rita, contoso):
    browser = browser_of(rita)
    for repository, message in ((None, "with whose users you share"), (contoso, "Select a valid choice")):
        form = save(browser, "Mine", repository=repository, **ON).context["form"]
        assert message in form.errors["repository"][0]
        assert form["name"].value() == "Mine"
    assert not SavedView.objects.exists()


def test_a_manager_stops_the_sharing_of_a_view(chart, ed, alice, rita, northwind):
    """Its owner keeps it; it opens by default for nobody else."""
    save(browser_of(ed), "Of Ed", repository=northwind, is_shared="on", **DEFAULT)
    view = SavedView.objects.get()
    do(browser_of(rita), "default", view)
    browser = browser_of(alice)
    assert "Stop sharing" in browser.get(VIEWS).content.decode()
    do(browser, "unshare", view)
    view.refresh_from_db()
    assert not view.is_shared
    assert menu(browser_of(rita).get(LIST)) == []
    assert [default.user for default in DefaultView.objects.all()] == [ed.user]


# --- What is no more ------------------------------------------------------------------------------------------------


def test_a_view_whose_repository_is_closed_to_its_owner_says_so(missing, alice, northwind, contoso):
    store_accounts(contoso, account("C", nature="PROFIT_AND_LOSS", descriptions={"en": "C"}))
    AccessGrant.objects.filter(user=alice.user, repository=northwind).delete()
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    browser = browser_of(alice)
    answer = browser.get(LIST, {"view": missing.pk}, follow=True)
    assert ids(answer) == []
    assert messages_of(answer) == [
        "You have no access to the repository of the view “Missing German texts” any more, so nothing is shown."
    ]
    text = browser.get(VIEWS).content.decode()
    assert "You have no access to its repository any more." in text
    assert "Northwind" not in text


def test_a_view_that_names_a_field_which_is_no_more_says_so(chart, alice):
    browser = browser_of(alice)
    SavedView.objects.create(
        owner=alice.user, dimension="account", name="Old", query="columns=gone,type&filter=gone%3D%3D1&gone__exact=2"
    )
    answer = browser.get(LIST, {"view": SavedView.objects.get().pk}, follow=True)
    assert answer.status_code == 200
    assert ids(answer) == []
    assert answer.context["cl"].filter.errors[0].startswith("Unknown field 'gone'")
    assert messages_of(answer) == ["There are no columns with these names, so they are left out: gone."]


def test_a_view_is_deleted_by_its_owner(missing, alice):
    browser = browser_of(alice)
    do(browser, "default", missing)
    assert "was deleted" in messages_of(do(browser, "delete", missing))[0]
    assert not SavedView.objects.exists()
    assert len(ids(browser.get(LIST))) == 4
    assert messages_of(do(browser, "delete", missing)) == [
        "This view does not exist any more, or it is not shared with you."
    ]
    assert messages_of(browser.get(LIST, {"view": missing.pk}, follow=True))


# --- Limits and wrong input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "This field is required."),
        ("x" * 81, "at most 80 characters"),
        ("Taken", "You have a view of this name already."),
    ],
)
def test_a_name_that_is_wrong_is_pointed_out_and_nothing_is_lost(chart, alice, name, message):
    browser = browser_of(alice)
    save(browser, "Taken")
    answer = save(browser, name, **DEFAULT)
    assert answer.status_code == 200
    assert message in answer.context["form"].errors["name"][0]
    assert answer.context["list"] == MISSING
    assert escape(MISSING) in answer.content.decode()
    assert SavedView.objects.count() == 1


def test_the_number_of_views_is_limited(chart, alice, monkeypatch):
    monkeypatch.setattr("dimensions_site.administration.lists.view_form.MAX_VIEWS", 1)
    browser = browser_of(alice)
    save(browser, "One")
    answer = save(browser, "Two")
    assert answer.context["form"].non_field_errors() == ["You have 1 views, and can have no more. Delete one first."]


def test_the_length_of_a_view_is_limited(chart, alice):
    answer = save(browser_of(alice), "Long", "q=" + "x" * (models.MAX_QUERY + 1))
    assert answer.context["form"].non_field_errors() == ["The filter of the list is too long for a view."]


@pytest.mark.parametrize("query", ["filter=%00", "password__startswith=x", "foo=bar&view=9&e=1", "%ff=%fe", "&&&="])
def test_a_view_keeps_nothing_else(chart, alice, query):
    browser = browser_of(alice)
    save(browser, "Odd", query)
    assert SavedView.objects.get().query == ""
    assert browser.get(LIST, {"view": SavedView.objects.get().pk}, follow=True).status_code == 200


def test_many_views_cost_no_query_more(chart, alice, northwind):
    browser, counts = browser_of(alice), []
    for number in (1, 30):
        for each in range(number):
            SavedView.objects.create(
                owner=alice.user, dimension="account", name=f"{number}-{each}", query="", repository=northwind
            )
        for address in (f"{LIST}?view=all", VIEWS):
            with CaptureQueriesContext(connection) as queries:
                browser.get(address)
            counts.append(len(queries))
    assert counts[0] == counts[2]
    assert counts[1] == counts[3]
