"""The one place where a caller is let into a repository or refused (contract A6, G2, G3)."""

import re
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Max, OuterRef, Q, QuerySet, Subquery

from dimensions_site.api.errors import Problem, forbidden, not_found, shortened
from dimensions_site.repositories.models import DB_ID_PATTERN, AccessGrant, Dimension, Repository, Role


@dataclass(frozen=True)
class Scope:
    """What a caller may do in one dimension of one repository."""

    repository: Repository
    dimension: str
    role: Role

    def require(self, role: Role) -> None:
        """Raise 403 when the caller's role is smaller than `role` (contract G2)."""
        if self.role < role:
            raise forbidden(
                "ROLE_TOO_SMALL",
                f"This call needs the role {role.label} for the {self.dimension} dimension of repository "
                f"'{self.repository.db_id}'; you have the role {self.role.label}.",
            )


def enter(user: User, db_id: str, dimension: str) -> Scope:
    """Let `user` into the `dimension` of the repository `db_id`, with one query.

    Raises 404 for an unknown repository, then 403 for a caller without a grant, then 403 when the API of
    the repository is switched off, for superusers too (contract A6, G2, G3).
    """
    if not re.fullmatch(DB_ID_PATTERN, db_id):  # of these the database is not asked: PostgreSQL fails on NUL
        raise _unknown(db_id)
    best = grants_of(user, dimension).filter(repository=OuterRef("pk")).values("repository")
    repository = (
        Repository.objects.filter(db_id=db_id).annotate(best_role=Subquery(best.values(best=Max("role")))).first()
    )
    if repository is None:
        raise _unknown(db_id)
    granted: int | None = Role.MANAGER if user.is_superuser else repository.best_role
    if granted is None:
        raise forbidden("NO_GRANT", f"You have no grant for the {dimension} dimension of repository '{db_id}'.")
    if not repository.api_enabled:
        raise forbidden("API_NOT_ENABLED", f"The REST API is not enabled in repository '{db_id}'.")
    return Scope(repository, dimension, Role(granted))


def _unknown(db_id: str) -> Problem:
    return not_found("REPOSITORY_NOT_FOUND", f"There is no repository '{shortened(db_id)}'.")


def grants_of(user: User, dimension: str) -> QuerySet[AccessGrant]:
    """The grants that `user` has for `dimension`, of the user's own or through a group."""
    return AccessGrant.objects.filter(Q(user=user) | Q(group__user=user), dimension__in=[Dimension.ALL, dimension])


def repositories_open_to(user: User | AnonymousUser, dimension: str, role: Role = Role.READER) -> QuerySet[Repository]:
    """The repositories in whose `dimension` the user has at least `role`: the scope of the admin (contract G2)."""
    if user.is_anonymous:
        return Repository.objects.none()
    if user.is_superuser:
        return Repository.objects.all()
    return Repository.objects.filter(pk__in=grants_of(user, dimension).filter(role__gte=role).values("repository"))
