"""Who came with wrong passwords, and who is locked out, in the admin: for superusers."""

from datetime import timedelta

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from dimensions_site.repositories.admin import LookOnlyMixin, SuperuserAdmin
from dimensions_site.repositories.admin_columns import when
from dimensions_site.repositories.models import WrongPassword


@admin.register(WrongPassword)
class WrongPasswordAdmin(LookOnlyMixin, SuperuserAdmin):
    list_display = ["name", "address", "failures", when("attempt_time", _("last (UTC)")), "state"]
    list_display_links = None
    fields = ("name", "address", "failures", "state")
    readonly_fields = fields
    search_fields = ["username", "ip_address"]
    actions = ["unlock"]

    def has_unlock_permission(self, request: HttpRequest) -> bool:
        """Whether the user may unlock; the action asks for it."""
        return self.has_view_permission(request)

    @admin.display(description=_("user name"), ordering="username")
    def name(self, obj: WrongPassword) -> str:
        """In small letters: all spellings of a name count together."""
        return str(obj.username)

    @admin.display(description=_("address"), ordering="ip_address")
    def address(self, obj: WrongPassword) -> str:
        """Of the caller; of version 6 the beginning that his network has."""
        return str(obj.ip_address)

    @admin.display(description=_("wrong passwords"), ordering="failures_since_start")
    def failures(self, obj: WrongPassword) -> int:
        """How many in a row."""
        return int(obj.failures_since_start)

    @admin.display(description=_("state"))
    def state(self, obj: WrongPassword) -> str:
        """Whether passwords are looked at."""
        is_recent = obj.attempt_time > timezone.now() - timedelta(seconds=settings.LOGIN_LOCKOUT_SECONDS)
        return str(_("locked") if is_recent and obj.failures_since_start >= settings.LOGIN_ATTEMPTS else _("open"))

    @admin.action(description=_("Unlock the selected user names at their addresses"), permissions=["unlock"])
    def unlock(self, request: HttpRequest, queryset: QuerySet[WrongPassword]) -> None:
        """Forget the wrong passwords, so that the next ones are looked at."""
        rows = list(queryset)
        self.log_deletions(request, queryset)
        queryset.delete()
        told = ngettext("%(count)d user name is unlocked.", "%(count)d user names are unlocked.", len(rows))
        messages.success(request, told % {"count": len(rows)})
