"""Wrong passwords and lockouts in the admin, for superusers."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from dimensions_site.administration.base.bounded import LookOnlyMixin, SuperuserAdmin
from dimensions_site.administration.base.values import when
from dimensions_site.repositories.login.lockout import unlock, with_failures
from dimensions_site.repositories.models import LoginFailures


@admin.register(LoginFailures)
class LoginFailuresAdmin(LookOnlyMixin, SuperuserAdmin):
    list_display = ["name", "where", "in_a_row", "of_day", when("failed_at", _("last")), "state"]
    list_display_links = None
    fields = ("name", "where", "in_a_row", "of_day", "state")
    readonly_fields = fields
    search_fields = ["name", "address"]
    actions = ["unlock"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[LoginFailures]:
        return with_failures().order_by(*self.get_ordering(request))

    @admin.display(description=_("address"), ordering="address")
    def where(self, obj: LoginFailures) -> str:
        """Return the address (for IPv6 its network), or a text for all addresses without a daily count of their own."""
        return obj.address or str(_("all other addresses"))

    @admin.display(description=_("wrong passwords"), ordering="failures")
    def in_a_row(self, obj: LoginFailures) -> int | None:
        return obj.failures or None

    @admin.display(description=_("within a day"), ordering="daily_failures")
    def of_day(self, obj: LoginFailures) -> int | None:
        return obj.daily_failures or None

    @admin.display(description=_("state"))
    def state(self, obj: LoginFailures) -> str:
        return str(_("locked") if obj.locked_until or obj.locked_for_day_until else _("open"))

    @admin.action(description=_("Unlock the selected user names at their addresses"), permissions=["view"])
    def unlock(self, request: HttpRequest, queryset: QuerySet[LoginFailures]) -> None:
        """Reset the failures, so that the next passwords are checked; known addresses stay known."""
        for record in queryset:
            self.log_change(request, record, "unlocked")
        count = unlock(queryset)
        text = ngettext("%(count)d user name is unlocked.", "%(count)d user names are unlocked.", count)
        messages.success(request, text % {"count": count})
