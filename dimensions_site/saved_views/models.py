"""What users keep for their pages: saved views of lists (a filter, a search, columns and an order under a name), the
current repository, and favourite ones.
"""

from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import models, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from dimensions_site.repositories.models import Repository

MAX_VIEW_NAME = 80
# More than the longest filter needs when all of it is percent-encoded.
MAX_QUERY = 64 * 1024
# How many views a user may have.
MAX_VIEWS = 100


class SavedView(models.Model):
    """A view of the list of one dimension; with a `repository`, it is a view of that one.

    A shared view is shown to the users with a grant for the dimension of its repository, and belongs to its owner.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views")
    dimension = models.CharField(max_length=20)
    name = models.CharField(max_length=MAX_VIEW_NAME)
    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, null=True, related_name="+")
    is_shared = models.BooleanField(default=False)
    # The parameters of the list, in the form of a URL's query, without the repository.
    query = models.TextField()

    class Meta:
        default_permissions = ()
        ordering = ("name", "pk")
        verbose_name = _("saved view")
        verbose_name_plural = _("saved views")
        constraints = (
            models.UniqueConstraint(fields=("owner", "dimension", "name"), name="one_view_of_a_name"),
            models.CheckConstraint(
                condition=Q(is_shared=False) | Q(repository__isnull=False), name="shared_view_has_repository"
            ),
        )

    def __str__(self) -> str:
        return self.name

    @classmethod
    def open_to(cls, user: User | AnonymousUser, dimension: str, repositories: Collection[int]) -> QuerySet[Any]:
        """Return the user's own views of the dimension, and those shared in the `repositories`, which are open to them.

        Each says whether the list opens with it for the user (`is_default`).
        """
        default = DefaultView.objects.filter(user=user.pk, view=OuterRef("pk"))
        views = SavedView.objects.filter(dimension=dimension).select_related("owner", "repository")
        visible = Q(owner=user.pk) | Q(is_shared=True, repository__in=repositories)
        return views.filter(visible).annotate(is_default=Exists(default))


class DefaultView(models.Model):
    """The view with which a list opens for a user: one for each dimension."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    dimension = models.CharField(max_length=20)
    view = models.ForeignKey(SavedView, on_delete=models.CASCADE, related_name="+")

    class Meta:
        default_permissions = ()
        verbose_name = _("default view")
        verbose_name_plural = _("default views")
        constraints = (models.UniqueConstraint(fields=("user", "dimension"), name="one_default_view"),)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.view_id}"


class KnownRepository(models.Model):
    """A repository that a user has chosen: the current one, which their pages follow, or a favourite.

    It gives no access: what is not open to the user any more is neither followed nor shown.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="+")
    is_current = models.BooleanField(default=False)
    is_favourite = models.BooleanField(default=False)

    class Meta:
        default_permissions = ()
        verbose_name = _("known repository")
        verbose_name_plural = _("known repositories")
        constraints = (
            models.UniqueConstraint(fields=("user", "repository"), name="one_choice_of_a_repository"),
            models.UniqueConstraint(fields=("user",), condition=Q(is_current=True), name="one_current_repository"),
        )

    def __str__(self) -> str:
        return f"{self.user_id}: {self.repository_id}"

    @classmethod
    def choose(cls, user: User, repository: Repository | None) -> None:
        """Make the repository the current one of the user; None makes it all."""
        with transaction.atomic():
            # Of two choices at the same moment the later one holds.
            User.objects.select_for_update().get(pk=user.pk)
            KnownRepository.objects.filter(user=user.pk, is_current=True).update(is_current=False)
            if repository is not None:
                KnownRepository.objects.update_or_create(
                    user=user, repository=repository, defaults={"is_current": True}
                )
