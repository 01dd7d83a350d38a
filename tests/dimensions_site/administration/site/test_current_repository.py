"""All pages follow the current repository, which a person chooses above the menu (contract G2)."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from account.models import Account
from bulkops.models import DataProcessing, FileImport, Plan
from currency.models import Currency
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.elements.writing.saving import delete
from dimensions_site.repositories.models import AccessGrant, Repository
from dimensions_site.saved_views.models import KnownRepository
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account
from tests.storing import store_accounts

pytestmark = [pytest.mark.django_db, pytest.mark.contract("G2")]

SWITCH = "/admin/repository/"


@pytest.fixture
def both(northwind: Repository, contoso: Repository) -> tuple[Repository, Repository]:
    """Two repositories with an account of the same id."""
    for repository in (northwind, contoso):
        store_accounts(repository, account("1000", descriptions={"en": f"Cash of {repository.name}"}))
    return northwind, contoso


def choose(client: Client, repository: Repository | None, **further: str) -> str:
    """Choose the repository, and return where the switch leads."""
    key = "" if repository is None else str(repository.pk)
    return str(client.post(SWITCH, {"repository": key, **further})["Location"])


def test_a_list_follows_the_repository_that_was_chosen(both, admin_client):
    _northwind, contoso = both
    assert len(admin_client.get(page(Account)).context["cl"].result_list) == 2
    assert choose(admin_client, contoso, next=page(Account)) == page(Account)
    answer = admin_client.get(page(Account), {"q": "cash"}, follow=True)
    assert [row.repository for row in answer.context["cl"].result_list] == [contoso]
    address = urlsplit(answer.redirect_chain[-1][0])
    assert parse_qs(address.query) == {"q": ["cash"], "repository__id__exact": [str(contoso.pk)]}


@pytest.mark.parametrize("model", [Account, Currency, Plan, ChangeSet, DataProcessing, FileImport])
def test_each_list_carries_it_in_its_address(both, admin_client, model):
    _northwind, contoso = both
    choose(admin_client, contoso)
    assert admin_client.get(page(model))["Location"].endswith(f"?repository__id__exact={contoso.pk}")


@pytest.mark.parametrize("name", ["report", "export_csv"])
def test_what_the_change_log_becomes_is_about_it(both, admin_client, name):
    choose(admin_client, both[1])
    answer = admin_client.get(page(ChangeSet, name), {"element": "1000"})
    assert answer["Location"] == f"{page(ChangeSet, name)}?element=1000&repository__id__exact={both[1].pk}"


def test_all_is_a_choice(both, admin_client):
    choose(admin_client, both[0])
    choose(admin_client, None)
    assert admin_client.get(page(Account)).status_code == 200
    assert not KnownRepository.objects.filter(is_current=True).exists()


def test_an_address_of_all_repositories_shows_all(both, admin_client):
    choose(admin_client, both[0])
    answer = admin_client.get(page(Account), {"repository__id__exact": ""})
    assert len(answer.context["cl"].result_list) == 2
    assert f'href="{page(Currency)}?repository__id__exact="' in answer.content.decode()


def test_an_address_of_another_repository_is_followed_by_the_menu(both, admin_client):
    """Each tab may show another one."""
    northwind, contoso = both
    choose(admin_client, northwind)
    answer = admin_client.get(page(Account), {"repository__id__exact": contoso.pk})
    assert f'href="{page(Currency)}?repository__id__exact={contoso.pk}"' in answer.content.decode()


def test_a_new_account_is_one_of_the_current_repository(both, admin_client):
    choose(admin_client, both[1])
    answer = admin_client.get(page(Account, "add"), follow=True)
    assert answer.context["shown"].repository == both[1]


def test_a_new_account_is_one_of_the_repository_of_its_list(both, admin_client):
    choose(admin_client, both[0])
    filters = {"_changelist_filters": f"repository__id__exact={both[1].pk}"}
    answer = admin_client.get(page(Account, "add"), filters, follow=True)
    assert answer.context["shown"].repository == both[1]
    assert "repository__id__exact" in answer.context["preserved_filters"]


def test_the_other_pages_follow_it(both, admin_client):
    _northwind, contoso = both
    choose(admin_client, contoso)
    assert admin_client.get(page(Account, "tree")).context["repository"] == contoso
    compared = admin_client.get(page(Account, "compare"), follow=True).context["form"]
    assert compared["from_repository"].value() == str(contoso.pk)
    target = admin_client.get(page(FileImport, "add"), {"dimension": "account"}).context["form"]["target"]
    assert target.value() == f"account:{contoso.pk}"


@pytest.mark.parametrize("label", ["Import", "Deleted accounts", "Compare", "Tree"])
def test_what_a_list_leads_to_is_about_its_repository(both, admin_client, label):
    """Not about the one that was chosen last, in another tab."""
    northwind, contoso = both
    choose(admin_client, contoso)
    text = admin_client.get(page(Account), {"repository__id__exact": northwind.pk}).content.decode()
    [address] = re.findall(
        rf'href="([^"]*)"[^>]*>\s*(?:<span[^>]*>[^<]*</span>\s*)*(?:<span[^>]*>)?\s*{label}\s*<', text
    )
    answer = admin_client.get(unescape(address), follow=True)
    assert answer.context["switch"]().current == northwind


def test_the_switch_names_the_left_side_of_a_comparison(both, admin_client):
    """Also if a browser loads only the comparison again, because somebody chose another repository."""
    third = Repository.objects.create(db_id="third", name="Third")
    assert admin_client.get(page(Account, "compare")).context["switch"]().current is None
    for left, right in (both, (third, both[1])):
        sides = {"from_repository": left.pk, "repository": right.pk}
        for headers in ({}, {"HX-Request": "true"}):
            text = admin_client.get(page(Account, "compare"), sides, headers=headers).content.decode()
            assert re.findall(r"<summary>.*?<strong>(.*?)</strong>", text)[0] == left.name
            assert ('hx-swap-oob="true"' in text) == bool(headers)


@pytest.mark.django_db(transaction=True)
def test_deleted_accounts_are_those_of_the_current_repository(both, admin_client):
    for repository in both:
        delete(Account.of(repository), repository, Actor(SYSTEM, Channel.REST))
    choose(admin_client, both[1])
    deleted = admin_client.get(page(Account, "deleted_elements")).context["deleted"]
    assert [row[0].repository_id for row in deleted] == [both[1].pk]
    choose(admin_client, None)
    assert len(admin_client.get(page(Account, "deleted_elements")).context["deleted"]) == 2


def test_it_is_remembered_when_a_person_signs_in_again(both, alice):
    AccessGrant.objects.create(user=alice.user, repository=both[1], dimension="all", role=1)
    choose(browser_of(alice), both[1])
    answer = browser_of(alice).get(page(Account), follow=True)
    assert [row.repository for row in answer.context["cl"].result_list] == [both[1]]


def test_a_person_with_one_repository_sees_its_name_and_no_switch(both, alice):
    answer = browser_of(alice).get(page(Account))
    text = answer.content.decode()
    assert "<strong>Northwind group</strong>" in text
    assert SWITCH not in text


def test_a_repository_that_was_closed_is_forgotten_with_a_sentence_that_does_not_name_it(both, alice):
    third = Repository.objects.create(db_id="third", name="Third")
    for repository in (both[1], third):
        AccessGrant.objects.create(user=alice.user, repository=repository, dimension="all", role=1)
    browser = browser_of(alice)
    choose(browser, both[1])
    AccessGrant.objects.filter(repository=both[1]).delete()
    text = browser.get(page(Account)).content.decode()
    assert "Your current repository is not open to you any more." in text
    assert "Contoso" not in text
    assert "not open to you any more" not in browser.get(page(Account)).content.decode()


def test_favourites_come_first_and_a_search_finds_by_id_and_name(both, admin_client):
    northwind, _contoso = both
    assert [one.db_id for one in admin_client.get(SWITCH).context["rows"]] == ["contoso", "northwind"]
    admin_client.post(SWITCH, {"favourite": northwind.pk})
    assert [one.db_id for one in admin_client.get(SWITCH).context["rows"]] == ["northwind", "contoso"]
    admin_client.post(SWITCH, {"favourite": northwind.pk})
    assert [one.db_id for one in admin_client.get(SWITCH).context["rows"]] == ["contoso", "northwind"]
    assert [one.db_id for one in admin_client.get(SWITCH, {"q": "WIND gr"}).context["rows"]] == ["northwind"]


def test_of_many_repositories_the_first_are_named(both, admin_client):
    Repository.objects.bulk_create(Repository(db_id=f"r{number:03}", name=f"R {number}") for number in range(200))
    answer = admin_client.get(SWITCH)
    assert len(answer.context["rows"]) == 50
    assert "There are more. Search for the others." in answer.content.decode()
    assert [one.db_id for one in admin_client.get(SWITCH, {"q": "r199"}).context["rows"]] == ["r199"]


@pytest.mark.parametrize("next", ["https://example.com/", "//example.com", "javascript:alert(1)", ""])
def test_the_switch_leads_to_pages_of_this_service_only(both, admin_client, next):
    assert choose(admin_client, both[0], next=next) == reverse("admin:index")
