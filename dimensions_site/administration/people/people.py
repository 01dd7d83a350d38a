"""Users, groups, grants and repositories in the admin, for superusers: one form each gives a person access."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import BooleanFieldListFilter
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import PROTECT, ManyToOneRel, Q
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.utils.html import format_html_join
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters
from unfold.forms import AdminPasswordChangeForm
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from dimensions_site.administration.base.bounded import SuperuserAdmin, is_as_shown, with_what_was_shown
from dimensions_site.administration.base.filters import PickedFilter
from dimensions_site.administration.base.values import EMPTY, column, when
from dimensions_site.administration.people.people_forms import (
    MAY_SIGN_IN,
    TYPED,
    GrantInline,
    GrantOfGroupInline,
    GrantOfUserInline,
    GroupForm,
    ProviderAccountInline,
    ProviderGroupInline,
    UserForm,
    with_links,
)
from dimensions_site.changes.requirements import set_approval
from dimensions_site.elements.dimension import Dimension, dimensions
from dimensions_site.repositories.models import AccessGrant, ApprovalSwitch, Repository
from dimensions_site.text.formats import named_value

# How many lines of a user or a group the list shows.
_LISTED = 5
_NEEDS = _("what needs the approval of a second person")
_HELP = _(
    "What needs an approval can only be proposed, on pages as over REST, by anybody. Another editor or manager then "
    "approves the change proposal, and it is applied."
)


def _lines(texts: list[str]) -> str:
    """Return the first of the texts below each other."""
    shown = [*texts[:_LISTED], *(["…"] if len(texts) > _LISTED else [])]
    return format_html_join("", "<div>{}</div>", ((text,) for text in shown)) or EMPTY


# Django's own pages ask for much that grants nothing here.
admin.site.unregister([User, Group])


class _MaySignIn(BooleanFieldListFilter):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = _("access to the administration")


@admin.register(User)
class UserAdmin(DjangoUserAdmin[User], SuperuserAdmin):
    """The same form adds and changes a user, with grants and password."""

    form = add_form = UserForm
    add_form_template = None
    change_password_form = AdminPasswordChangeForm
    inlines = [GrantOfUserInline]
    filter_horizontal = ()
    autocomplete_fields = ["groups"]
    readonly_fields = ["last_login", "date_joined"]
    list_display = [
        "username",
        column(_("name"), User.get_full_name, "last_name"),
        "access",
        "may_sign_in",
        "is_active",
        when("last_login", _("last login")),
    ]
    list_filter = [("is_staff", _MaySignIn), "is_active", "is_superuser", ("groups", PickedFilter)]
    list_filter_submit = True

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Keep out of sight what few people need, unless the user is locked out or a superuser."""
        rarely = ("first_name", "last_name", "email", "is_active", "is_superuser")
        known = () if obj is None else ("last_login", "date_joined")
        is_usual = obj is None or (obj.is_active and not obj.is_superuser)
        return (
            (None, {"fields": ("username", TYPED, "is_staff", "groups")}),
            (_("Name, lock and superuser"), {"fields": rarely + known, "classes": ["collapse"] if is_usual else []}),
        )

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return with_links(self.inlines, ProviderAccountInline)

    def get_changeform_initial_data(self, request: HttpRequest) -> Any:
        """Assume that a user who is added here is a person who works here."""
        return {"is_staff": True, **super().get_changeform_initial_data(request)}

    @method_decorator(sensitive_post_parameters())
    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return super().changeform_view(request, *args, **kwargs)

    def response_add(self, request: HttpRequest, obj: User, post_url_continue: str | None = None) -> HttpResponse:
        """Return to the list: nothing is left to do on the page of the user."""
        return SuperuserAdmin.response_add(self, request, obj, post_url_continue)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Keep users signed in who change their own password."""
        super().save_model(request, obj, form, change)
        if change and TYPED in form.changed_data:
            update_session_auth_hash(request, obj)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Say so if the user has access to nothing."""
        super().save_related(request, form, formsets, change)
        user: User = form.instance
        has_access = AccessGrant.objects.filter(Q(user=user) | Q(group__in=user.groups.all())).exists()
        if user.is_active and not user.is_superuser and not has_access:
            message = _("%(user)s sees nothing yet: add a permission, or a group with permissions.")
            messages.warning(request, message % {"user": user})

    def get_queryset(self, request: HttpRequest) -> Any:
        """Prefetch what the list shows of all users of a page."""
        return super().get_queryset(request).prefetch_related("access_grants__repository", "groups")

    @admin.display(description=_("access"))
    def access(self, obj: User) -> str:
        """Return the rights of the user, with the groups that may give more."""
        if obj.is_superuser:
            return str(_("everything, as a superuser"))
        grants = [grant.permitted() for grant in obj.access_grants.all()]
        groups = [str(_("permissions of %(group)s") % {"group": group}) for group in obj.groups.all()]
        return _lines([*grants, *groups])

    @admin.display(description=MAY_SIGN_IN, boolean=True, ordering="is_staff")
    def may_sign_in(self, obj: User) -> bool:
        return obj.is_staff


@admin.register(Group)
class GroupAdmin(SuperuserAdmin):
    """The same form adds and changes a group, with members and grants."""

    form = GroupForm
    fields = ["name", "members"]
    inlines = [GrantOfGroupInline]
    search_fields = ["name"]
    ordering = ["name"]
    list_display = [
        "name",
        column(_("members"), lambda group: _lines(sorted(map(str, group.user_set.all())))),
        "access",
    ]

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return with_links(self.inlines, ProviderGroupInline)

    def get_queryset(self, request: HttpRequest) -> Any:
        """Prefetch what the list shows of all groups of a page."""
        return super().get_queryset(request).prefetch_related("access_grants__repository", "user_set")

    @admin.display(description=_("access"))
    def access(self, obj: Group) -> str:
        return _lines([grant.permitted() for grant in obj.access_grants.all()])

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        form.instance.user_set.set(form.cleaned_data["members"])


@admin.register(AccessGrant)
class AccessGrantAdmin(SuperuserAdmin):
    list_display = ["repository", "user", "group", "dimension", "role"]
    list_filter = [("repository", PickedFilter), "role", "dimension"]
    list_filter_submit = True
    list_select_related = ["repository", "user", "group"]
    autocomplete_fields = ["repository", "user", "group"]
    radio_fields = {"role": admin.VERTICAL}


@admin.register(Repository)
class RepositoryAdmin(SuperuserAdmin):
    list_display = ["db_id", "name", "default_language", "api_enabled"]
    search_fields = ["db_id", "name"]
    inlines = [GrantInline]
    # Django would load all elements to report that they prevent the deletion.
    actions = None

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Make read-only what must stay: the dbID, because clients store URLs with it, and the default language once
        there are elements, because past states and the feed show texts in it. For a copy, show the base.
        """
        if obj is None:
            return []
        stays = ["db_id", "default_language"] if _holds_anything(obj) else ["db_id"]
        return stays if obj.base is None else [*stays, "copied_from"]

    @admin.display(description=_("copied from"))
    def copied_from(self, obj: Repository) -> str:
        """Return the repository that it was copied from, and the Sync-Token of that state by dimension."""
        states = (f"{dimension}: {token}" for dimension, token in obj.base_states.items())
        return format_html_join("", "{}<br>", ((line,) for line in (obj.base, *states)))

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Return the form with the switch of each dimension (contract O2)."""
        switches = {_switch(found): _switch_field(found, obj) for found in dimensions()}
        form = type("RepositoryForm", (self.form,), switches)
        return super().get_form(request, obj, change, **{"form": form, **kwargs})

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: Any) -> None:
        """Save the repository, and throw the switches that were changed."""
        super().save_model(request, obj, form, change)
        for found in dimensions():
            chosen = form.cleaned_data[_switch(found)]
            if chosen and not is_as_shown(form, _switch(found)) and chosen != obj.approval_of(found.name):
                set_approval(obj, found.name, ApprovalSwitch(chosen))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow the deletion of empty repositories only."""
        return super().has_delete_permission(request, obj) and (obj is None or not _holds_anything(obj))

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "db_id":
            kwargs["widget"] = UnfoldAdminTextInputWidget
        return super().formfield_for_dbfield(db_field, request, **kwargs)


def _switch(dimension: Dimension) -> str:
    return f"approval_{dimension.name}"


def _switch_field(dimension: Dimension, repository: Repository | None) -> forms.ChoiceField:
    field = forms.ChoiceField(
        label=named_value(capfirst(dimension.verbose_name_plural), _NEEDS),
        choices=ApprovalSwitch.choices,
        required=False,  # a form without it leaves the switch as it is
        initial=ApprovalSwitch.NONE if repository is None else repository.approval_of(dimension.name),
        widget=UnfoldAdminSelectWidget,
        help_text=_HELP,
    )
    return with_what_was_shown(field)


def _holds_anything(repository: Repository) -> bool:
    """Return whether the repository has rows that its deletion must not delete as well, such as elements."""
    protecting = (
        relation
        for relation in Repository._meta.get_fields(include_hidden=True)
        if isinstance(relation, ManyToOneRel) and relation.on_delete is PROTECT
    )
    return any(
        relation.related_model._base_manager.filter(**{relation.field.name: repository}).exists()
        for relation in protecting
    )
