"""What the elements of every dimension have in common."""

import json
from typing import Any, ClassVar, Self

from django.db import models
from django.db.models import Q, QuerySet
from django.db.models.expressions import Expression
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.columns import CodePointTextField


class Origin(models.TextChoices):
    """From where an element was changed (contract C12)."""

    INPUT_WEB = "INPUT_WEB", _("REST API or admin")
    IMPORT = "IMPORT", _("imported file")


class WireJSONEncoder(json.JSONEncoder):
    """Writes JSON columns as they stand on the wire: compact, and every script readable in the database."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "ensure_ascii": False, "separators": (",", ":")})


def json_column(*, null: bool = False) -> "models.JSONField[Any, Any]":
    """A column for a map or a bundle of the wire."""
    return models.JSONField(null=null, encoder=WireJSONEncoder)


class ElementHistory(models.Model):
    """What a version of an element tells beside its values: by whom and from where (contract C18).

    The name is kept as text, so that it survives the user.
    """

    history_actor = CodePointTextField()
    history_origin = CodePointTextField(choices=Origin.choices)

    class Meta:
        abstract = True


class ElementRecords(HistoricalRecords):
    """The history of a dimension, in which deleted elements are found by repository and id."""

    def get_meta_options(self, model: type[models.Model]) -> dict[str, Any]:
        """The options of the history's model, with an index that costs a write nothing unless it deletes."""
        deletions = models.Index(
            fields=["repository", "element_id", "history_id"],
            condition=Q(history_type="-"),
            name=f"{model._meta.model_name}_deletions",
        )
        options: dict[str, Any] = super().get_meta_options(model)
        return {**options, "indexes": [deletions]}


class Element(models.Model):
    """An element of a dimension: what `{dbID}/<dimension>/elements/{id}` addresses."""

    # Columns that are unique within a repository, and the wire's names of them.
    unique_in_repository: ClassVar[dict[str, str]] = {"element_id": "id"}
    # Columns on which depends what is generated from an element: nothing, as long as none of them is set to other than
    # false, and nothing else, as long as none of them changes.
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
    def of(cls, repository: Repository | Expression) -> QuerySet[Self]:
        """The elements of this repository and of no other: the one place that keeps tenants apart (contract A6)."""
        return cls._base_manager.filter(repository=repository)

    @classmethod
    def after_save(cls, rows: QuerySet[Any]) -> None:
        """Bring up to date what is generated from the elements `rows`, in the transaction that wrote them."""

    @classmethod
    def before_delete(cls, rows: QuerySet[Any]) -> None:
        """Delete what was generated from the elements `rows`, in the transaction that will delete them."""
