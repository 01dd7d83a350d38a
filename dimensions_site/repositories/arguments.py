"""What the arguments of commands name."""

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from dimensions_site.repositories.models import Repository, Role

ROLES: Mapping[str, Role] = {str(role.label): role for role in Role}


def find_repository(db_id: str) -> Repository:
    """The repository with that dbID; raises `CommandError` when there is none."""
    repository = Repository.objects.filter(db_id=db_id).first()
    if repository is None:
        raise CommandError(f"There is no repository '{db_id}'.")
    return repository


def find_user(username: str) -> User:
    """The user of that name; raises `CommandError` when there is none."""
    user = User.objects.filter(username=username).first()
    if user is None:
        raise CommandError(f"There is no user '{username}'.")
    return user
