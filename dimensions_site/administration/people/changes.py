"""What superusers look up: changes of access rights, and wrong passwords with their lockouts (contract G2)."""

import json
from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from dimensions_site.administration.base.bounded import LONGEST_SEARCH, LookOnlyMixin, SuperuserAdmin
from dimensions_site.administration.base.values import EMPTY, column, when
from dimensions_site.api.json.texts import json_text
from dimensions_site.repositories.dimensions import access_choices
from dimensions_site.repositories.login.lockout import unlock, with_failures
from dimensions_site.repositories.models import (
    AccessChange,
    ApprovalSwitch,
    LoginFailures,
    Role,
    rights_in_words,
)
from dimensions_site.text.formats import named_value

# What the events of `repositories.audit` begin with, the kind, and the member of the subject that names it.
_KINDS = {
    "grant": (_("Permission"), "user"),
    "user": (_("User"), "user"),
    "group": (_("Group"), "group"),
    "api_key": (_("API key"), "key"),
    "repository": (_("Repository"), "repository"),
    "application": (_("Application"), "application"),
    "provider_account": (_("Company account"), "user"),
    "provider_group": (_("Group at the provider"), "name"),
}
_SENTENCES = {
    "created": _("%(kind)s %(name)s was created"),
    "changed": _("%(kind)s %(name)s was changed"),
    "deleted": _("%(kind)s %(name)s was deleted"),
}
_GRANTS = {
    "created": _("Role %(rights)s was given to %(name)s"),
    "changed": _("Role %(rights)s of %(name)s was changed"),
    "deleted": _("Role %(rights)s was taken from %(name)s"),
}
_SIGN_INS = {
    "sign_in_accepted": _("%(name)s signed in with the company's account"),
    "sign_in_refused": _("%(name)s was refused with the company's account"),
    "sign_in_ended": _("The session of %(name)s was ended by the company's sign-in"),
}
# Why: words of `tokens/openid`.
_REASONS = {
    "no_group": _("no group that is known here"),
    "locked": _("the user is locked"),
    "no_access": _("no access to the administration"),
    "groups_claim": _("the groups have another form"),
    "too_many_groups": _("too many groups"),
    "subject": _("no usable name"),
    "provider_refused": _("the provider refused"),
    "not_checkable": _("the provider cannot be asked"),
    "logout_at_the_provider": _("signed out at the provider"),
}
_FIELDS = {
    "reason": _("reason"),
    "subject": _("subject"),
    "is_active": _("may sign in"),
    "is_staff": _("may use the administration"),
    "is_superuser": _("superuser"),
    "password": _("password"),
    "client_secret": _("secret"),
    "groups": _("groups"),
    "users": _("people"),
    "user": _("user"),
    "group": _("group"),
    "role": _("role"),
    "dimension": _("kind"),
    "repository": _("repository"),
    "repositories": _("repositories"),
    "revoked": _("revoked"),
    "expires": _("valid until"),
    "is_limited": _("only certain repositories"),
    "api_enabled": _("REST API enabled"),
    "requires_reason": _("reason required"),
    "approval": _("what needs the approval of a second person"),
    "may_introspect": _("may check tokens"),
}
_LISTS = {"added": _("added: %(names)s"), "removed": _("removed: %(names)s"), "cleared": _("all removed")}


class _EventFilter(admin.SimpleListFilter):
    title = _("change")
    parameter_name = "event"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        done = {"created": _("created"), "changed": _("changed"), "deleted": _("deleted")}
        return [
            (f"{name}_{event}", named_value(kind, words))
            for name, (kind, _member) in _KINDS.items()
            for event, words in done.items()
        ] + [(event, str(words % {"name": "…"})) for event, words in _SIGN_INS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AccessChange]) -> QuerySet[AccessChange]:
        return queryset.filter(event=self.value()) if self.value() else queryset


@admin.register(AccessChange)
class AccessChangeAdmin(LookOnlyMixin, SuperuserAdmin):
    moment = staticmethod(when("at", _("when")))
    list_display = ["moment", "changed_by", "what", "values", "address"]
    list_display_links = None
    list_filter = [_EventFilter, "at"]
    search_fields = ["changed_by", "event", "address", "subject", "request_id"]
    fields = ("moment", "changed_by", "address", "request_id", "what", "values")
    readonly_fields = fields

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AccessChange], search_term: str
    ) -> tuple[QuerySet[AccessChange], bool]:
        """Find names as the JSON of SQLite writes them, too."""
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        written = json.dumps(search_term[:LONGEST_SEARCH])[1:-1]
        return (found if written == search_term else found | queryset.filter(subject__icontains=written)), may_repeat

    @admin.display(description=_("change"), ordering="event")
    def what(self, obj: AccessChange) -> str:
        """Return what happened in a sentence; the name of an event that has none."""
        if obj.event in _SIGN_INS:
            return str(_SIGN_INS[obj.event] % {"name": obj.subject.get("user", "")})
        name, _underscore, event = obj.event.rpartition("_")
        if name not in _KINDS or event not in _SENTENCES:
            return obj.event
        kind, member = _KINDS[name]
        subject: Mapping[str, Any] = obj.subject
        if name == "grant":
            words = {"rights": _rights(subject), "name": subject.get("user") or subject.get("group", "")}
            return str(_GRANTS[event] % words)
        return str(_SENTENCES[event] % {"kind": kind, "name": subject.get(member, "")})

    @admin.display(description=_("before and after"))
    def values(self, obj: AccessChange) -> str:
        changes: Mapping[str, Any] = obj.changes or {}
        texts = (named_value(_FIELDS.get(name, name), _change(name, value)) for name, value in changes.items())
        return ", ".join(texts) or EMPTY


def _rights(subject: Mapping[str, Any]) -> str:
    role, dimension = (_value(name, subject.get(name)) for name in ("role", "dimension"))
    return rights_in_words(role, dimension, str(subject.get("repository", "")))


def _change(name: str, change: Any) -> str:
    match change:
        case [before, after]:
            return f"{_value(name, before)} → {_value(name, after)}"
        case dict():
            return ", ".join(_entries(str(how), names) for how, names in change.items())
        case "changed":
            return gettext("changed")
        case _:
            return _value(name, change)


def _entries(how: str, names: Any) -> str:
    """Return what was added to a list of rights, or removed; of an unknown change its JSON."""
    if how not in _LISTS:
        return named_value(how, json_text(names))
    return str(_LISTS[how] % {"names": names if isinstance(names, str) else ", ".join(names)})


def _value(name: str, value: Any) -> str:
    if value is None:
        return gettext("not set")
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if name == "reason" and value in _REASONS:
        return str(_REASONS[value])
    if name == "role" and value in Role.__members__:
        return str(Role[value].label)
    if name == "dimension":
        return str(dict(access_choices()).get(value, value))
    if name == "approval":
        parts = (named_value(_value("dimension", one), ApprovalSwitch(switch).label) for one, switch in value.items())
        return ", ".join(parts) or str(ApprovalSwitch.NONE.label)
    return value if isinstance(value, str) else json_text(value)


@admin.register(LoginFailures)
class LoginFailuresAdmin(LookOnlyMixin, SuperuserAdmin):
    list_display = ["name", "where", "in_a_row", "of_day", when("failed_at", _("last")), "state"]
    list_display_links = None
    where = staticmethod(column(_("address"), lambda row: row.address or str(_("all other addresses")), "address"))
    in_a_row = staticmethod(column(_("wrong passwords"), attrgetter("failures"), "failures"))
    of_day = staticmethod(column(_("within a day"), attrgetter("daily_failures"), "daily_failures"))
    state = staticmethod(
        column(_("state"), lambda row: str(_("locked") if row.locked_until or row.locked_for_day_until else _("open")))
    )
    fields = ("name", "where", "in_a_row", "of_day", "state")
    readonly_fields = fields
    search_fields = ["name", "address"]
    actions = ["unlock"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[LoginFailures]:
        return with_failures().order_by(*self.get_ordering(request))

    @admin.action(description=_("Unlock the selected user names at their addresses"), permissions=["view"])
    def unlock(self, request: HttpRequest, queryset: QuerySet[LoginFailures]) -> None:
        """Reset the failures, so that the next passwords are checked; known addresses stay known."""
        for record in queryset:
            self.log_change(request, record, "unlocked")
        count = unlock(queryset)
        text = ngettext("%(count)d user name is unlocked.", "%(count)d user names are unlocked.", count)
        messages.success(request, text % {"count": count})
