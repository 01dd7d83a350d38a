"""Workers and the tasks of their queue in words, for superusers, who can only look at them."""

from typing import Any

from django.contrib import admin
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Now
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django_q.models import Failure, OrmQ, Schedule, Success, Task

from bulkops.jobs.heartbeat import is_lost
from bulkops.models import Worker
from dimensions_site.administration.base.bounded import LookOnlyMixin, SuperuserAdmin
from dimensions_site.administration.base.values import EMPTY, column, when
from dimensions_site.text.formats import minute_with_zone, shortened

_PURPOSES = {
    "bulkops.worker.tasks.work": _("Do the waiting deletions and imports"),
    "bulkops.worker.tasks.clean": _(
        "Delete what has expired: ended jobs, abandoned imports, old proposals, stored answers and tokens"
    ),
}
# Between the message of an error and where it happened, in what the library stores.
_TRACE = " : Traceback"


def _function(row: Any) -> object:
    return row.task.get("func") if isinstance(row, OrmQ) else row.func


class _LookOnlyAdmin(LookOnlyMixin, SuperuserAdmin):
    """The library's own pages would let their users call any function."""

    actions = None
    function = staticmethod(column(_("function"), lambda row: str(_function(row) or "")))

    @admin.display(description=_("purpose"))
    def purpose(self, obj: Any) -> str:
        """Return what the task is for; the name of an unknown function, if there is one."""
        unreadable = _("Unreadable: the task was signed with another key")
        return str(_PURPOSES.get(str(_function(obj)), _function(obj) or unreadable))


class _TaskAdmin(_LookOnlyAdmin):
    """Tasks that have ended."""

    list_display = ["purpose", "began", "ended", "seconds", "outcome"]
    fields = readonly_fields = ("purpose", "began", "ended", "seconds", "outcome", "details", "function")
    search_fields = ["name", "func"]
    began = staticmethod(when("started", _("started")))
    ended = staticmethod(when("stopped", _("ended")))
    seconds = staticmethod(column(_("took (seconds)"), lambda task: number_format(task.time_taken(), decimal_pos=1)))

    @admin.display(description=_("result"))
    def outcome(self, obj: Task) -> str:
        if obj.success:
            return str(_("Done"))
        error = str(obj.result).partition(_TRACE)[0]
        return str(_("Failed: %(error)s") % {"error": shortened(error)})

    @admin.display(description=_("details"))
    def details(self, obj: Task) -> str:
        """Return what the task returned, or where its error happened."""
        return EMPTY if obj.result is None else format_html("<pre>{}</pre>", str(obj.result))


# The library has registered its own pages, because Django looks for those of all apps first.
admin.site.unregister([Schedule, OrmQ, Success, Failure])
admin.site.register([Success, Failure], _TaskAdmin)


@admin.register(Schedule)
class ScheduleAdmin(_LookOnlyAdmin):
    list_display = ["purpose", "how_often", "next_time", "last_time"]
    fields = readonly_fields = ("purpose", "how_often", "next_time", "last_time", "function")
    how_often = staticmethod(column(_("how often"), Schedule.get_schedule_type_display, "schedule_type"))
    next_time = staticmethod(when("next_run", _("next run")))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Schedule]:
        """Read with each schedule whether its last run was successful."""
        last = Task.objects.filter(id=OuterRef("task")).order_by().values("success")
        schedules: QuerySet[Schedule] = super().get_queryset(request).annotate(was_done=Subquery(last))
        return schedules

    @admin.display(description=_("last run"))
    def last_time(self, obj: Any) -> str:
        """Return the outcome of the last run, with a link to it."""
        if obj.was_done is None:
            return EMPTY
        page, words = ("success", _("Done")) if obj.was_done else ("failure", _("Failed"))
        return format_html('<a href="{}">{}</a>', reverse(f"admin:django_q_{page}_change", args=[obj.task]), words)


@admin.register(OrmQ)
class QueueAdmin(_LookOnlyAdmin):
    list_display = ["purpose", "state"]
    fields = readonly_fields = ("purpose", "state", "function", "task_id")

    @admin.display(description=_("state"))
    def state(self, obj: OrmQ) -> str:
        """Return whether a worker has taken the task, which hides it from the others for some time."""
        if obj.lock is None or obj.lock <= timezone.now():
            return str(_("Waiting for a worker"))
        return str(
            _("Taken by a worker. Another one may take it after %(when)s.") % {"when": minute_with_zone(obj.lock)}
        )


@admin.register(Worker)
class WorkerAdmin(_LookOnlyAdmin):
    list_display = ["host", "process", "began", "state"]
    fields = readonly_fields = ("host", "process", "began", "state", "name")
    ordering = ["-beat_at"]
    host = staticmethod(column(_("host"), lambda worker: worker.name.partition(":")[0], "name"))
    process = staticmethod(column(_("process"), lambda worker: worker.name.partition(":")[2].partition(":")[0]))
    began = staticmethod(when("started_at", _("started")))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Worker]:
        """Measure the silence of the workers by the database's clock, as their heartbeats are."""
        workers: QuerySet[Worker] = super().get_queryset(request)
        return workers.annotate(silent_for=Now() - F("beat_at"))

    @admin.display(description=_("state"), ordering="beat_at")
    def state(self, obj: Any) -> str:
        if is_lost(obj.silent_for):
            words = _("Lost: the last heartbeat was at %(when)s. Other workers continue its jobs.")
            return str(words % {"when": minute_with_zone(obj.beat_at)})
        seconds = max(0, round(obj.silent_for.total_seconds()))
        return ngettext(
            "Works: the last heartbeat was %(count)d second ago.",
            "Works: the last heartbeat was %(count)d seconds ago.",
            seconds,
        ) % {"count": seconds}
