"""What the database knows of a caller and the repository that he asks for: all that decides whether he may enter."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS
from django.db.models import F, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import JSONObject

from dimensions_site.compiled import CompiledQuery, Given
from dimensions_site.repositories.models import DB_ID_PATTERN, AccessGrant, Dimension, Repository

_FIELDS = Repository._meta.concrete_fields
_COLUMNS = [field.attname for field in _FIELDS]
_BEST_ROLE = "best_role"
_IS_WITHIN = "is_within"


@dataclass(frozen=True)
class Entrance:
    """A repository, the best role that the grants give the caller there, and whether his credential is for it."""

    repository: Repository
    best_role: int | None
    is_within: bool

    @classmethod
    def read(cls, found: dict[str, Any]) -> "Entrance":
        """What one of `entrances` tells."""
        # SQLite's JSON has 0 and 1 for false and true.
        values = [field.to_python(found[field.attname]) for field in _FIELDS]
        repository = Repository.from_db(DEFAULT_DB_ALIAS, _COLUMNS, values)
        return cls(repository, found[_BEST_ROLE], bool(found[_IS_WITHIN]))


def find_entrance(user: User, db_id: str, dimension: str) -> Entrance | None:
    """What the `user` finds at the `dimension` of the repository `db_id`, None when there is none; one query."""
    if not is_db_id(db_id):
        return None
    row = _compiled(dimension).first(user=user.pk, db_id=db_id)
    return None if row is None else Entrance.read(row[0])


def is_db_id(text: str) -> bool:
    """Whether it may be the `dbID` of a repository; PostgreSQL fails on some texts that may not, as on NUL."""
    return re.fullmatch(DB_ID_PATTERN, text) is not None


def entrances(user: Combinable, dimension: str, is_within: Combinable) -> QuerySet[Repository, Any]:
    """The query of one value, which `Entrance.read` takes, or none, for the `Given("db_id")`.

    `user` is his number, and `is_within` whether his credential is for the repository with the key `OuterRef("pk")`; in
    a query within another both can refer to that.
    """
    here = grants(OuterRef("caller"), dimension).order_by().filter(repository_id=OuterRef("pk")).values("repository_id")
    best_role = Subquery(here.values(best=Max("role")))
    columns = {name: F(name) for name in _COLUMNS}
    return (
        Repository.objects.order_by()
        .filter(db_id=Given("db_id"))
        .alias(caller=user)
        .values_list(JSONObject(**columns, **{_BEST_ROLE: best_role, _IS_WITHIN: is_within}))
    )


def grants(user: Combinable, dimension: str) -> QuerySet[AccessGrant]:
    """The grants that the user with the number `user` has for the `dimension`, of his own or through a group."""
    groups = User.groups.through.objects.filter(user=OuterRef("caller")).values("group")
    return AccessGrant.objects.alias(caller=user).filter(
        Q(user=F("caller")) | Q(group__in=groups), dimension__in=[Dimension.ALL, dimension]
    )


@cache
def _compiled(dimension: str) -> CompiledQuery:
    # Each call asks it, and making it takes a quarter of a GET.
    return CompiledQuery(entrances(Given("user"), dimension, Value(True)))
