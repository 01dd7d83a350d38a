"""The jobs of one tenant do not keep all workers from those of another."""

from tempfile import TemporaryFile
from typing import Any

import pytest
from django.db.models.functions import Now

from bulkops.jobs import file_imports
from bulkops.jobs.file_imports import Choices
from bulkops.models import DataProcessing
from dimensions_site.repositories.models import Repository
from tests.bulkops.jobs.deletions import claimed, start
from tests.factories import Person

pytestmark = [pytest.mark.contract("F6"), pytest.mark.django_db(transaction=True)]


def begin_import(person: Person, repository: Repository) -> str:
    """Have a file of the person checked; return the id of the import."""
    with TemporaryFile() as file:
        file.write(b"id,descriptions.en\n1000,Cash\n")
        file_import = file_imports.receive(person.user, repository, "account", "chart.csv", file)
    assert file_imports.check(file_import, Choices())
    return str(file_import.oid)


@pytest.mark.parametrize("kind", ["deletion", "import"])
def test_a_tenant_with_many_jobs_gets_one_worker_while_others_wait(
    alice: Person, bob: Person, contoso: Repository, kind: str
):
    """The oldest is first again when a job of each is worked on."""
    many = [start(alice, [f"{number}"]) for number in range(3)]
    assert claimed().oid == many[0]
    late = begin_import(bob, contoso) if kind == "import" else start(bob, ["1"], db_id="contoso")
    assert [claimed().oid for _ in range(3)] == [late, *many[1:]]


def test_a_job_whose_worker_is_lost_keeps_no_other_of_its_tenant_behind(alice: Person, bob: Person, settings: Any):
    """It is the oldest itself."""
    many = [start(alice, [f"{number}"]) for number in range(2)]
    claimed("lost")
    start(bob, ["1"], db_id="contoso")
    settings.WORKER_LOST_AFTER_SECONDS = 0
    DataProcessing.objects.filter(oid=many[0]).update(heartbeat=Now())
    assert claimed().oid == many[0]
