"""Arguments of management commands: find what they name, and validate new rows."""

from collections.abc import Iterator, Mapping

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db.models import Model

from dimensions_site.repositories.models import Repository, Role

ROLE_BY_NAME: Mapping[str, Role] = {str(role.label): role for role in Role}


def find_repository(db_id: str) -> Repository:
    """Return the repository with this dbID; raises `CommandError` if it does not exist."""
    repository = Repository.objects.filter(db_id=db_id).first()
    if repository is None:
        raise CommandError(f"There is no repository '{db_id}'.")
    return repository


def find_user(username: str, *, may_be_new: bool = False) -> User:
    """Return the user with this name; raises `CommandError` if it does not exist. If the user `may_be_new`, the message
    says how to create one.
    """
    user = User.objects.filter(username=User.normalize_username(username)).first()
    if user is None:
        hint = f" `manage.py create_user {username}` creates one." if may_be_new else ""
        raise CommandError(f"There is no user '{username}'.{hint}")
    return user


def check_new(row: Model, arguments: Mapping[str, str], *, taken: str) -> None:
    """Raise `CommandError` with a line for each invalid argument if the new row is not valid.

    `arguments` maps fields to the names of the arguments that set them; `taken` is the message for a name that exists
    already.
    """
    try:
        row.full_clean()
    except ValidationError as refusal:
        raise CommandError("\n".join(_lines(row, refusal, arguments, taken))) from None


def _lines(row: Model, refusal: ValidationError, arguments: Mapping[str, str], taken: str) -> Iterator[str]:
    for field, errors in refusal.error_dict.items():
        if any(error.code == "unique" for error in errors):
            yield taken
        else:
            messages = " ".join(message for error in errors for message in error.messages)
            yield f"{arguments[field]} '{getattr(row, field)}' is invalid: {messages}"
