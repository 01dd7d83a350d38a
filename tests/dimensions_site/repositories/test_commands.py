"""The commands with which an operator gives people access: what they do, print and refuse."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role
from tests.factories import Person

HINT = "`manage.py create_user nobody` creates one."


@pytest.fixture
def run(db, capsys):
    """Run a command and return the lines that it prints."""

    def command(*arguments):
        call_command(*arguments)
        return capsys.readouterr().out.splitlines()

    return command


@pytest.mark.contract("G1", "G2")
def test_four_commands_open_the_service_to_a_program(run):
    """A user, a repository, a grant and a key, from the printed lines to the first answer."""
    assert run("create_user", "carla") == [
        "Created user carla, who calls with API keys: `manage.py create_api_key carla --name …` creates one."
    ]
    assert run("create_repository", "acme", "--name", "Acme group", "--language", "it") == [
        "Created repository acme (Acme group)."
    ]
    assert run("grant_access", "carla", "acme", "editor") == ["Granted: carla: editor of everything in acme."]
    message, key = run("create_api_key", "carla", "--name", "nightly load")
    assert message == "API key 'nightly load' of carla; keep it, it is not shown again:"
    path = Person().currency("elements-count", "acme")
    assert Client(headers={"X-API-Key": key}).get(path).json() == 0
    assert Repository.objects.get().default_language == "it"


@pytest.mark.contract("G1")
def test_a_program_has_no_password_and_does_not_sign_in(run):
    """Neither in the administration nor with HTTP Basic."""
    run("create_user", "erp")
    user = User.objects.get()
    assert (user.is_active, user.is_staff, user.is_superuser) == (True, False, False)
    assert not user.has_usable_password()


def test_staff_sign_in_once_they_have_a_password(run):
    """The message says how to create one."""
    assert run("create_user", "ann", "--staff") == [
        "Created user ann, who signs in to the administration with a password: `manage.py changepassword ann` sets it."
    ]
    user = User.objects.get()
    assert (user.is_active, user.is_staff, user.is_superuser) == (True, True, False)
    assert not user.has_usable_password()
    user.set_password("a-new-password-9")
    user.save()
    page = Client()
    assert page.post("/admin/login/", {"username": "ann", "password": "a-new-password-9"}).status_code == 302
    assert page.get("/admin/").status_code == 200


@pytest.mark.contract("G1")
def test_the_key_stands_alone_on_the_last_line_and_only_its_hash_is_stored(run):
    """So that a script can read it; the stored row does not contain it."""
    User.objects.create_user("carla")
    key = run("create_api_key", "carla", "--name", "x", "--expires-days", "30")[-1]
    assert re.fullmatch(r"[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}", key)
    [row] = ApiKey.objects.values()
    assert not [value for value in row.values() if key.split(".")[1] in str(value)]
    assert abs(row["expiry_date"] - timezone.now() - timedelta(days=30)) < timedelta(minutes=1)


@pytest.mark.contract("G1", "G2")
def test_a_key_is_narrowed_by_options(run, northwind, contoso):
    """To a role, a dimension, and repositories, each named; without them it allows all that its user may do."""
    User.objects.create_user("carla")
    run("create_api_key", "carla", "--name", "wide")
    run("create_api_key", "carla", "--name", "narrow", "--role", "reader", "--dimension", "account")
    run("create_api_key", "carla", "--name", "two", "--repository", "northwind", "--repository", "contoso")
    assert {key.name: key.allows() for key in ApiKey.objects.all()} == {
        "wide": "manager of everything in all repositories",
        "narrow": "reader of account in all repositories",
        "two": "manager of everything in contoso, northwind",
    }


@pytest.mark.contract("G2")
def test_granting_again_replaces_the_role_for_that_dimension(run, northwind):
    """A grant for one dimension and one for all can coexist."""
    User.objects.create_user("carla")
    for role in ("reader", "manager"):
        run("grant_access", "carla", "northwind", role)
    assert run("grant_access", "carla", "northwind", "editor", "--dimension", "account") == [
        "Granted: carla: editor of account in northwind."
    ]
    assert list(AccessGrant.objects.order_by("dimension").values_list("dimension", "role")) == [
        ("account", Role.EDITOR),
        ("all", Role.MANAGER),
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("create_repository", "a/b", "--name", "X"), "DBID 'a/b' is invalid: A dbID has 1 to 64 letters"),
        (("create_repository", "", "--name", "X"), "DBID '' is invalid"),
        (("create_repository", "x" * 65, "--name", "X"), "1 to 64 letters"),
        (("create_repository", "a\n", "--name", "X"), "is invalid"),
        (("create_repository", "acme", "--name", ""), "--name '' is invalid"),
        (("create_repository", "acme", "--name", "x" * 201), "at most 200 characters"),
        (("create_repository", "acme", "--name", "X", "--language", "english"), "--language 'english' is invalid"),
        (("create_repository", "northwind", "--name", "X"), "There is already a repository 'northwind'."),
        (("create_repository", "northwind", "--name", ""), "--name '' is invalid: This field cannot be blank.\nThere"),
        (("create_repository", "acme"), "--name"),
        (("create_api_key", "carla", "--name", "x", "--repository", "nowhere"), "There is no repository 'nowhere'."),
        (("create_api_key", "carla", "--name", "x", "--role", "owner"), "invalid choice: 'owner'"),
        (("create_api_key", "carla", "--name", "x", "--dimension", "all"), "invalid choice: 'all'"),
        (("grant_access", "nobody", "northwind", "reader"), f"There is no user 'nobody'. {HINT}"),
        (("grant_access", "carla", "nowhere", "reader"), "There is no repository 'nowhere'."),
        (("grant_access", "carla", "northwind", "owner"), "choose from 'reader', 'proposer', 'editor', 'manager'"),
        (("grant_access", "carla", "northwind", "reader", "--dimension", "x"), "choose from 'currency', 'account'"),
        (("create_api_key", "nobody", "--name", "x"), f"There is no user 'nobody'. {HINT}"),
        (("create_user", "carla"), "There is already a user 'carla'."),
        (("create_user", "carla", "--staff"), "There is already a user 'carla'."),
        (("create_user", ""), "NAME '' is invalid: This field cannot be blank."),
        (("create_user", "a b"), "NAME 'a b' is invalid: Enter a valid username."),
        (("create_user", "erp:1"), "NAME 'erp:1' is invalid: Enter a valid username."),
        (("create_user", "x" * 151), "is invalid: Ensure this value has at most 150 characters"),
        (("create_user",), "NAME"),
        (("create_api_key", "carla"), "--name"),
        (("create_api_key", "carla", "--name", ""), "1 to 50 characters"),
        (("create_api_key", "carla", "--name", "x" * 51), "1 to 50 characters"),
        (("create_api_key", "carla", "--name", "x", "--expires-days", "0"), "--expires-days 0 is invalid"),
        (("create_api_key", "carla", "--name", "x", "--expires-days", "99999999"), "from 1 to 36500"),
    ],
)
@pytest.mark.contract("G1", "G2")
def test_what_cannot_be_done_is_refused_in_plain_words(run, northwind, arguments, words):
    """The message names the argument and its value; nothing is stored."""
    User.objects.create_user("carla")
    with pytest.raises(CommandError) as refusal:
        run(*arguments)
    assert words in str(refusal.value)
    assert (Repository.objects.count(), AccessGrant.objects.count(), ApiKey.objects.count()) == (1, 0, 0)
    assert not User.objects.get().is_staff


@pytest.mark.contract("C3")
def test_several_errors_of_a_repository_are_reported_at_once(run):
    """One line each."""
    with pytest.raises(CommandError) as refusal:
        run("create_repository", "a b", "--name", "", "--language", "x")
    assert [line.split(" ")[0] for line in str(refusal.value).splitlines()] == ["DBID", "--name", "--language"]
