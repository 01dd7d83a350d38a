"""One form makes a user with password and grants, and changes them; another one a group with members and grants."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from dimensions_site.repositories.models import AccessChange, AccessGrant, Role
from tests.dimensions import DIMENSIONS
from tests.dimensions_site.administration.site.forms import filled_form
from tests.dimensions_site.administration.site.people import messages_of, page

pytestmark = pytest.mark.contract("G2")

WORD = "a-long-Word-42"


def rows(*grants: dict[str, Any], stored: int = 0) -> dict[str, Any]:
    """The fields of the grants on the page of a user or a group."""
    prefix = "access_grants"
    fields: dict[str, Any] = {f"{prefix}-TOTAL_FORMS": len(grants), f"{prefix}-INITIAL_FORMS": stored}
    return fields | {
        f"{prefix}-{number}-{name}": value for number, row in enumerate(grants) for name, value in row.items()
    }


def row(repository: Any, role: Role = Role.READER) -> dict[str, Any]:
    return {"repository": repository.pk, "dimension": "account", "role": role.value}


def add(root: Client, *grants: dict[str, Any], **fields: Any) -> Any:
    """Add a user who may use the administration, unless a field says otherwise."""
    form = {"username": "nina", "new_password": WORD, "is_staff": "on", "is_active": "on", **rows(*grants), **fields}
    return root.post(page(User, "add"), {name: value for name, value in form.items() if value is not None})


def sent(root: Client, user: User, **changes: str) -> Any:
    """Open the page of the user, change fields, and save."""
    address = page(User, "change", user.pk)
    form = filled_form(root.get(address).content.decode(), "user_form")
    return root.post(address, {**form, **changes}, follow=True)


def sign_in(name: str, word: str) -> Client:
    browser = Client()
    assert browser.post(reverse("admin:login"), {"username": name, "password": word}).status_code == 302
    return browser


def errors(response: Any) -> str:
    return str(response.context["errors"])


def test_one_save_makes_a_user_with_two_grants_who_signs_in_and_sees_just_their_charts(root, northwind, contoso):
    """The form is prepared for a person who works here: one box is set, and an empty row waits for a grant."""
    offered = filled_form(root.get(page(User, "add")).content.decode(), "user_form")
    assert (offered["is_staff"], offered["access_grants-TOTAL_FORMS"], offered["access_grants-0-role"]) == (
        "on",
        "1",
        "1",
    )
    answer = add(root, row(northwind), row(contoso, Role.EDITOR))
    assert answer["Location"] == page(User)
    grants = AccessGrant.objects.filter(user__username="nina").order_by("role")
    assert [(grant.repository, grant.dimension, grant.role) for grant in grants] == [
        (northwind, "account", Role.READER),
        (contoso, "account", Role.EDITOR),
    ]
    browser = sign_in("nina", WORD)
    assert browser.get(reverse("admin:account_account_changelist")).status_code == 200
    assert browser.get(reverse("admin:currency_currency_changelist")).status_code == 403
    assert browser.get(page(User)).status_code == 403


def test_the_same_form_changes_grants_and_keeps_the_password_unless_another_is_typed(root, northwind):
    """It records that the password changed, and not which it is."""
    add(root, row(northwind))
    nina = User.objects.get(username="nina")
    sent(root, nina, **{"access_grants-0-role": str(Role.MANAGER.value)})
    assert AccessGrant.objects.get(user=nina).role == Role.MANAGER
    sign_in("nina", WORD)
    sent(root, nina, new_password="another-Word-43")
    sign_in("nina", "another-Word-43")
    changes = [change.changes for change in AccessChange.objects.filter(event="user_changed")]
    assert {"password": "changed"} in changes
    assert "Word" not in str(changes)


def test_those_who_change_their_own_password_stay_signed_in(root):
    """As on the page that changes it."""
    sent(root, User.objects.get(username="root"), new_password="another-Word-43")
    assert root.get(page(User)).status_code == 200


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"new_password": "12345678"}, "too common"),
        ({"new_password": "nina-1234", "username": "nina-123"}, "too similar"),
        ({"new_password": ""}, "without one nobody can sign in"),
        ({"new_password": "x1" * 251}, "at most 500 characters"),
        ({"username": "ROOT"}, "already exists"),
        ({"username": "ni na"}, "valid username"),
        ({"username": "n" * 151}, "at most 150 characters"),
    ],
)
def test_what_cannot_be_saved_is_refused_at_its_field_and_the_rest_is_kept(root, northwind, fields, words):
    refused = add(root, row(northwind, Role.EDITOR), **fields)
    assert words in errors(refused)
    kept = filled_form(refused.content.decode(), "user_form")
    assert (kept["is_staff"], kept["access_grants-0-role"]) == ("on", str(Role.EDITOR.value))
    assert kept["access_grants-0-repository"] == str(northwind.pk)
    assert list(User.objects.all()) == [User.objects.get(username="root")]


def test_a_second_grant_for_the_same_is_refused_at_its_row(root, northwind):
    """Both rows are new, so the database does not know the first yet."""
    refused = add(root, row(northwind), row(northwind, Role.EDITOR))
    assert refused.status_code == 200
    assert "This repeats a permission above" in refused.content.decode()
    assert not User.objects.filter(username="nina").exists()


def test_grants_for_the_same_are_exchanged_in_one_save(root, northwind):
    """The removed one does not count."""
    add(root, row(northwind))
    nina = User.objects.get(username="nina")
    old = AccessGrant.objects.get(user=nina)
    form = {"username": "nina", "is_active": "on", "is_staff": "on"}
    both = rows(
        {**row(northwind), "id": old.pk, "user": nina.pk, "DELETE": "on"}, row(northwind, Role.EDITOR), stored=1
    )
    answer = root.post(page(User, "change", nina.pk), {**form, **both})
    assert answer.status_code == 302, errors(answer)
    assert AccessGrant.objects.get(user=nina).role == Role.EDITOR


def test_a_user_for_a_program_needs_no_password(root, northwind):
    """They cannot sign in with any."""
    assert add(root, row(northwind), is_staff=None, new_password="").status_code == 302
    assert not User.objects.get(username="nina").has_usable_password()


def test_a_user_who_sees_nothing_yet_is_saved_with_a_hint(root, northwind):
    """Unless a group gives access."""
    assert add(root, username="nora").status_code == 302
    assert "nora sees nothing yet: add a permission, or a group with permissions." in messages_of(root.get(page(User)))
    group = Group.objects.create(name="Auditors")
    AccessGrant.objects.create(group=group, repository=northwind)
    add(root, groups=[group.pk])
    assert not [words for words in messages_of(root.get(page(User))) if "sees nothing" in words]


def test_somebody_without_grants_sees_an_empty_start_page_and_nothing_else(root):
    """No page is open to them."""
    add(root)
    browser = sign_in("nina", WORD)
    text = browser.get(reverse("admin:index")).content.decode()
    assert "No repository is open to you." in text
    links = {part.split('"')[0] for part in text.split('href="/admin/')[1:]}
    assert links == {"", "help/guide/", "mail/", "password_change/"}


def test_one_save_makes_a_group_with_members_and_grants(root, northwind, rita, bob):
    """It changes them, too, and records who joined and left."""
    form = {"name": "Auditors", "members": [rita.user.pk], **rows(row(northwind))}
    assert root.post(page(Group, "add"), form).status_code == 302
    group = Group.objects.get(name="Auditors")
    assert list(group.user_set.all()) == [rita.user]
    grant = AccessGrant.objects.get(group=group)
    assert (grant.repository, grant.role) == (northwind, Role.READER)
    kept = rows({**row(northwind), "id": grant.pk, "group": group.pk}, stored=1)
    assert str(rita.user.username) in root.get(page(Group, "change", group.pk)).content.decode()
    root.post(page(Group, "change", group.pk), {"name": "Auditors", "members": [bob.user.pk], **kept})
    assert list(group.user_set.all()) == [bob.user]
    changes = [change.changes for change in AccessChange.objects.filter(event="group_changed")]
    assert {"users": {"added": [bob.user.username]}} in changes
    assert {"users": {"removed": [rita.user.username]}} in changes


@pytest.mark.parametrize("key", ["x", "\0", "-1", "1,2", "9" * 30])
def test_a_key_that_no_page_can_have_sent_is_400(root, northwind, key):
    """In the form and in the address; the pickers would look it up."""
    bad = {**row(northwind), "repository": key}
    for address, form in (
        (page(Group, "add"), {"name": "Auditors", "members": [key], **rows()}),
        (page(User, "add"), {"username": "nina", "groups": [key], **rows()}),
        (page(User, "add"), {"username": "nina", **rows(bad)}),
        (page(AccessGrant, "add"), {**bad, "user": key}),
    ):
        assert root.post(address, form).status_code == 400
    for model, field in ((AccessGrant, "user"), (User, "groups")):
        assert root.get(page(model, "add"), {field: key}).status_code == 400
    assert not AccessGrant.objects.exists()


def test_lists_are_filtered_by_a_picked_row_and_no_key_makes_them_fail(root, northwind, rita):
    """The filter offers a search and loads none of the rows, of which there may be hundreds."""
    address = page(AccessGrant)
    found = root.get(address, {"repository__id__exact": northwind.pk})
    assert {grant.repository for grant in found.context["cl"].result_list} == {northwind}
    assert 'data-ajax--url="/admin/autocomplete/"' in found.content.decode()
    for key in ("x", "-1", "1,2", "9" * 30):
        for list, field in ((address, "repository"), (page(User), "groups")):
            assert root.get(list, {f"{field}__id__exact": key}, follow=True).status_code == 200


def test_every_page_of_grants_says_what_each_role_permits(root, northwind, rita):
    """In the words that are declared with the roles."""
    grant = AccessGrant.objects.first()
    assert grant is not None
    for address in (
        page(User, "add"),
        page(User, "change", rita.user.pk),
        page(Group, "add"),
        page(type(northwind), "change", northwind.pk),
        page(AccessGrant, "add"),
        page(AccessGrant, "change", grant.pk),
        reverse("admin:repositories_apikey_add"),
    ):
        text = root.get(address).content.decode()
        assert all(role.permits in text for role in Role), address


def test_the_list_says_what_each_user_has_access_to_in_as_many_queries_for_one_as_for_many(
    root, northwind, contoso, django_assert_num_queries
):
    group = Group.objects.create(name="Auditors")

    def fill(name: str) -> None:
        user = User.objects.create_user(name)
        user.groups.add(group)
        for repository in (northwind, contoso):
            AccessGrant.objects.create(user=user, repository=repository, role=Role.EDITOR)

    fill("nina")
    root.get(page(User))
    with django_assert_num_queries(len(DIMENSIONS) + 8):
        text = root.get(page(User)).content.decode()
    assert "editor of everything in contoso" in text
    assert "permissions of Auditors" in text
    assert "everything, as a superuser" in text
    for number in range(5):
        fill(f"user{number}")
    with django_assert_num_queries(len(DIMENSIONS) + 8):
        root.get(page(User))


def test_the_list_of_groups_says_who_is_in_them_and_what_they_give(root, northwind, django_assert_num_queries):
    """The first of many, in as many queries for one as for many."""

    def fill(name: str) -> None:
        group = Group.objects.create(name=name)
        AccessGrant.objects.create(group=group, repository=northwind, role=Role.EDITOR)
        for number in range(7):
            User.objects.create_user(f"{name}{number}").groups.add(group)

    # Nothing random on the page, such as a token, looks like these names.
    fill("auditor")
    root.get(page(Group))
    with django_assert_num_queries(len(DIMENSIONS) + 8):
        text = root.get(page(Group)).content.decode()
    assert all(words in text for words in ("editor of everything in northwind", "auditor0", "auditor4", "…"))
    assert "auditor5" not in text
    fill("banker")
    with django_assert_num_queries(len(DIMENSIONS) + 8):
        root.get(page(Group))


def test_a_form_that_is_saved_late_gives_back_no_right_that_was_taken_meanwhile(root, alice, northwind):
    """Neither the access of a user who was locked, nor a role that was lowered, nor a group; what was changed in it is
    saved.
    """
    grant = AccessGrant.objects.get(user=alice.user)
    leavers, joiners = (Group.objects.create(name=name) for name in ("leavers", "joiners"))
    alice.user.groups.set([leavers])
    address = page(User, "change", alice.user.pk)
    form = filled_form(root.get(address).content.decode(), "user_form")
    AccessGrant.objects.filter(pk=grant.pk).update(role=Role.READER)
    User.objects.filter(pk=alice.user.pk).update(is_active=False, is_superuser=True)
    alice.user.groups.set([])
    assert root.post(address, {**form, "first_name": "Alice", "is_staff": "on"}).status_code == 302
    alice.user.refresh_from_db()
    grant.refresh_from_db()
    assert (alice.user.first_name, alice.user.is_staff) == ("Alice", True)
    assert (alice.user.is_active, alice.user.is_superuser, grant.role) == (False, True, Role.READER)
    assert not alice.user.groups.exists()
    again = filled_form(root.get(address).content.decode(), "user_form")
    assert root.post(address, {**again, "is_active": "on", "groups": [joiners.pk]}).status_code == 302
    alice.user.refresh_from_db()
    assert (alice.user.is_active, [*alice.user.groups.all()]) == (True, [joiners])
