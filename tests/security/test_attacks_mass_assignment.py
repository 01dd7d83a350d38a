"""No client sets by name what it may not set: tenants, keys, who wrote and when."""

from functools import partial

import pytest

from currency.models import Currency
from dimensions_site.repositories.models import Repository
from tests.bulkops.save.bulk import DIMENSIONS, patch, save, send
from tests.dimensions import MODELS
from tests.factories import MAKERS, Person, content, currency, read

pytestmark = pytest.mark.contract("C5", "C12")

# Names of other services' frameworks, and of rights.
FAMILIAR = (
    "pk",
    "_id",
    "isAdmin",
    "is_superuser",
    "role",
    "tenant",
    "dbID",
    "dbId",
    "db_id",
    "owner",
    "version",
    "__class__",
)
HISTORY = ("number", "change_set__committed_at", "change", "change_set__user", "change_set__channel")


def names(dimension: str) -> list[str]:
    """The columns and relations of the model that are no member of the wire, under their own names."""
    fields = MODELS[dimension]._meta.get_fields(include_hidden=True)
    own = {name for field in fields for name in (field.name, getattr(field, "attname", field.name))}
    return sorted(own.union(FAMILIAR, HISTORY) - set(MAKERS[dimension]()) - {"oid", "preferred", "description"})


@pytest.fixture
def stored(alice: Person, contoso: Repository) -> dict[str, list]:
    """An element of each dimension, as it is returned; somebody else's repository is there too."""
    for dimension in DIMENSIONS:
        path = partial(alice.elements, dimension)
        assert alice.send("POST", path(), MAKERS[dimension]("KNOWN")).status_code == 201
    return {dimension: rows(dimension) for dimension in DIMENSIONS}


def rows(dimension: str) -> list:
    """Everything that is stored of the elements of a dimension, whatever their repository, history included."""
    model = MODELS[dimension]
    return [list(model.objects.order_by("pk").values()), list(model.version_model.objects.order_by("number").values())]


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_names_of_columns_are_not_members(alice, contoso, stored, dimension):
    """Every way of writing refuses each of them by its path, and nothing is stored."""
    path, new = partial(alice.elements, dimension), MAKERS[dimension]
    for value in (contoso.pk, "contoso", None, {"id": contoso.pk}):
        forged = dict.fromkeys(names(dimension), value)
        for answer in (
            alice.send("POST", path(), new("MAKERS", **forged)),
            alice.send("PUT", path("elements/MAKERS"), new("MAKERS", **forged)),
            alice.send("PUT", path("elements/KNOWN"), new("KNOWN", **forged)),
            alice.send("PATCH", path("elements/KNOWN"), forged),
            send(alice, dimension, {"post": [new("MAKERS", **forged)]}),
            send(alice, dimension, {"put": [new("KNOWN", **forged)]}),
            send(alice, dimension, {"patch": [patch("KNOWN", **forged)]}),
        ):
            assert answer.status_code == 400, (value, content(answer))
            found = {error["path"].rpartition("/")[2] for error in answer.json()["errors"]}
            assert forged.keys() <= found, forged.keys() - found
    assert rows(dimension) == stored[dimension]


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_update_info_is_never_taken_over(alice, dimension):
    """By none of the ways of writing: who, when and from where are those of the request."""
    forged = {"user": "mallory", "date": "1999-01-01T00:00:00.000+0000", "origin": "IMPORT"}
    path, new = partial(alice.elements, dimension), MAKERS[dimension]
    assert alice.send("POST", path(), new("A", updateInfo=forged)).status_code == 201
    assert alice.send("PUT", path("elements/B"), new("B", updateInfo=forged)).status_code == 201
    assert alice.send("PATCH", path("elements/B"), {"updateInfo": forged}).status_code == 200
    body = {"post": [new("C", updateInfo=forged)], "put": [new("D", updateInfo=forged)]}
    save(alice, dimension, **body, patch=[patch("A", updateInfo=forged)])
    for element in read(alice.get(path())):
        info = element["updateInfo"]
        assert (info["user"], info["origin"]) == ("alice", "INPUT_WEB")
        assert info["date"] > "2020"
    assert not MODELS[dimension].version_model.objects.filter(change_set__user="mallory").exists()


@pytest.mark.parametrize("name", ["repository", "dbID", "db_id", "user", "role", "dimension"])
def test_no_query_parameter_chooses_another_repository_or_client(alice, contoso, name):
    """Unknown ones are refused; reading one currency ignores them."""
    alice.send("POST", alice.currency(), currency("KNOWN"))
    for path in (alice.currency(), alice.currency("elements-count"), alice.account("elements/KNOWN")):
        assert alice.get(path, {name: "contoso"}).status_code == 400
    for method, path in (("POST", alice.currency()), ("PUT", alice.currency("elements/MAKERS"))):
        assert alice.send(method, f"{path}?{name}=contoso", currency("MAKERS")).status_code == 400
    assert alice.get(alice.currency("elements/KNOWN"), {name: "contoso"}).json()["id"] == "KNOWN"
    assert list(Currency.objects.values_list("element_id", "repository__db_id")) == [("KNOWN", "northwind")]
