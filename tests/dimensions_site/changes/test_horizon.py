"""The horizon, before which states are refused, never goes back."""

import time
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from dimensions_site.changes.models import ChangeSet, Slot
from dimensions_site.changes.states import current_state, move_horizon
from dimensions_site.repositories.models import Repository
from tests.beside import beside
from tests.factories import account
from tests.storing import store_accounts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("I4", "J1")]


def test_of_two_at_once_the_later_one_stays(northwind: Repository):
    """One waits for the other, and looks at what is there then."""
    store_accounts(northwind, account("1"))
    later = timezone.now() - timedelta(days=10)
    earlier = later - timedelta(days=10)
    aged = earlier - timedelta(days=1)
    ChangeSet.objects.update(committed_at=aged)
    Slot.objects.exclude(number=0).update(committed_at=aged)

    with transaction.atomic():
        move_horizon(northwind.pk, "account", later)
        waiting = beside(lambda: move_horizon(northwind.pk, "account", earlier))
        time.sleep(0.3)
        assert not waiting.done()
    waiting.result(timeout=60)
    _, horizon = current_state(northwind.pk, "account")
    assert (horizon.at, set(horizon.numbers.values())) == (later, {1})
