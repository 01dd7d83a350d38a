"""Many elements are found by their ids without reading the others of the repository."""

from django.db import connection

from account.models import Account
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.repositories.models import Repository
from tests.bulkops.save.bulk import path, save
from tests.factories import account, content, read
from tests.services.citus import IS_CITUS


def test_only_the_elements_of_the_repository_are_found(alice, bob, northwind):
    save(alice, "account", post=[account("1"), account("2")])
    other = Repository.objects.exclude(pk=northwind.pk).get()
    answer = bob.send("POST", path(bob, "account", db_id=other.db_id), {"post": [account("2"), account("3")]})
    assert answer.status_code == 200, content(answer)
    assert len(read(answer)) == 2
    found = with_ids(Account, northwind, ["2", "3", "nothing"])
    assert [str(element) for element in found] == ["2"]


def test_no_ids_find_nothing(alice, northwind):
    save(alice, "account", post=[account("1")])
    assert not with_ids(Account, northwind, []).exists()


# A shard is named by the repository, so that its worker may read all of that one until it has statistics of it.
if connection.vendor == "postgresql" and not IS_CITUS:

    def test_each_id_is_looked_up_in_a_repository_that_was_loaded_just_now(alice, northwind):
        """There are no statistics of it yet, and PostgreSQL would consider reading all of it cheaper."""
        save(alice, "account", post=[account(f"{number}") for number in range(5_000)])
        found = with_ids(Account, northwind, [f"{number}" for number in range(1_000)])
        assert found.count() == 1_000
        plan = found.explain(analyze=True, timing=False)
        assert "Rows Removed by Filter" not in plan, plan
        assert "element_id = named.id" in plan, plan
