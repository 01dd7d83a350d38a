"""The one place where a caller is let into a repository or refused (contract A6, G2, G3)."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Subquery, Value

from dimensions_site.api.errors import Problem, forbidden, not_found, shortened
from dimensions_site.compiled import CompiledQuery, Given, Instances
from dimensions_site.repositories.credentials import Credential, Limits, limits_of
from dimensions_site.repositories.models import DB_ID_PATTERN, AccessGrant, Dimension, Repository, Role


@dataclass(frozen=True)
class Scope:
    """What a caller may do in one dimension of one repository.

    `role` is what the grants and the `credential` of the call allow together.
    """

    repository: Repository
    dimension: str
    role: Role
    credential: Credential | None = None

    def require(self, role: Role) -> None:
        """Raise 403 when the caller's role is smaller than `role` (contract G2)."""
        if self.role >= role:
            return
        of_credential = limits_of(self.credential).role
        has, headers = "you have", {}
        if self.credential is not None and of_credential == self.role:
            has, headers = f"the {self.credential} allows", self.credential.challenge(role)
        raise forbidden(
            "ROLE_TOO_SMALL",
            f"This call needs the role {role.label} for the {self.dimension} dimension of repository "
            f"'{self.repository.db_id}'; {has} the role {self.role.label}.",
            headers,
        )


def enter(user: User, db_id: str, dimension: str, credential: Credential | None = None) -> Scope:
    """Let `user`, who came with the `credential`, into the `dimension` of the repository `db_id`; one query.

    Raises 404 for an unknown repository, then 403 for a caller without a grant, then 403 for a credential that is not
    for this repository and dimension, then 403 when the API of the repository is switched off, for superusers too
    (contract A6, G1, G2, G3).
    """
    if not re.fullmatch(DB_ID_PATTERN, db_id):  # of these the database is not asked: PostgreSQL fails on NUL
        raise _unknown(db_id)
    limits = limits_of(credential)
    found = _found(user, db_id, dimension, limits)
    if found is None:
        raise _unknown(db_id)
    repository = found.repository
    granted = Role.MANAGER if user.is_superuser else found.best_role
    if granted is None:
        raise forbidden("NO_GRANT", f"You have no grant for the {dimension} dimension of repository '{db_id}'.")
    if limits.role is None or not found.is_within or limits.dimension not in (Dimension.ALL, dimension):
        raise forbidden(
            "CREDENTIAL_TOO_NARROW",
            f"The {credential} is not for the {dimension} dimension of repository '{db_id}', though your grants are.",
            credential.challenge(Role.READER) if credential is not None and limits.role is None else None,
        )
    if not repository.api_enabled:
        raise forbidden("API_NOT_ENABLED", f"The REST API is not enabled in repository '{db_id}'.")
    return Scope(repository, dimension, min(Role(granted), limits.role), credential)


_REPOSITORY = Instances(Repository)


@dataclass(frozen=True)
class _Found:
    """A repository, the best role that the grants give there, and whether the credential is for it."""

    repository: Repository
    best_role: int | None
    is_within: bool


def _found(user: User, db_id: str, dimension: str, limits: Limits) -> _Found | None:
    if limits.repositories is None:
        row = _compiled(dimension).first(user=user.pk, db_id=db_id)
    else:
        row = _asked(user.pk, db_id, dimension, limits.repositories).first()
    return None if row is None else _Found(_REPOSITORY.made(row), *row[-2:])


@cache
def _compiled(dimension: str) -> CompiledQuery:
    # Each call asks it, and making it takes a quarter of a GET.
    return CompiledQuery(_asked(Given("user"), Given("db_id"), dimension, None))


def _asked(
    user: int | Given, db_id: str | Given, dimension: str, repositories: QuerySet[Repository] | None
) -> QuerySet[Any, Any]:
    best = _grants(user, dimension).order_by().filter(repository_id=OuterRef("pk")).values("repository_id")
    is_within = Value(True) if repositories is None else Exists(repositories.filter(pk=OuterRef("pk")))
    return (
        Repository.objects.order_by()
        .filter(db_id=db_id)
        .values_list(*_REPOSITORY.columns, Subquery(best.values(best=Max("role"))), is_within)
    )


def _unknown(db_id: str) -> Problem:
    return not_found("REPOSITORY_NOT_FOUND", f"There is no repository '{shortened(db_id)}'.")


def grants_of(user: User, dimension: str) -> QuerySet[AccessGrant]:
    """The grants that `user` has for `dimension`, of the user's own or through a group."""
    return _grants(user.pk, dimension)


def _grants(user: int | Given, dimension: str) -> QuerySet[AccessGrant]:
    groups = User.groups.through.objects.filter(user=user).values("group")
    return AccessGrant.objects.filter(Q(user=user) | Q(group__in=groups), dimension__in=[Dimension.ALL, dimension])


def repositories_open_to(user: User | AnonymousUser, dimension: str, role: Role = Role.READER) -> QuerySet[Repository]:
    """The repositories in whose `dimension` the user has at least `role`: the scope of the admin (contract G2)."""
    if user.is_anonymous:
        return Repository.objects.none()
    if user.is_superuser:
        return Repository.objects.all()
    return Repository.objects.filter(pk__in=grants_of(user, dimension).filter(role__gte=role).values("repository"))


def roles_of(user: User | AnonymousUser, dimension: str) -> dict[int, Role]:
    """The best role that the user has for the `dimension` of each repository, by its primary key; one query."""
    if user.is_anonymous:
        return {}
    if user.is_superuser:
        return dict.fromkeys(Repository.objects.order_by().values_list("pk", flat=True), Role.MANAGER)
    best = grants_of(user, dimension).order_by().values_list("repository").annotate(Max("role"))
    return {key: Role(role) for key, role in best}
