"""A large import in the admin's way; runs inside processes that have Django set up, and reports by its output."""

import json
import sys
import time
from tempfile import TemporaryFile

from django.contrib.auth.models import User

from account.models import Account, AccountVersion
from bulkops.jobs import file_imports
from bulkops.models import FileImport, ImportStatus
from dimensions_site.repositories.models import Repository

_TIMEOUT = 60
_HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType\n"


def begin(db_id: str, count: int) -> None:
    """Have so many new accounts imported into a new repository, as if they had been checked; print the import's oid."""
    repository = Repository.objects.create(db_id=db_id, name=db_id)
    with TemporaryFile() as file:
        file.write(_HEADINGS.encode())
        file.writelines(f"{number:07},Cash,BALANCE_SHEET,NORMAL,FINAL\n".encode() for number in range(count))
        file.seek(0)
        file_import = file_imports.receive(User.objects.get(username="alice"), repository, "account", "a.csv", file)
    FileImport.objects.filter(pk=file_import.pk).update(status=ImportStatus.CHECKED)
    assert file_imports.confirm(file_import, file_imports.Choices(), None)
    sys.stdout.write(file_import.oid)


def print_outcome(oid: str, db_id: str) -> None:
    """Print what has become of the import, as soon as it has ended."""
    deadline = time.monotonic() + _TIMEOUT
    while FileImport.objects.get(oid=oid).finished_at is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    ended = FileImport.objects.get(oid=oid)
    outcome = {
        "status": ended.status,
        "attempts": ended.attempts,
        "created": ended.report.get("created"),
        "stored": Account.objects.filter(repository__db_id=db_id).count(),
        "versions": AccountVersion.objects.filter(repository__db_id=db_id).count(),
        "pieces": ended.pieces.count(),
    }
    sys.stdout.write(json.dumps(outcome))
