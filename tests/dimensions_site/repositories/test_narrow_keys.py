"""A key may be narrowed to a role, a dimension and repositories: it permits what both these and the grants allow."""

from collections.abc import Callable
from itertools import product

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from dimensions_site.repositories.dimensions import ALL, dimension_names
from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role
from tests.factories import Person, add_person, content
from tests.routes import api_routes

pytestmark = pytest.mark.contract("G1", "G2")

TOO_NARROW = (403, "CREDENTIAL_TOO_NARROW")
TOO_SMALL = (403, "ROLE_TOO_SMALL")
# One call that needs a reader, one an editor, and one a manager.
CALLS = (("GET", "elements"), ("POST", "elements"), ("POST", "elements-bulk-delete-async"))
# The repositories to which a key may be limited, and whether Northwind is then among them.
REPOSITORIES = {None: True, ("northwind",): True, ("contoso",): False, ("contoso", "northwind"): True, (): False}


def narrow_key(user: User, repositories: tuple[str, ...] | None = None, **fields) -> Person:
    """A program that calls with a narrowed key of the user; `repositories` are those to which it is limited."""
    stored = ApiKey(
        user=user, name="narrow", last_used_at=timezone.now(), is_limited=repositories is not None, **fields
    )
    key = stored.assign_key()
    stored.save()
    stored.repositories.set(Repository.objects.filter(db_id__in=repositories or ()))
    program = Person(headers={"x-api-key": key})
    program.user = user
    return program


def answer(program: Person, method: str, path: str) -> tuple[int, str | None]:
    """The status and, for a refusal, its code; the body is empty, so that nothing can be written."""
    response = program.send(method, path, {})
    return response.status_code, None if response.status_code < 400 else response.json()["code"]


def narrowed(granted: tuple[int, str | None], wide: tuple[int, str | None] = (200, None)) -> tuple[int, str | None]:
    """The answer to a key of a certain width, where a grant of that width gets `granted`, and the user `wide`."""
    return TOO_NARROW if granted == TOO_SMALL != wide else granted


@pytest.fixture
def cora(northwind, contoso) -> User:
    """Manager of everything in both repositories."""
    user = User.objects.create_user("cora")
    for repository in (northwind, contoso):
        AccessGrant.objects.create(user=user, repository=repository, role=Role.MANAGER)
    return user


@pytest.fixture
def peers(northwind) -> dict[Role, Person]:
    """For each role a user with that grant, and a key that narrows nothing."""
    return {role: add_person(f"peer {role.label}", northwind, role) for role in Role}


def test_a_narrowed_key_opens_what_a_grant_of_that_width_opens(cora, peers):
    """With a key of every role, for every dimension and choice of repositories, on routes that need each role.

    Where the key covers the repository and the dimension, each method is answered as for such a grant, except that a
    refusal says that it is the key that is too narrow; elsewhere it is 403.
    """
    widths = [*product(Role, (ALL, *dimension_names()), REPOSITORIES)]
    programs = {width: narrow_key(cora, width[2], role=width[0], dimension=width[1]) for width in widths}
    assert len(programs) == 60
    for asked, (method, rest) in product(dimension_names(), CALLS):
        path = peers[Role.READER].elements(asked, rest)
        right = {role: narrowed(answer(peers[role], method, path)) for role in Role}
        for (role, dimension, repositories), program in programs.items():
            covers = REPOSITORIES[repositories] and dimension in (ALL, asked)
            width = (method, path, role.label, dimension, repositories)
            assert answer(program, method, path) == (right[role] if covers else TOO_NARROW), width


def test_a_key_of_a_superuser_is_as_narrow_as_any_other(cora, peers):
    """On every route, though the user needs no grant."""
    AccessGrant.objects.filter(user=cora).delete()
    User.objects.filter(pk=cora.pk).update(is_superuser=True)
    closed = [narrow_key(cora, ("contoso",)), narrow_key(cora, ())]
    readers = {name: narrow_key(cora, ("northwind",), role=Role.READER, dimension=name) for name in dimension_names()}
    for route in api_routes():
        path, own = route.path("northwind"), route.namespace.split("-")[0]
        method = peers[Role.MANAGER].options(path).json()["allow"][0]
        assert answer(readers[own], method, path) == narrowed(answer(peers[Role.READER], method, path)), str(route)
        for program in (*closed, *(key for name, key in readers.items() if name != own)):
            assert answer(program, method, path) == TOO_NARROW, str(route)


@pytest.mark.parametrize("granted", Role)
def test_the_smaller_of_both_roles_counts(northwind, peers, granted):
    """A key never widens the rights of its user."""
    someone = add_person("someone", northwind, granted)
    for of_key, (method, rest) in product(Role, CALLS):
        path = someone.account(rest)
        same, wide = (answer(peers[role], method, path) for role in (min(granted, of_key), granted))
        assert answer(narrow_key(someone.user, role=of_key), method, path) == narrowed(same, wide), of_key


def test_a_key_for_repositories_of_others_opens_none_of_them(bob, northwind):
    """Bob has no grant in Northwind, and the key gives none."""
    program = narrow_key(bob.user, ("northwind", "contoso"))
    assert answer(program, "GET", program.currency()) == (403, "NO_GRANT")
    assert answer(program, "GET", program.currency(db_id="contoso")) == (200, None)
    assert answer(program, "GET", program.currency(db_id="nowhere")) == (404, "REPOSITORY_NOT_FOUND")


@pytest.mark.parametrize("is_superuser", [False, True])
def test_a_key_whose_last_repository_is_deleted_opens_nothing(cora, contoso, is_superuser):
    """It never permits everything: that it was limited is stored separately."""
    User.objects.filter(pk=cora.pk).update(is_superuser=is_superuser)
    program = narrow_key(cora, ("contoso",))
    assert answer(program, "GET", program.currency(db_id="contoso")) == (200, None)
    contoso.delete()
    assert answer(program, "GET", program.currency()) == TOO_NARROW
    assert ApiKey.objects.get(user=cora).allows() == "manager of everything in no repository"


def test_what_is_changed_later_counts_at_once(cora, northwind):
    """Narrowed, and widened again."""
    program = narrow_key(cora)
    stored = ApiKey.objects.get(user=cora)
    steps: list[tuple[Callable[[], object], tuple[int, str | None]]] = [
        (lambda: ApiKey.objects.update(role=Role.READER), TOO_NARROW),
        (lambda: ApiKey.objects.update(role=Role.EDITOR, dimension="account"), TOO_NARROW),
        (lambda: ApiKey.objects.update(dimension="currency", is_limited=True), TOO_NARROW),
        (lambda: stored.repositories.add(northwind), (400, "INVALID_REQUEST")),
    ]
    for change, expected in steps:
        change()
        assert answer(program, "POST", program.currency()) == expected


def test_a_refusal_says_that_the_key_is_too_narrow_and_not_the_client(cora):
    """So that nobody asks for a grant that they have."""
    detail = narrow_key(cora, role=Role.READER).send("POST", Person().account(), {}).json()["detail"]
    assert detail.endswith("the API key 'narrow' allows the role reader.")
    detail = narrow_key(cora, ("contoso",)).get(Person().account()).json()["detail"]
    assert detail == (
        "The API key 'narrow' is not for the account dimension of repository 'northwind', though your grants are."
    )


def test_a_narrow_key_costs_no_query_more(cora, django_assert_num_queries):
    """The key with its user and the repository with role and limits, the state of the answer, the rows."""
    program = narrow_key(cora, ("contoso", "northwind"), role=Role.READER, dimension="account")
    with django_assert_num_queries(3):
        assert content(program.get(program.account())) == b"[]"
