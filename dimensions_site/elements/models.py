"""The base classes of the elements of every dimension and of their history."""

import json
from collections.abc import Collection
from typing import Any, ClassVar, Self

from django.db import models
from django.db.models import Q, QuerySet
from django.db.models.expressions import Combinable
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.columns import CodePointTextField


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


class ElementHistory(models.Model):
    """What a version of an element has besides its values: by whom and through which channel (contract C18).

    The user's name is stored as text, so that it survives the user.
    """

    history_actor = CodePointTextField()
    history_origin = CodePointTextField(choices=Origin.choices)

    class Meta:
        abstract = True


class ElementRecords(HistoricalRecords):
    """The history of a dimension, in which deleted elements are found by repository and id."""

    def get_meta_options(self, model: type[models.Model]) -> dict[str, Any]:
        """Return the options of the history's model, with an index that only deletions write to."""
        deletions = models.Index(
            fields=["repository", "element_id", "history_id"],
            condition=Q(history_type="-"),
            name=f"{model._meta.model_name}_deletions",
        )
        options: dict[str, Any] = super().get_meta_options(model)
        return {**options, "indexes": [deletions]}


class Element(models.Model):
    """An element of a dimension: what `{dbID}/<dimension>/elements/{id}` addresses."""

    # Columns that are unique within a repository, and their wire names.
    unique_in_repository: ClassVar[dict[str, str]] = {"element_id": "id"}
    # The columns from which other rows are generated: nothing is generated while none of them is true, and nothing
    # changes while none of them changes.
    generating: ClassVar[frozenset[str]] = frozenset()

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

    history = ElementRecords(bases=[ElementHistory], inherit=True, history_id_field=models.BigAutoField())

    class Meta:
        abstract = True
        constraints = [
            # Serves reading one element, the default order of lists, and paging after the last id.
            models.UniqueConstraint(fields=["repository", "element_id"], name="%(class)s_id_in_repository"),
        ]

    def __str__(self) -> str:
        return self.element_id

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
    def versions_within(cls, repositories: Collection[int]) -> QuerySet[Any]:
        """Return the history of these repositories' elements, the latest version first."""
        versions: QuerySet[Any] = cls.history.filter(repository__in=repositories)
        return versions.order_by("-history_id")

    @classmethod
    def after_save(cls, rows: QuerySet[Any]) -> None:
        """Update what is generated from the elements `rows`, in the transaction that wrote them."""

    @classmethod
    def before_delete(cls, rows: QuerySet[Any]) -> None:
        """Delete what was generated from the elements `rows`, in the transaction that will delete them."""
