"""The base classes of the elements of every dimension and of their history."""

import json
from collections.abc import Collection
from typing import Any, ClassVar, Self

from django.db import models
from django.db.models import Q, QuerySet
from django.db.models.expressions import Combinable
from django.utils.translation import gettext_lazy as _

from dimensions_site.changes.models import ChangeSet
from dimensions_site.db.shards import ForeignKeyInShard
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.fields import CodePointTextField


class Origin(models.TextChoices):
    """The channel through which an element was changed (contract C12)."""

    INPUT_WEB = "INPUT_WEB", _("REST API or admin")
    IMPORT = "IMPORT", _("imported file")


class WireJSONEncoder(json.JSONEncoder):
    """Writes JSON columns as in responses: compact, and with every script readable in the database."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "ensure_ascii": False, "separators": (",", ":")})


def json_column(*, null: bool = False) -> "models.JSONField[Any, Any]":
    """Return a column for a map or a bundle."""
    return models.JSONField(null=null, encoder=WireJSONEncoder)


class ElementColumns(models.Model):
    """The columns that an element of every dimension has, and that each of its versions keeps."""

    # No index of its own: each unique constraint of an element begins with the repository.
    repository = models.ForeignKey(
        Repository,
        on_delete=models.PROTECT,
        verbose_name=_("repository"),
        related_name="+",
        editable=False,
        db_index=False,
    )
    element_id = CodePointTextField("id")
    descriptions = json_column()
    update_user = CodePointTextField(editable=False)
    update_date = models.DateTimeField(editable=False)
    update_origin = CodePointTextField(choices=Origin.choices, editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.element_id


class Change(models.TextChoices):
    """What a version did to its element."""

    CREATED = "+", _("Created")
    CHANGED = "~", _("Changed")
    DELETED = "-", _("Deleted")

    @property
    def action(self) -> str:
        return self.name.lower()


class Version(ElementColumns):
    """A version of an element: the columns that it had, and the change set that wrote them (contract C18, I1).

    Of one element, a later version has a higher number. A deletion keeps the columns that the element had last.
    """

    number = models.BigAutoField(primary_key=True)
    change = models.CharField(max_length=1, choices=Change.choices)
    change_set = ForeignKeyInShard(ChangeSet, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False)
    # The history outlives its repository.
    repository = models.ForeignKey(
        Repository, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    # The primary key of the row that the element had. An element that was deleted and created again has another.
    id = models.BigIntegerField()

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    class Meta:
        abstract = True
        default_permissions = ()
        indexes = [
            models.Index(fields=["repository", "element_id", "number", "change_set"], name="%(class)s_of_element"),
            # Only deletions write to it.
            models.Index(
                fields=["repository", "element_id", "number"], condition=Q(change="-"), name="%(class)s_deletions"
            ),
        ]


class Element(ElementColumns):
    """An element of a dimension: what `{dbID}/<dimension>/elements/{id}` addresses."""

    # Columns that are unique within a repository, and their wire names.
    unique_in_repository: ClassVar[dict[str, str]] = {"element_id": "id"}
    # The columns from which other rows are generated: nothing is generated while none of them is true, and nothing
    # changes while none of them changes.
    generating: ClassVar[frozenset[str]] = frozenset()

    # The model of its versions.
    version_model: ClassVar[type[Version]]

    class Meta:
        abstract = True
        constraints = [
            # Serves reading one element, the default order of lists, and paging after the last id.
            models.UniqueConstraint(fields=["repository", "element_id"], name="%(class)s_id_in_repository")
        ]

    @classmethod
    def of(cls, repository: Repository | int | Combinable) -> QuerySet[Self]:
        """Return the elements of this repository only, which keeps tenants apart (contract A6).

        `repository` is the repository, its primary key, or an expression for that. All elements are selected here, by
        `within`, or by keys that one of the two returned (`reading.lookup`); `test_one_scope.py` checks it.
        """
        return cls._base_manager.filter(repository=repository)

    @classmethod
    def within(cls, repositories: Collection[int]) -> QuerySet[Self]:
        """Return the elements of the repositories with these primary keys only."""
        return cls._base_manager.filter(repository__in=repositories)

    @classmethod
    def versions_of(cls, repository: Repository | int | Combinable) -> QuerySet[Any]:
        """Return the versions of this repository's elements only, in no particular order."""
        return cls.version_model._base_manager.filter(repository=repository)

    @classmethod
    def versions_within(cls, repositories: Collection[int]) -> QuerySet[Any]:
        """Return the versions of these repositories' elements, the latest first, with their change sets."""
        versions: QuerySet[Any] = cls.version_model._base_manager.filter(repository__in=repositories)
        return versions.select_related("change_set").order_by("-number")

    @classmethod
    def after_save(cls, rows: QuerySet[Any], repository: int) -> None:
        """Update what is generated from the elements `rows`, in the transaction that wrote them.

        All of them are in the `repository` (a primary key), here and in `before_delete`.
        """

    @classmethod
    def before_delete(cls, rows: QuerySet[Any], repository: int) -> None:
        """Delete what was generated from the elements `rows`, in the transaction that will delete them."""
