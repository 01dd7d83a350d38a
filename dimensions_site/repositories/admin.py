"""Repositories, people and grants in the admin: for superusers; and what every list of the admin bounds."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import PROTECT, ManyToOneRel, Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django_q.admin import Failure, OrmQ, Schedule, Success  # registers them, which has to be first
from rest_framework_api_key.models import APIKey as LibraryApiKey
from unfold.admin import ModelAdmin, TabularInline
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from dimensions_site.formats import grouped
from dimensions_site.repositories.admin_columns import when
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from dimensions_site.repositories.permissions import roles_of

admin.site.site_header = admin.site.site_title = _("Dimension elements")
admin.site.index_title = _("Start page")

# The library's own keys have no user and open nothing here.
admin.site.unregister(LibraryApiKey)


# Longer than anything that is searched for; a database fails on a thousand words or on one of 50,000 letters.
LONGEST_SEARCH = 500


# Where a request keeps the keys of the repositories that are open to its user.
_ROLES = "dimensions.roles"


def open_keys(request: HttpRequest, dimension: str, role: Role = Role.READER) -> frozenset[int]:
    """The keys of the repositories in whose `dimension` the user has at least `role` (contract G2).

    The grants are asked for once for each request: a page asks often.
    """
    known: dict[str, dict[int, Role]] = request.META.setdefault(_ROLES, {})
    if dimension not in known:
        known[dimension] = roles_of(request.user, dimension)
    return frozenset(key for key, granted in known[dimension].items() if granted >= role)


class BoundedListAdmin(ModelAdmin):
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
                _("A search may have %(longest)d characters, and this one has %(length)s. Please search for less.")
                % {"longest": LONGEST_SEARCH, "length": grouped(len(shown.query))},
            )
        return shown

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *args: Any) -> Any:
        """Refuse a selection that no page made: what is no key of a row would fail in the database."""
        for key in request.POST.getlist(ACTION_CHECKBOX_NAME):
            if not self._can_be_key(key):
                messages.error(request, _("Nothing was done: the selection is not right. Select the rows again."))
                return None
        return super().response_action(request, queryset, *args)

    def _can_be_key(self, text: str) -> bool:
        try:
            self.model._meta.pk.clean(text, None)
        except ValidationError:
            return False
        return "\0" not in text


class LookOnlyMixin:
    """What the service itself writes, and nobody else: for pages and for inlines of pages."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class SuperuserAdmin(BoundedListAdmin):
    """Administration that would let a user widen his own rights."""

    class Media:
        css = {"all": ["site/admin/superusers.css"]}
        js = ["site/admin/names_of_pickers.js"]

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)

    has_add_permission = has_module_permission
    has_change_permission = has_view_permission
    has_delete_permission = has_view_permission

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Refuse before anything is looked up: Django's answer would tell which numbers are taken."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return super().history_view(request, object_id, extra_context)


class GrantInline(TabularInline):
    """The grants of a repository, a user or a group, on its page."""

    model = AccessGrant
    extra = 0
    autocomplete_fields = ["repository", "user", "group"]
    verbose_name = _("grant")
    verbose_name_plural = _("grants")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Say at each field what it is: the heading of its column is read to nobody who comes to it by keyboard."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None:
            field.widget.attrs["aria-label"] = field.label
        return field


class GrantOfUserInline(GrantInline):
    exclude = ["group"]


class GrantOfGroupInline(GrantInline):
    exclude = ["user"]


def _register_anew(model: type[Model], before: tuple[type, ...], after: tuple[type, ...], **options: Any) -> None:
    """Put bases before and after those of the page that a library has registered for the `model`."""
    theirs = type(admin.site.get_model_admin(model))
    admin.site.unregister(model)
    admin.site.register(model, type(theirs.__name__, (*before, theirs, *after), options))


# Django's own permissions open nothing here: grants do.
_register_anew(
    User,
    (),
    (SuperuserAdmin,),
    form=UserChangeForm,
    add_form=UserCreationForm,
    change_password_form=AdminPasswordChangeForm,
    inlines=[GrantOfUserInline],
    filter_horizontal=(),
    autocomplete_fields=["groups"],
    list_display=[
        "username",
        "first_name",
        "last_name",
        "is_active",
        "is_staff",
        "is_superuser",
        when("last_login", _("last login (UTC)")),
    ],
    fieldsets=(
        (None, {"fields": ("username", "password")}),
        (_("Person"), {"fields": ("first_name", "last_name", "email")}),
        (_("Rights"), {"fields": ("is_active", "is_staff", "is_superuser", "groups")}),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    ),
)
_register_anew(Group, (), (SuperuserAdmin,), fields=["name"], inlines=[GrantOfGroupInline])
# Django-q's own pages would let whoever enters them have any function called.
for _model in (Schedule, Success, Failure, OrmQ):
    _register_anew(_model, (LookOnlyMixin, SuperuserAdmin), (), actions=None)


@admin.register(Repository)
class RepositoryAdmin(SuperuserAdmin):
    list_display = ["db_id", "name", "default_language", "api_enabled"]
    search_fields = ["db_id", "name"]
    inlines = [GrantInline]
    # Django would load all elements to tell that they are in the way.
    actions = None

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """The dbID is part of addresses that others keep, so it stays."""
        return [] if obj is None else ["db_id"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only an empty repository is deleted."""
        return super().has_delete_permission(request, obj) and (obj is None or not _holds_anything(obj))

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "db_id":
            kwargs["widget"] = forms.TextInput
        return super().formfield_for_dbfield(db_field, request, **kwargs)


def _holds_anything(repository: Repository) -> bool:
    """Whether something is in the repository that its deletion may not take along, such as its elements."""
    protecting = (
        relation
        for relation in Repository._meta.get_fields(include_hidden=True)
        if isinstance(relation, ManyToOneRel) and relation.on_delete is PROTECT
    )
    return any(
        relation.related_model._base_manager.filter(**{relation.field.name: repository}).exists()
        for relation in protecting
    )


@admin.register(AccessGrant)
class AccessGrantAdmin(SuperuserAdmin):
    list_display = ["repository", "user", "group", "dimension", "role"]
    list_filter = ["repository", "role", "dimension"]
    list_select_related = ["repository", "user", "group"]
    autocomplete_fields = ["repository", "user", "group"]
