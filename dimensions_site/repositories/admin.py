"""Repositories, grants and API keys in the admin: for superusers; and what every list of the admin bounds."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest
from django_q.models import Failure, OrmQ, Schedule, Success
from rest_framework_api_key.models import APIKey as LibraryApiKey

from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository

admin.site.site_header = admin.site.site_title = "Dimension elements"
admin.site.index_title = "Administration"

# The library's own keys have no user and open nothing here.
admin.site.unregister(LibraryApiKey)


# Longer than anything that is searched for; a database fails on a thousand words or on one of 50,000 letters.
LONGEST_SEARCH = 500


class BoundedListAdmin(admin.ModelAdmin[Any]):
    """A list that no address makes fail: conditions and searches are bounded."""

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """Take the comparisons of the filters beside a list, and no others, such as a regular expression that fails."""
        offered = "__" not in lookup or lookup.endswith(("__exact", "__isnull", "__gte", "__lt"))
        return offered and super().lookup_allowed(lookup, value, request)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Find nothing by a search that is too long: a part of it would find too much."""
        if len(search_term) > LONGEST_SEARCH:
            return queryset.none(), False
        return super().get_search_results(request, queryset, search_term)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Tell on the page why a search that is too long found nothing."""
        shown = super().get_changelist_instance(request)
        if len(shown.query) > LONGEST_SEARCH:
            messages.error(
                request,
                f"A search may have {LONGEST_SEARCH} characters, and this one has {len(shown.query):,}. "
                "Please search for less.",
            )
        return shown


# The lists of Django and of the queue are bounded like ours.
for model in (User, Group, Schedule, Success, Failure, OrmQ):
    theirs = type(admin.site.get_model_admin(model))
    admin.site.unregister(model)
    admin.site.register(model, type(theirs.__name__, (BoundedListAdmin, theirs), {}))


class SuperuserAdmin(BoundedListAdmin):
    """Administration that would let a user widen his own rights."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)

    has_add_permission = has_module_permission
    has_change_permission = has_view_permission
    has_delete_permission = has_view_permission


@admin.register(Repository)
class RepositoryAdmin(SuperuserAdmin):
    list_display = ["db_id", "name", "default_language", "api_enabled"]
    search_fields = ["db_id", "name"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """The dbID is part of addresses that others keep, so it stays."""
        return [] if obj is None else ["db_id"]

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "db_id":
            kwargs["widget"] = forms.TextInput
        return super().formfield_for_dbfield(db_field, request, **kwargs)


@admin.register(AccessGrant)
class AccessGrantAdmin(SuperuserAdmin):
    list_display = ["repository", "user", "group", "dimension", "role"]
    list_filter = ["repository", "role", "dimension"]
    list_select_related = ["repository", "user", "group"]
    autocomplete_fields = ["repository", "user", "group"]


@admin.register(ApiKey)
class ApiKeyAdmin(SuperuserAdmin):
    list_display = ["name", "user", "prefix", "created", "expiry_date", "revoked"]
    list_select_related = ["user"]
    fields = ["name", "user", "expiry_date", "revoked"]
    search_fields = ["name", "prefix", "user__username"]
    autocomplete_fields = ["user"]

    def get_readonly_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> list[str]:
        """Whoever has the key keeps calling with it, so it cannot become somebody else's."""
        return [] if obj is None else ["user"]

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        """Show a new key once: only its hash is stored."""
        if not change:
            key = ApiKey.objects.assign_key(obj)
            messages.warning(request, f"The API key is {key} – copy it now, it is not shown again.")
        super().save_model(request, obj, form, change)
