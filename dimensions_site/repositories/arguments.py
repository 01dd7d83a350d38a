"""What the arguments of commands name, and whether a row can be made of them."""

from collections.abc import Iterator, Mapping

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db.models import Model

from dimensions_site.repositories.models import Repository, Role

ROLES: Mapping[str, Role] = {str(role.label): role for role in Role}


def find_repository(db_id: str) -> Repository:
    """The repository with that dbID; raises `CommandError` when there is none."""
    repository = Repository.objects.filter(db_id=db_id).first()
    if repository is None:
        raise CommandError(f"There is no repository '{db_id}'.")
    return repository


def find_user(username: str, *, may_be_new: bool = False) -> User:
    """The user of that name; raises `CommandError` when there is none, and tells how to make one who `may_be_new`."""
    user = User.objects.filter(username=User.normalize_username(username)).first()
    if user is None:
        hint = f" `manage.py create_user {username}` makes one." if may_be_new else ""
        raise CommandError(f"There is no user '{username}'.{hint}")
    return user


def check(row: Model, arguments: Mapping[str, str], *, taken: str) -> None:
    """Raise `CommandError` unless the new row may be saved, with a line for each argument that does not fit.

    `arguments` are the names of the arguments by the fields that they fill, `taken` is said of a name that is taken.
    """
    try:
        row.full_clean()
    except ValidationError as refusal:
        raise CommandError("\n".join(_lines(row, refusal, arguments, taken))) from None


def _lines(row: Model, refusal: ValidationError, arguments: Mapping[str, str], taken: str) -> Iterator[str]:
    for field, faults in refusal.error_dict.items():
        if any(fault.code == "unique" for fault in faults):
            yield taken
        else:
            messages = " ".join(message for fault in faults for message in fault.messages)
            yield f"{arguments[field]} '{getattr(row, field)}' does not fit: {messages}"
