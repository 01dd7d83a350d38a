"""Access: the credential of a request, and the query for the repository, the user's role in it and what is covered."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS
from django.db.models import F, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import JSONObject

from dimensions_site.db.compiled import CompiledQuery, Param
from dimensions_site.repositories.dimensions import ALL
from dimensions_site.repositories.models import DB_ID_PATTERN, AccessGrant, Repository, Role

_FIELDS = Repository._meta.concrete_fields
_COLUMNS = [field.attname for field in _FIELDS]
_BEST_ROLE = "best_role"
_IS_WITHIN = "is_within"


@dataclass(frozen=True)
class Access:
    """A repository, the best role that grants give the user there, and whether the credential covers it."""

    repository: Repository
    best_role: int | None
    is_within: bool

    @classmethod
    def read(cls, found: dict[str, Any]) -> "Access":
        """Return the access in a row of `access_query`."""
        # SQLite's JSON has 0 and 1 for false and true.
        values = [field.to_python(found[field.attname]) for field in _FIELDS]
        repository = Repository.from_db(DEFAULT_DB_ALIAS, _COLUMNS, values)
        return cls(repository, found[_BEST_ROLE], bool(found[_IS_WITHIN]))


@dataclass(frozen=True)
class Credential:
    """REST framework's `request.auth` for every authentication mode except passwords (contract G1).

    `kind` and `name` identify it to people, as in "API key" and "Data warehouse"; neither is secret. A credential
    narrows the grants of its user, and never widens them: `role` is the highest role, or None if the credential permits
    nothing; `dimension` is one dimension or all. `Access` checks the repositories.
    """

    kind: str
    name: str
    role: Role | None = Role.MANAGER
    dimension: str = ALL

    def __str__(self) -> str:
        return f"{self.kind} '{self.name}'"

    def access(self, user: User, db_id: str, dimension: str) -> Access | None:
        """Return the `user`'s access to the `dimension` of the repository `db_id`; None for an unknown repository."""
        return find_access(user, db_id, dimension)

    def repositories(self) -> QuerySet[Repository]:
        """Return the repositories that the credential covers, whatever its user's grants."""
        return Repository.objects.all()

    def challenge(self, role: Role) -> dict[str, str]:
        """Return the headers of a 403 for a credential that is too narrow for `role`; none unless its standard defines
        one.
        """
        return {}


# A user name and password, which narrow nothing.
PASSWORD = Credential("password", "")


def find_access(user: User, db_id: str, dimension: str) -> Access | None:
    """Return the `user`'s access to the `dimension` of the repository `db_id`, or None if it does not exist; one
    query.
    """
    if not is_db_id(db_id):
        return None
    row = _compiled(dimension).first(user=user.pk, db_id=db_id)
    return None if row is None else Access.read(row[0])


def is_db_id(text: str) -> bool:
    """Return whether `text` is a valid `dbID`; PostgreSQL fails on some invalid ones, such as NUL."""
    return re.fullmatch(DB_ID_PATTERN, text) is not None


def access_query(user: Combinable, dimension: str, is_within: Combinable) -> QuerySet[Repository, Any]:
    """Return a query with at most one value for `Access.read`, and with the bind parameter `Param("db_id")`.

    `user` is the user's primary key, and `is_within` whether the credential covers the repository with the key
    `OuterRef("pk")`; in a subquery, both can refer to the outer query.
    """
    here = grants(OuterRef("client"), dimension).order_by().filter(repository_id=OuterRef("pk")).values("repository_id")
    best_role = Subquery(here.values(best=Max("role")))
    columns = {name: F(name) for name in _COLUMNS}
    return (
        Repository.objects.order_by()
        .filter(db_id=Param("db_id"))
        .alias(client=user)
        .values_list(JSONObject(**columns, **{_BEST_ROLE: best_role, _IS_WITHIN: is_within}))
    )


def grants(user: Combinable, dimension: str) -> QuerySet[AccessGrant]:
    """Return the grants for the `dimension` of the user with the primary key `user`, direct or by group."""
    groups = User.groups.through.objects.filter(user=OuterRef("client")).values("group")
    return AccessGrant.objects.alias(client=user).filter(
        Q(user=F("client")) | Q(group__in=groups), dimension__in=[ALL, dimension]
    )


@cache
def _compiled(dimension: str) -> CompiledQuery:
    # Compiled once: building it takes a quarter of the time of a GET.
    return CompiledQuery(access_query(Param("user"), dimension, Value(True)))
