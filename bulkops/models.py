"""Jobs, and the workers that run them (contract F)."""

import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from dimensions_site.elements.models import json_column
from dimensions_site.repositories.dimensions import dimension_choices
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.fields import CodePointTextField


class Status(models.TextChoices):
    """The status of a deletion; all but the first are final (contract F3)."""

    RUNNING = "RUNNING", _("running, waiting or stopping")
    COMPLETED = "COMPLETED", _("completed")
    FAILED = "FAILED", _("failed")
    ABORTED = "ABORTED", _("aborted")


def new_oid() -> str:
    """Return a new identifier of a job that cannot be guessed."""
    return str(uuid.uuid4())


class Job(models.Model):
    """What a worker does in one dimension of one repository, for whom, and which worker does it (contract F2, F6).

    Every change is a conditional update, whose number of rows shows whether it came first. A job without `claimed_by`
    waits for a worker from `due_at` on; otherwise `heartbeat` is the last one of its worker. Both use the database's
    clock. `attempts` counts how often it was started since the last progress, this time included.
    """

    oid: "CodePointTextField[str, str]"
    repository = models.ForeignKey(
        Repository, on_delete=models.CASCADE, verbose_name=_("repository"), related_name="+", db_index=False
    )
    dimension = CodePointTextField(_("kind"), choices=dimension_choices)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    requester = CodePointTextField(
        _("requester"), help_text=_("The user's name at the time of the request; it survives the user.")
    )

    # Why, for the change sets of the job (contract I2).
    reason = CodePointTextField(_("reason"), null=True)

    claimed_by = CodePointTextField(null=True)
    heartbeat = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


class DataProcessing(Job):
    """The deletion of many elements of one dimension of one repository, and the single source of its state (contract
    F).
    """

    oid = CodePointTextField("dataProcessingId", default=new_oid, unique=True)
    request_date_time = models.DateTimeField()
    status = CodePointTextField(_("status"), choices=Status.choices, default=Status.RUNNING)

    requested = models.PositiveIntegerField()
    processed = models.PositiveIntegerField(default=0)
    deleted = models.PositiveIntegerField(_("deleted"), default=0)
    not_found = json_column()
    # Elements that stay because others refer to them (contract L2): None if references are ignored.
    in_use = json_column(null=True)
    # How many they are; None until the whole list was checked.
    refused = models.PositiveIntegerField(null=True)
    error = CodePointTextField(null=True)

    class Meta:
        verbose_name = _("deletion")
        verbose_name_plural = _("deletions")
        indexes = [
            models.Index(fields=["repository", "dimension", "-id"], name="processings_newest_first"),
            models.Index(fields=["id"], condition=Q(status="RUNNING"), name="processings_running"),
            models.Index(fields=["finished_at"], condition=Q(finished_at__isnull=False), name="processings_finished"),
        ]

    def __str__(self) -> str:
        return f"{self.dimension} deletion {self.oid}"


class DeletionChunk(models.Model):
    """The ids that a deletion has yet to delete in one transaction, which also deletes this row.

    So the rows are always exactly what is left to do, and the ids are kept no longer than needed.
    """

    processing = models.ForeignKey(DataProcessing, on_delete=models.CASCADE, related_name="chunks", db_index=False)
    position = models.PositiveIntegerField()
    ids = json_column()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["processing", "position"], name="one_chunk_at_a_position")]

    def __str__(self) -> str:
        return f"chunk {self.position} of {self.processing_id}"


class ImportStatus(models.TextChoices):
    """The status of an import; the last three are final."""

    DRAFT = "DRAFT", _("being prepared")
    CHECKING = "CHECKING", _("being checked")
    CHECKED = "CHECKED", _("checked, to be confirmed")
    IMPORTING = "IMPORTING", _("being imported")
    COMPLETED = "COMPLETED", _("completed")
    FAILED = "FAILED", _("failed")
    ABORTED = "ABORTED", _("cancelled")


class FileImport(Job):
    """The import of a file into one dimension of one repository, from the upload over the check to the end.

    `preview` has the format, the headings and the first rows of the file, `options` what was chosen
    (`bulkops.jobs.file_imports.Choices`), `corrections` the new texts of cells by line and heading, `report` the result
    of the last check or of the import (`bulkops.files.imports.reports`), `phase` and `progress`, a share from 0 to 1,
    what the worker is doing.
    """

    oid = CodePointTextField(primary_key=True, default=new_oid)
    created_at = models.DateTimeField(_("uploaded"), db_default=Now())
    status = CodePointTextField(_("status"), choices=ImportStatus.choices, default=ImportStatus.DRAFT)

    file_name = CodePointTextField(_("file"))
    size = models.PositiveBigIntegerField(help_text="Bytes of the file as it was uploaded.")
    preview = json_column()
    options = json_column()
    corrections = json_column(null=True)
    phase = CodePointTextField(default="")
    progress = models.FloatField(default=0)
    report = json_column()
    error = CodePointTextField(null=True)

    class Meta:
        verbose_name = _("import")
        verbose_name_plural = _("imports")
        indexes = [
            models.Index(fields=["repository", "dimension", "-created_at"], name="imports_newest_first"),
            models.Index(fields=["due_at"], condition=Q(status__in=["CHECKING", "IMPORTING"]), name="imports_at_work"),
            models.Index(fields=["finished_at"], condition=Q(finished_at__isnull=False), name="imports_finished"),
        ]

    def __str__(self) -> str:
        return self.file_name


class FileImportPiece(models.Model):
    """A part of a file of an import, at most `bulkops.jobs.uploads.PIECE_BYTES` long.

    Files are stored in the database, because the worker may be on another host than the web server.
    """

    class File(models.TextChoices):
        """The file that it is a part of: as uploaded, as the check has read it, or the rows with errors."""

        UPLOAD = "UPLOAD"
        ROWS = "ROWS"
        REJECTS = "REJECTS"

    file_import = models.ForeignKey(FileImport, on_delete=models.CASCADE, related_name="pieces", db_index=False)
    file = CodePointTextField(choices=File.choices)
    position = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["file_import", "file", "position"], name="one_piece_at_a_position")
        ]

    def __str__(self) -> str:
        return f"piece {self.position} of {self.file} of {self.file_import_id}"


class ColumnMapping(models.Model):
    """What the headings of tables meant in the last confirmed import with the same headings into a dimension.

    `headings` is a digest of them; `mapping` and what is in `rules` are as in `bulkops.jobs.file_imports.Choices`.
    """

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="+", db_index=False)
    dimension = CodePointTextField(choices=dimension_choices)
    headings = CodePointTextField()
    mapping = json_column()
    rules = json_column(null=True)
    confirmed_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["repository", "dimension", "headings"], name="one_mapping_of_headings")
        ]

    def __str__(self) -> str:
        return self.headings


# How many of those whom no mail has reached a page names.
_NAMED = 10


class PlanStatus(models.TextChoices):
    """The status of a plan (contract O3): it is approved or rejected once, and applied once.

    `OUTDATED` is noticed when somebody approves or applies it: its elements have changed since.
    """

    READY = "READY", _("ready to apply")
    INVALID = "INVALID", _("has errors")
    APPROVED = "APPROVED", _("approved")
    REJECTED = "REJECTED", _("rejected")
    APPLIED = "APPLIED", _("applied")
    OUTDATED = "OUTDATED", _("outdated")


class PlanAction(models.TextChoices):
    CREATED = "created", _("Created")
    CHANGED = "changed", _("Changed")
    DELETED = "deleted", _("Deleted")


class Plan(models.Model):
    """What a source would change in one dimension of one repository, computed and kept until somebody applies it
    (contract K4 to K7).

    Who approved or rejected it is in `decided_by`, by primary key in `decider_key`, with `decision_text` (contract O3).
    `source` is what the plan was made from, as in its JSON; `errors` are the first of those that forbid to apply it,
    `not_found` the first of the ids to delete that no element has;
    `table_digest` is that of the table that was checked on a page, which applies no other plans.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    repository = models.ForeignKey(
        Repository, on_delete=models.CASCADE, verbose_name=_("repository"), related_name="+", db_index=False
    )
    dimension = CodePointTextField(_("kind"), choices=dimension_choices)
    created_at = models.DateTimeField(_("made"), db_default=Now())
    requester = CodePointTextField(_("requested by"))
    # The primary key of that user, which outlives a renamed or deleted one; null for a command.
    requester_key = models.PositiveBigIntegerField(null=True)
    status = CodePointTextField(_("status"), choices=PlanStatus.choices)
    source = json_column()
    scope = CodePointTextField(_("scope"), null=True)
    save_mode = CodePointTextField(default="LOOSE")
    reason = CodePointTextField(_("reason"), null=True)
    created = models.PositiveIntegerField(_("created"), default=0)
    changed = models.PositiveIntegerField(_("changed"), default=0)
    unchanged = models.PositiveIntegerField(_("unchanged"), default=0)
    deleted = models.PositiveIntegerField(_("deleted"), default=0)
    errors = json_column()
    error_count = models.PositiveIntegerField(default=0)
    not_found = json_column(null=True)
    decided_at = models.DateTimeField(_("decided"), null=True)
    decided_by = CodePointTextField(_("decided by"), null=True)
    decider_key = models.PositiveBigIntegerField(null=True)
    decision_text = CodePointTextField(_("remark"), null=True)
    applied_at = models.DateTimeField(_("applied"), null=True)
    applied_by = CodePointTextField(_("applied by"), null=True)
    change_set = models.UUIDField(null=True)
    table_digest = CodePointTextField(null=True)
    size = models.PositiveBigIntegerField(default=0, help_text="Bytes of its changes.")

    class Meta:
        verbose_name = _("change proposal")
        verbose_name_plural = _("change proposals")
        indexes = [
            models.Index(fields=["repository", "dimension", "-created_at", "-id"], name="plans_newest_first"),
            models.Index(fields=["created_at"], name="plans_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.id}"

    @property
    def expires_at(self) -> datetime:
        """When the plan may be removed: a decision starts the time again."""
        return (self.decided_at or self.created_at) + timedelta(days=settings.PLAN_RETENTION_DAYS)

    @property
    def unreached(self) -> list[str]:
        """The names of those to whom mail about the plan could not be sent: the first few and an ellipsis."""
        failed = self.notices.filter(failed_at__isnull=False).order_by("user__username")
        names = list(failed.values_list("user__username", flat=True)[: _NAMED + 1])
        return names if len(names) <= _NAMED else [*names[:_NAMED], "…"]


class PlanChange(models.Model):
    """What a plan does to one element.

    `base` is the number of the version that the element had when the plan was made, null if there was no element;
    `after` its wire JSON once the plan is applied, null if it is to be deleted; `changes` the differences (contract
    J2).
    """

    plan = models.ForeignKey(Plan, on_delete=models.CASCADE, related_name="changes", db_index=False)
    element_id = CodePointTextField("id")
    action = CodePointTextField(choices=PlanAction.choices)
    base = models.BigIntegerField(null=True)
    after = CodePointTextField(null=True)
    changes = CodePointTextField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["plan", "element_id"], name="one_change_of_an_element")]

    def __str__(self) -> str:
        return f"{self.element_id}: {self.action}"


class MailFrequency(models.TextChoices):
    AT_ONCE = "AT_ONCE", _("at once")
    DAILY = "DAILY", _("once a day, all in one mail")
    NONE = "NONE", _("never")


class MailChoice(models.Model):
    """When a person gets mail, and in which language (contract O6); without a row at once, in LANGUAGE_CODE."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="mail_choice"
    )
    frequency = CodePointTextField(choices=MailFrequency.choices, default=MailFrequency.AT_ONCE)
    language = CodePointTextField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.user_id}: {self.frequency}"


class PlanNotice(models.Model):
    """A plan of which a person is to get mail (contract O6); it is deleted once that is sent.

    The state of the plan says what the mail is about. The next attempt begins at `due_at`, by the database's clock;
    null after the last one. `failed_at` is when the latest failed.
    """

    plan = models.ForeignKey(Plan, on_delete=models.CASCADE, related_name="notices", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    due_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    failed_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["plan", "user"], name="one_notice_of_a_plan")]
        indexes = [models.Index(fields=["due_at"], name="notices_by_due_time")]

    def __str__(self) -> str:
        return f"{self.plan_id} to {self.user_id}"


class Worker(models.Model):
    """A running `manage.py qcluster`, and when it last finished some work, by the database's clock.

    Its heartbeat comes from the processes that do the work, not from the one that watches them.
    """

    name = CodePointTextField(_("name"), unique=True)
    started_at = models.DateTimeField(_("started at"), db_default=Now())
    beat_at = models.DateTimeField(_("last heartbeat"))

    class Meta:
        verbose_name = _("worker")
        verbose_name_plural = _("workers")
        indexes = [models.Index(fields=["beat_at"], name="workers_by_heartbeat")]

    def __str__(self) -> str:
        return self.name
