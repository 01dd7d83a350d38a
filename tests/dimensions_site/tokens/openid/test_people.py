"""Who signs in with the company's account is known by issuer and subject, and has the groups of the claim."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from dimensions_site.repositories.models import AccessChange
from dimensions_site.tokens.models import ProviderAccount, ProviderGroup, ProviderSession
from dimensions_site.tokens.openid.people import signed_in_account
from tests.dimensions_site.tokens.openid.company import Company, is_signed_in, sign_in

pytestmark = [pytest.mark.contract("N2"), pytest.mark.django_db]


def test_who_comes_for_the_first_time_gets_a_user(company: Company, accountants: Group, client: Client) -> None:
    sign_in(company, client, given_name="Nora", family_name="Nilsen")
    user = User.objects.get()
    assert (user.username, user.get_full_name(), user.email) == ("nora", "Nora Nilsen", "nora@example.com")
    assert (user.is_staff, user.is_superuser, user.has_usable_password()) == (True, False, False)
    account = ProviderAccount.objects.get()
    assert (account.user, account.issuer, account.subject) == (user, company.issuer, "81f2")


@pytest.mark.parametrize("groups", [[], ["sales"], ["Accounting"], ["accounting "], [""], ["x" * 10_000], None])
def test_nothing_is_made_for_a_person_without_a_known_group(
    company: Company, accountants: Group, client: Client, groups: Any
) -> None:
    """A page says whom to ask, and as whom."""
    page = sign_in(company, client, groups=groups)
    assert page.status_code == 403
    assert "Ask the administrator" in page.content.decode()
    assert "<strong>nora</strong>" in page.content.decode()
    assert not User.objects.exists()
    assert not is_signed_in(client)
    assert AccessChange.objects.filter(event="sign_in_refused").get().changes == {
        "reason": "no_group",
        "subject": "81f2",
    }


def test_the_subject_is_the_person_whatever_else_changes(company: Company, accountants: Group) -> None:
    sign_in(company, Client())
    sign_in(company, Client(), preferred_username="nora.nilsen", email="other@example.com")
    assert [user.username for user in User.objects.all()] == ["nora"]


def test_the_same_e_mail_of_another_subject_is_another_person(company: Company, accountants: Group) -> None:
    sign_in(company, Client())
    sign_in(company, Client(), sub="other")
    assert sorted(User.objects.values_list("username", flat=True)) == ["nora", "nora-2"]


def test_a_user_whom_an_administrator_has_linked_signs_in_as_before(
    company: Company, accountants: Group, client: Client
) -> None:
    user = User.objects.create_user("nn", password="nn-password", is_staff=True)
    ProviderAccount.objects.create(user=user, issuer=company.issuer, subject="81f2")
    sign_in(company, client, groups=[])
    assert client.get("/admin/").context["user"] == user


@pytest.mark.parametrize("changed", [{"is_active": False}, {"is_staff": False}])
def test_a_user_who_is_locked_here_never_gets_in(
    company: Company, accountants: Group, client: Client, changed: dict[str, bool]
) -> None:
    """Neither with an open session nor with a new one, and their groups stay as they are."""
    sign_in(company, client)
    User.objects.update(**changed)
    assert not is_signed_in(client)
    assert sign_in(company, Client(), groups=[]).status_code == 403
    assert accountants.user_set.count() == 1


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"preferred_username": "Nora Nilsen"}, "Nora-Nilsen"),
        ({"preferred_username": "Zoë Müller"}, "Zoe-Muller"),
        ({"preferred_username": "нора"}, "nora@example.com"),
        ({"preferred_username": None, "email": None}, "81f2"),
        ({"preferred_username": 7, "email": ["a"]}, "81f2"),
        ({"preferred_username": "../../<b>"}, "..-..-b"),
        ({"preferred_username": "System"}, "System-2"),  # as who the commands write into the history
        ({"preferred_username": "n" * 300}, "n" * 140),
        ({"preferred_username": "nora\0", "email": None, "sub": "!"}, "person"),
    ],
)
def test_the_name_of_a_new_user_is_plain(
    company: Company, accountants: Group, client: Client, claims: dict[str, Any], name: str
) -> None:
    sign_in(company, client, **claims)
    assert User.objects.get().username == name


@pytest.mark.parametrize("sid", [None, 7, "\0", "\ud800", "x" * 300])
def test_an_unusable_id_of_the_session_is_left_out(
    company: Company, accountants: Group, client: Client, sid: Any
) -> None:
    assert sign_in(company, client, sid=sid).status_code == 302
    assert ProviderSession.objects.get().sid == ""


def test_an_endless_id_token_is_not_stored(company: Company, accountants: Group, client: Client) -> None:
    """That of a person in 5,000 groups is not needed for the check, and too long for the address of the logout."""
    sign_in(company, client, groups=["accounting", *(f"group-{number}" for number in range(4_999))])
    assert len(ProviderSession.objects.get().sealed) < 1_000
    assert "id_token_hint" not in client.post("/admin/logout/").context["address"]


@pytest.mark.contract("N3")
def test_groups_follow_the_claim_at_each_sign_in(company: Company, accountants: Group) -> None:
    """Groups that the provider does not know are not touched."""
    own, auditors = Group.objects.create(name="Own"), Group.objects.create(name="Auditors")
    ProviderGroup.objects.create(group=auditors, name="audit")
    ProviderGroup.objects.create(group=auditors, name="revision")

    def groups_after(*names: str) -> list[str]:
        sign_in(company, Client(), groups=list(names))
        return sorted(User.objects.get().groups.values_list("name", flat=True))

    assert groups_after("accounting", "Own") == ["Accountants"]
    User.objects.get().groups.add(own)
    assert groups_after("revision", "sales") == ["Auditors", "Own"]
    assert groups_after("audit", "accounting") == ["Accountants", "Auditors", "Own"]
    assert groups_after() == ["Own"]
    changes = AccessChange.objects.filter(event="user_changed").values_list("changes", flat=True)
    assert {"groups": {"removed": ["Accountants", "Auditors"]}} in changes


@pytest.mark.contract("N3")
def test_the_claim_with_the_groups_is_a_setting(company: Company, accountants: Group, settings: Any) -> None:
    settings.OPENID_PROVIDER = company.as_setting(groups_claim="roles")
    assert sign_in(company, Client()).status_code == 403
    assert sign_in(company, Client(), roles=["accounting"], groups=None).status_code == 302


@pytest.mark.contract("N3")
def test_five_thousand_groups_cost_as_many_queries_as_one(
    company: Company, accountants: Group, django_assert_num_queries: Any
) -> None:
    claims = {"iss": company.issuer, "sub": "81f2", "preferred_username": "nora"}
    signed_in_account({**claims, "groups": ["accounting"]})
    with django_assert_num_queries(5):  # two of them for the savepoint
        signed_in_account({**claims, "groups": ["accounting", *map(str, range(4_999))]})
    assert accountants.user_set.count() == 1


@pytest.mark.contract("N3")
def test_an_administrator_names_the_groups_of_the_provider_on_the_page_of_a_group(
    company: Company, accountants: Group, admin_client: Client
) -> None:
    address = f"/admin/auth/group/{accountants.pk}/change/"
    page = admin_client.get(address).content.decode()
    assert 'value="accounting"' in page
    form = {"name": "Accountants", "access_grants-TOTAL_FORMS": 0, "access_grants-INITIAL_FORMS": 0}
    row = ProviderGroup.objects.get()
    rows: dict[str, Any] = {"provider_groups-TOTAL_FORMS": 2, "provider_groups-INITIAL_FORMS": 1}
    for number, (key, name) in enumerate([(row.pk, "accounting"), ("", "/group/accounting")]):
        rows |= {f"provider_groups-{number}-{field}": value for field, value in (("id", key), ("name", name))}
        rows[f"provider_groups-{number}-group"] = accountants.pk
    assert admin_client.post(address, {**form, **rows}).status_code == 302
    assert list(ProviderGroup.objects.values_list("name", flat=True)) == ["/group/accounting", "accounting"]
    recorded = AccessChange.objects.filter(event="provider_group_created").first()
    assert recorded is not None
    assert recorded.subject == {"group": "Accountants", "name": "/group/accounting"}


def test_an_administrator_links_a_user_on_their_page(company: Company, admin_client: Client) -> None:
    """The issuer is filled in."""
    user = User.objects.create_user("nn", is_staff=True)
    page = admin_client.get(f"/admin/auth/user/{user.pk}/change/").content.decode()
    assert f'value="{company.issuer}"' in page
    assert "provider_accounts-__prefix__-subject" in page
