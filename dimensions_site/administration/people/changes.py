"""Changes of access rights in the admin: superusers can view them."""

import json
from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from dimensions_site.administration.base.bounded import LookOnlyMixin, SuperuserAdmin, when
from dimensions_site.repositories.models import AccessChange


@admin.register(AccessChange)
class AccessChangeAdmin(LookOnlyMixin, SuperuserAdmin):
    list_display = [when("at", _("when")), "changed_by", "event", "subject_text", "changes_text", "address"]
    list_display_links = None
    list_filter = ["event", "at"]
    search_fields = ["changed_by", "event", "address", "subject", "request_id"]
    fields = ("at", "changed_by", "address", "request_id", "event", "subject_text", "changes_text")
    readonly_fields = fields

    @admin.display(description=_("of what"))
    def subject_text(self, obj: AccessChange) -> str:
        """Return the names of what was changed."""
        return _text(obj.subject)

    @admin.display(description=_("before and after"))
    def changes_text(self, obj: AccessChange) -> str:
        """Return each changed field with its values before and after."""
        return _text(obj.changes or {})


def _text(members: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {_value(value)}" for name, value in members.items()) or "-"


def _value(value: Any) -> str:
    match value:
        case [before, after]:
            return f"{_value(before)} → {_value(after)}"
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)
