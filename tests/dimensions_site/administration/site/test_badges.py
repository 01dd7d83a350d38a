"""States of jobs and plans stand on lists as coloured words."""

import pytest
from django.test import Client
from django.utils import timezone

from bulkops.models import DataProcessing, Status
from dimensions_site.repositories.models import Repository
from tests.dimensions_site.administration.site.people import page

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("status", "tone"),
    [(Status.COMPLETED, "good"), (Status.FAILED, "bad"), (Status.RUNNING, "waiting"), (Status.ABORTED, "quiet")],
)
def test_a_state_has_its_words_and_its_colour(admin_client: Client, northwind: Repository, status, tone):
    DataProcessing.objects.create(
        repository=northwind,
        dimension="account",
        requester="ann",
        request_date_time=timezone.now(),
        requested=1,
        not_found=[],
        status=status,
    )
    answer = admin_client.get(page(DataProcessing))
    assert f'<span class="badge is-{tone}">{status.label}</span>' in answer.content.decode()
