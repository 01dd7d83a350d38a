"""A test with transactions of its own leaves nothing behind."""

from typing import Any

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.test import TransactionTestCase

from account.models import Account, AccountVersion
from dimensions_site.repositories.models import Repository

# Django's own way to end a test, which no type declares.
TEST_CASE: Any = TransactionTestCase


def test_what_is_stored_goes_and_permissions_stay(transactional_db, northwind, cash):
    kept = [model.objects.count() for model in (ContentType, Permission)]
    assert AccountVersion.objects.exists()
    # The first time in a process Django empties the database.
    for db_id in ("first", "second"):
        Repository.objects.create(db_id=db_id, name=db_id, default_language="en")
        TEST_CASE(methodName="__init__")._fixture_teardown()
        assert not Repository.objects.exists()
    assert not Account.objects.exists()
    assert not AccountVersion.objects.exists()
    assert [model.objects.count() for model in (ContentType, Permission)] == kept
