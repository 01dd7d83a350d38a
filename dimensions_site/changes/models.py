"""Change sets: what one transaction has written in one dimension of one repository (contract I1)."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from dimensions_site.repositories.dimensions import dimension_choices
from dimensions_site.repositories.models import ApprovalSwitch, Repository
from dimensions_site.rsql.fields import CodePointTextField

# Slots per dimension of a repository. Two transactions in the same one commit one after the other.
SLOTS = 16


class Channel(models.TextChoices):
    REST = "REST", _("REST API")
    ADMIN = "ADMIN", _("administration")
    IMPORT = "IMPORT", _("imported file")
    DELETION = "DELETION", _("deletion of many")
    RESTORE = "RESTORE", _("restored version")
    PLAN = "PLAN", _("applied change proposal")


class ChangeSet(models.Model):
    """A transaction that wrote elements of one `dimension` of one repository: who, when, through what, and why.

    `slot` and `number` place it in the order of commits (see `placing`). People are recorded by name, which outlives
    them. The counts are those of its versions in the history.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    # The history outlives its repository.
    repository = models.ForeignKey(
        Repository,
        on_delete=models.DO_NOTHING,
        verbose_name=_("repository"),
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    dimension = CodePointTextField(_("kind"), choices=dimension_choices)
    slot = models.PositiveSmallIntegerField()
    number = models.PositiveBigIntegerField()
    user = CodePointTextField(_("person"))
    channel = CodePointTextField(_("channel"), choices=Channel.choices)
    request_id = CodePointTextField(null=True)
    # The id of the data processing, import or plan that it belongs to.
    operation = CodePointTextField(null=True)
    reason = CodePointTextField(_("reason"), null=True)
    committed_at = models.DateTimeField(_("when"))
    # Of an approved plan: who proposed it and who approved it, when, and with which words (contract O5). The evidence
    # is here, because plans are deleted.
    proposed_by = CodePointTextField(_("proposed by"), null=True)
    proposed_at = models.DateTimeField(_("proposed"), null=True)
    approved_by = CodePointTextField(_("approved by"), null=True)
    approved_at = models.DateTimeField(_("approved"), null=True)
    approval_text = CodePointTextField(_("remark"), null=True)
    created = models.PositiveIntegerField(_("created"))
    changed = models.PositiveIntegerField(_("changed"))
    deleted = models.PositiveIntegerField(_("deleted"))

    class Meta:
        verbose_name = _("change")
        verbose_name_plural = _("change log")
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["repository", "dimension", "slot", "number"], name="change_set_place")
        ]
        indexes = [
            models.Index(fields=["repository", "dimension", "-committed_at", "-id"], name="change_set_latest"),
            models.Index(
                fields=["repository", "dimension", "operation"],
                condition=Q(operation__isnull=False),
                name="change_set_operation",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.id}"


class Slot(models.Model):
    """The last change set of one of several sequences per dimension of a repository; see `placing`."""

    pk = models.CompositePrimaryKey("repository_id", "dimension", "slot")
    # It outlives its repository, and primary keys are not reused.
    repository = models.ForeignKey(
        Repository, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    dimension = CodePointTextField()
    slot = models.PositiveSmallIntegerField()
    # The number of the last change set, its id, and when it was committed; 0 and null before the first.
    number = models.PositiveBigIntegerField(db_default=0)
    last = models.UUIDField(null=True)
    committed_at = models.DateTimeField(null=True)
    # Versions that no later state needs may be gone up to this number, and this instant.
    horizon = models.PositiveBigIntegerField(db_default=0)
    horizon_at = models.DateTimeField(null=True)
    # What needs approval; the same in all slots of a dimension (see `requirements`).
    approval = CodePointTextField(choices=ApprovalSwitch.choices, db_default=ApprovalSwitch.NONE.value)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.repository_id}/{self.dimension}/{self.slot}: {self.number}"
