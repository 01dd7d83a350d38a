"""Two tenants in one database, and what one of them attacks with; runs inside processes that have Django set up."""

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from tempfile import TemporaryFile

from django.contrib.auth.models import User
from django.test import Client

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from bulkops.jobs import file_imports
from bulkops.models import FileImport
from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role

# The languages of the largest elements, and the characters of each text: 240 of the 256 KiB that an element may have.
_LANGUAGES, _TEXT = 200, "Forderungen aus Lieferungen " * 43
_HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType\n"
_PLAIN = {"nature": "BALANCE_SHEET", "type": "NORMAL", "conversion": {"conversionType": "FINAL"}}


def settle(elements: int) -> None:
    """Make the attacker's repository with that many of the largest elements, and the other tenant's with one.

    Prints what is needed to call as either.
    """
    attacked, other = (Repository.objects.get_or_create(db_id=id)[0] for id in ("northwind", "contoso"))
    mallory, mallorys_key = _editor("mallory", attacked)
    _, noras_key = _editor("nora", other)
    _fill(other, ["1000"], {"id": "x", "descriptions": {"en": "Cash"}, **_PLAIN})
    languages = [f"{a}{b}" for a in "abcdefghijklmnopqrst" for b in "abcdefghij"][:_LANGUAGES]
    largest = {"id": "x", "descriptions": dict.fromkeys(languages, _TEXT[:1_000]), **_PLAIN}
    largest["customAttributes"] = {"remark": "x" * 1_000}
    _fill(attacked, [f"large-{number:03}" for number in range(elements)], largest)
    browser = Client()
    browser.force_login(mallory)
    known = {
        "attacker": mallorys_key,
        "other": noras_key,
        "session": browser.cookies["sessionid"].value,
        "target": f"account:{attacked.pk}",
        "largest": Account.objects.filter(repository=attacked).values_list("pk", flat=True)[0],
    }
    sys.stdout.write(json.dumps(known, default=str))


def begin_import(rows: int) -> None:
    """Have a file of that many new accounts checked; print the oid of the import."""
    with TemporaryFile() as file:
        file.write(_HEADINGS.encode())
        file.writelines(f"import-{number:07},Cash,BALANCE_SHEET,NORMAL,FINAL\n".encode() for number in range(rows))
        user, repository = User.objects.get(username="alice"), Repository.objects.get(db_id="northwind")
        begun = file_imports.receive(user, repository, "account", "accounts.csv", file)
    assert file_imports.check(begun, file_imports.Choices())
    sys.stdout.write(begun.oid)


def confirm_import(oid: str) -> None:
    """Have the checked import done."""
    assert file_imports.confirm(FileImport.objects.get(oid=oid), file_imports.Choices(), None)


def _editor(name: str, repository: Repository) -> tuple[User, str]:
    user = User.objects.create_user(name, password=f"{name}-password", is_staff=True)
    AccessGrant.objects.create(user=user, repository=repository, role=Role.EDITOR, dimension="all")
    return user, ApiKey.objects.create_key(user=user, name="attacks")[1]


def _fill(repository: Repository, ids: list[str], element: Mapping[str, object]) -> None:
    """Put copies of the element into the database."""
    values = ACCOUNT_WIRE.declaration.run_validation(element)
    provenance = {"update_user": "x", "update_date": datetime(2026, 1, 1, tzinfo=UTC), "update_origin": "IMPORT"}
    Account.objects.bulk_create(
        (Account(repository=repository, **{**values, "element_id": id}, **provenance) for id in ids), batch_size=20
    )
