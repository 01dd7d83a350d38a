"""`manage.py distribute` refuses what has no Citus; `tests/live/postgresql/test_citus.py` has the rest."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from tests.services.citus import IS_CITUS


@pytest.mark.django_db
@pytest.mark.contract("P1")
@pytest.mark.skipif(IS_CITUS, reason="the database has the extension")
@pytest.mark.parametrize("words", [(), ("--undo",)])
def test_a_database_without_the_extension_is_refused(words):
    if connection.vendor == "postgresql":
        reason = "The database does not have the extension citus. Create it here and on the workers, and add these"
    else:
        reason = "Only PostgreSQL can distribute tables; DATABASE_URL names SQLite."
    with pytest.raises(CommandError) as refused:
        call_command("distribute", *words)
    assert str(refused.value).startswith(reason)
