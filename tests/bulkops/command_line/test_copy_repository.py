"""A repository is copied as it was at one moment, to try things out in the copy."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from account.models import Account, CalculationLogic
from dimensions_site.changes.models import ChangeSet
from dimensions_site.elements.writing import restoring
from dimensions_site.repositories.models import AccessGrant, Repository
from tests.bulkops.plans.plans import applied, make, without_info
from tests.bulkops.save.bulk import save
from tests.factories import account, currency, read


def copy(*words: str) -> str:
    output = StringIO()
    call_command("copy_repository", "northwind", "sandbox", *words, stdout=output)
    return output.getvalue()


@pytest.fixture
def filled(alice, northwind, monkeypatch):
    """Northwind with a few elements, which are copied in several parts."""
    monkeypatch.setattr(restoring, "_BATCH", 4)
    rules = {"grossAmountEqualICSum": True}
    save(alice, "account", put=[account(f"{n}", rules=rules, customAttributes={"n": None}) for n in range(10)])
    save(alice, "currency", put=[currency("EUR", percentageDifference="0.50"), currency("gone")])
    applied(alice, "currency", make(alice, "currency", bulk={"delete": [{"id": "gone"}]}, maxDelete=1))
    return northwind


@pytest.mark.contract("I1", "C17", "C18", "J2")
@pytest.mark.django_db(transaction=True)
def test_the_copy_has_the_same_elements_and_settings(filled, alice):
    """With a change set of each dimension, and what is generated from the elements."""
    Repository.objects.update(default_language="de-CH", requires_reason=True, api_enabled=True)
    assert copy("--with-grants") == "Copied northwind to sandbox: 1 currency, 10 accounts.\n"

    made = Repository.objects.get(db_id="sandbox")
    assert (made.name, made.default_language, made.requires_reason) == ("Northwind group", "de-CH", True)
    for dimension in ("currency", "account"):
        here, there = (alice.get(alice.elements(dimension, db_id=name)) for name in ("northwind", "sandbox"))
        assert without_info(read(here)) == without_info(read(there))
        [change_set] = ChangeSet.objects.filter(repository=made, dimension=dimension)
        assert (change_set.user, change_set.reason) == ("system", "Copy of northwind")
        # The base is what was copied: a comparison since then finds nothing.
        query = f"elements-compare?fromRepository=northwind&from={made.base_states[dimension]}"
        assert read(alice.get(alice.elements(dimension, query, "sandbox"))) == []
    assert made.base == "northwind"
    assert CalculationLogic.objects.filter(account__in=Account.of(made)).count() == 10
    versions = read(alice.get(alice.account("elements-versions?id=3", "sandbox")))
    assert [version["change"] for version in versions] == ["created"]


def test_without_grants_nobody_has_access(filled, alice):
    """A sandbox is given to people one by one."""
    copy("--name", "For tests")
    assert alice.get(alice.account(db_id="sandbox")).status_code == 403
    assert not AccessGrant.objects.filter(repository__db_id="sandbox").exists()
    assert Repository.objects.get(db_id="sandbox").name == "For tests"


def test_a_name_that_is_taken_is_refused(filled, contoso):
    """Nothing is copied, nor into a repository with an invalid name."""
    for db_id, message in (("contoso", "There is already a repository 'contoso'."), ("a b", "DBID 'a b' is invalid")):
        with pytest.raises(CommandError) as refusal:
            call_command("copy_repository", "northwind", db_id)
        assert str(refusal.value).startswith(message)
    assert Repository.objects.count() == 2


def test_an_interrupted_copy_leaves_nothing(filled, monkeypatch):
    """Neither the repository nor a part of its elements."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(restoring, "follow_up", interrupt)
    with pytest.raises(CommandError, match=r"Stopped\. Nothing was copied\.") as stopped:
        copy()
    assert stopped.value.returncode == 130
    assert not Repository.objects.filter(db_id="sandbox").exists()


def test_the_administration_shows_the_base(filled, admin_client):
    """On the page of the copy only."""
    copy()
    pages = {
        one.db_id: admin_client.get(f"/admin/repositories/repository/{one.pk}/change/").content.decode()
        for one in Repository.objects.all()
    }
    base = Repository.objects.get(db_id="sandbox").base_states["account"]
    assert base in pages["sandbox"]
    assert "Copied from" not in pages["northwind"]
