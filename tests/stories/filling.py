"""The people and charts of the stories; runs inside a process that has Django set up."""

import sys

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User

from dimensions_site.changes.requirements import set_approval
from dimensions_site.demo.management.commands.fill_repository import fill_accounts, fill_currencies
from dimensions_site.repositories.models import AccessGrant, ApiKey, ApprovalSwitch, Repository, Role
from tests.stories.stage import PASSWORD

PEOPLE = {
    "alice": ("northwind", Role.MANAGER),
    "ed": ("northwind", Role.EDITOR),
    "rita": ("northwind", Role.READER),
    "bob": ("contoso", Role.MANAGER),
    "polly": ("fabrikam", Role.PROPOSER),
    "carol": ("fabrikam", Role.MANAGER),
}


def fill() -> None:
    """Fill a new database and print Alice's API key."""
    repositories = {
        "northwind": Repository.objects.create(db_id="northwind", name="Northwind group", default_language="en"),
        "contoso": Repository.objects.create(db_id="contoso", name="Contoso holding", default_language="de"),
        "fabrikam": Repository.objects.create(db_id="fabrikam", name="Fabrikam works", default_language="en"),
    }
    # One hash for all: computing it deliberately takes a third of a second.
    password = make_password(PASSWORD)
    User.objects.create(username="root", password=password, is_staff=True, is_superuser=True)
    for name, (db_id, role) in PEOPLE.items():
        user = User.objects.create(username=name, password=password, is_staff=True)
        AccessGrant.objects.create(user=user, repository=repositories[db_id], role=role)
    fill_currencies(repositories["northwind"])
    fill_accounts(repositories["northwind"])
    fill_accounts(repositories["fabrikam"])
    # Every change of its accounts needs the approval of a second person.
    set_approval(repositories["fabrikam"], "account", ApprovalSwitch.ALL)
    _, key = ApiKey.objects.create_key(user=User.objects.get(username="alice"), name="Nightly report")
    sys.stdout.write(key)
