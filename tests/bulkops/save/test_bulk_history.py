"""A bulk save leaves what the same single writes leave: elements, history and generated logic."""

from typing import Any

import pytest
from django.db.models import Model

from account.models import AccountVersion, CalculationLogic
from dimensions_site.elements.models import Version
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from tests.bulkops.save.bulk import patch, path, save
from tests.dimensions import MODELS, WIRES
from tests.factories import account, content
from tests.lengths import tries
from tests.random_elements import RandomElements

COUNT = tries(100, long=10_000)
# Keys and instants, and what is made for each currency without an oid, differ from one repository to the other.
_OF_ITS_OWN = {"id", "repository_id", "update_date", "number", "change_set_id", "oid"}


@pytest.fixture
def twin(alice):
    """A repository like Northwind, in which alice writes every element by itself."""
    repository = Repository.objects.create(db_id="twin", name="Twin of Northwind", default_language="en")
    AccessGrant.objects.create(user=alice.user, repository=repository, role=Role.MANAGER)
    return repository


def rows(model: type[Model], repository: Repository, *order: str) -> list[dict[str, Any]]:
    """All columns of the rows of a repository but those that differ anyway; who wrote a version, and through what."""
    columns = [column.attname for column in model._meta.concrete_fields if column.attname not in _OF_ITS_OWN]
    if issubclass(model, Version):
        columns += ["change_set__user", "change_set__channel"]
    return list(model._base_manager.filter(repository=repository).order_by(*order).values(*columns))


def logics(repository: Repository) -> list[tuple[str, ...]]:
    """The generated logic of the accounts of a repository."""
    columns = ("account__element_id", "name", "computes", "formula")
    return list(
        CalculationLogic.objects.filter(account__repository=repository).order_by(*columns).values_list(*columns)
    )


def compare(dimension: str, one: Repository, other: Repository) -> tuple[int, int]:
    """Check that both repositories have the same content, row by row; return the numbers of elements and versions."""
    model = MODELS[dimension]
    elements, versions = rows(model, one, "element_id"), rows(model.version_model, one, "element_id", "number")
    assert elements == rows(model, other, "element_id")
    assert versions == rows(model.version_model, other, "element_id", "number")
    assert logics(one) == logics(other)
    return len(elements), len(versions)


@pytest.mark.contract("C17", "C18", "E1")
@pytest.mark.parametrize("dimension", ["account", "currency"])
@pytest.mark.django_db(transaction=True)
def test_bulk_saves_leave_what_single_writes_leave(alice, northwind, twin, dimension):
    """Random elements: created, then replaced (some by the same, some by others, some new), then patched."""
    source = RandomElements(WIRES[dimension], seed=COUNT)

    def one_by_one(method, rest, body, *statuses):
        response = alice.send(method, path(alice, dimension, rest, "twin"), body)
        assert response.status_code in statuses, content(response)

    created = source.many(COUNT)
    save(alice, dimension, post=created)
    for element in created:
        one_by_one("POST", "elements", element, 201)
    count, versions = compare(dimension, northwind, twin)
    assert (count, versions) == (COUNT, COUNT)

    replaced = [old if number % 3 else {**source.one(), "id": old["id"]} for number, old in enumerate(created)]
    replaced += [{**source.one(), "id": f"new {number}"} for number in range(COUNT // 10)]
    save(alice, dimension, put=replaced)
    for element in replaced:
        one_by_one("PUT", f"elements/{element['id']}", element, 200, 201)
    count, versions = compare(dimension, northwind, twin)
    assert count == COUNT + COUNT // 10
    assert count < versions < count + COUNT // 2

    changes = [(element["id"], source.changes() if number % 4 else {}) for number, element in enumerate(replaced)]
    save(alice, dimension, patch=[patch(id, **data) for id, data in changes])
    for id, data in changes:
        one_by_one("PATCH", f"elements/{id}", data, 200)
    _, patched = compare(dimension, northwind, twin)
    assert versions < patched < versions + len(changes) * 4 / 5

    assert dimension == "currency" or 0 < len(logics(northwind)) < count


@pytest.mark.contract("C17", "E1")
def test_the_logic_follows_the_saved_accounts(alice, northwind):
    """Generated and removed in the same call, by each operation; that of other accounts stays."""
    asking, not_asking = {"grossAmountEqualICSum": True}, {"grossAmountEqualICSum": False}
    first = [account(id, rules=asking) for id in ("a", "b", "c", "stays")] + [account(id) for id in ("x", "y")]
    save(alice, "account", post=first)
    kept = CalculationLogic.objects.get(account__element_id="c")

    save(
        alice,
        "account",
        post=[account("new", rules=asking), account("plain")],
        put=[account("a"), account("x", rules=asking), account("c", rules=asking, type="DETAIL")],
        patch=[patch("b", rules=not_asking), patch("y", rules=asking)],
    )

    assert [id for id, *_ in logics(northwind)] == ["c", "new", "stays", "x", "y"]
    assert CalculationLogic.objects.get(account__element_id="c") == kept


@pytest.mark.contract("C12", "C18")
@pytest.mark.django_db(transaction=True)
def test_each_version_records_who_wrote_it_and_when(alice, ed):
    """One change set for the whole call, committed after the instant of `updateInfo`; the name survives the user."""
    save(alice, "account", post=[account("1"), account("2")])
    answer = save(ed, "account", put=[account("1", type="DETAIL")], patch=[patch("2")])

    versions = AccountVersion.objects.order_by("element_id", "number")
    assert [(row.element_id, row.change, row.change_set.user, row.change_set.channel) for row in versions] == [
        ("1", "+", "alice", "REST"),
        ("1", "~", "ed", "REST"),
        ("2", "+", "alice", "REST"),
    ]
    assert len({row.change_set for row in versions}) == len({row.update_date for row in versions}) == 2
    assert all(row.change_set.committed_at > row.update_date for row in versions)
    assert [element["updateInfo"]["user"] for element in answer] == ["ed", "alice"]

    ed.user.delete()
    assert AccountVersion.objects.get(change="~").change_set.user == "ed"
