"""The forms of users and groups, and the rows of grants and of links with the OpenID provider (contract G2, N2)."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelectMultiple
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.models import Group, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline
from unfold.forms import PaginationInlineFormSet
from unfold.widgets import SELECT_CLASSES, UnfoldAdminPasswordToggleWidget

from dimensions_site.administration.base.bounded import with_what_was_shown
from dimensions_site.repositories.models import AccessGrant, Role
from dimensions_site.tokens.models import ProviderAccount, ProviderGroup

# The field of the password. It is not the one of the model: its hash never passes through the form.
TYPED = "new_password"
MAY_SIGN_IN = _("May use the administration")
_LONGEST_PASSWORD = 500
# What a password must not resemble.
_UNLIKE_PASSWORD = ("username", "first_name", "last_name", "email")
_CLASSES = " ".join(SELECT_CLASSES)


class UserForm(forms.ModelForm[User]):
    """A new or known user. The password is typed once, and can be looked at."""

    new_password = forms.CharField(
        label=_("Password"),
        required=False,
        strip=False,
        max_length=_LONGEST_PASSWORD,
        widget=UnfoldAdminPasswordToggleWidget({"autocomplete": "new-password"}),
    )

    class Meta:
        model = User
        fields = ("username", "is_staff", "groups", "first_name", "last_name", "email", "is_active", "is_superuser")
        field_classes = {"username": UsernameField}
        labels = {"is_staff": MAY_SIGN_IN, "is_superuser": _("Superuser")}
        help_texts = {
            "username": _("Letters, digits and @ . + - _"),
            "is_staff": _(
                "Signs in here and sees what the permissions below allow. Switch it off for a program, and for "
                "people who only use the REST API."
            ),
            "groups": _("The user has the permissions of these groups, too."),
            "is_active": _("Switch it off to lock the user out at once, here and in the REST API."),
            "is_superuser": _(
                "Sees and changes everything in every repository, and gives others access. Needs no permissions."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields[TYPED].help_text = _password_help(is_new=self.instance.pk is None)

    def clean_username(self) -> str:
        """Reject a name that differs from that of another user only in case."""
        name: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=name).exclude(pk=self.instance.pk).exists():
            raise self.instance.unique_error_message(User, ("username",))
        return name

    def clean(self) -> dict[str, Any] | None:
        """Check the password, and reject a person who could not sign in for want of one."""
        cleaned = super().clean() or {}
        typed = cleaned.get(TYPED)
        has_password = self.instance.password and self.instance.has_usable_password()
        needs_password = settings.OPENID_PROVIDER is None and not has_password
        is_new_here = cleaned.get("is_staff") and not (self.instance.pk and self.initial.get("is_staff"))
        if is_new_here and needs_password and not self.data.get(self.add_prefix(TYPED)):
            self.add_error(TYPED, _("Enter a password: without one nobody can sign in here."))
        elif typed:
            try:
                validate_password(typed, User(**{name: cleaned.get(name, "") for name in _UNLIKE_PASSWORD}))
            except ValidationError as error:
                self.add_error(TYPED, error)
        return cleaned

    def save(self, commit: bool = True) -> User:
        """Store the hash of the password; a new user without one cannot sign in with any."""
        if password := self.cleaned_data[TYPED]:
            self.instance.set_password(password)
        elif self.instance.pk is None:
            self.instance.set_unusable_password()
        saved: User = super().save(commit)
        return saved


class GroupForm(forms.ModelForm[Group]):
    """A group and its members."""

    members = forms.ModelMultipleChoiceField(
        User.objects.order_by("username"),
        label=_("Members"),
        required=False,
        help_text=_("They have the permissions of the group, besides their own."),
    )

    class Meta:
        model = Group
        fields = ("name",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # The field of a grant offers the same users. Made here, because it keeps the language of its page.
        users: Any = AccessGrant._meta.get_field("user")
        members: Any = self.fields["members"]
        members.widget = AutocompleteSelectMultiple(users, admin.site, {"class": _CLASSES}, members.choices)
        if self.instance.pk is not None:
            self.initial["members"] = list(self.instance.user_set.order_by("username"))


def _password_help(is_new: bool) -> SafeString:
    # The validators of the settings, in one sentence: theirs are addressed to the user.
    rules = _("At least 8 characters, not only digits, not a common password, and not like the name.")
    if is_new:
        more = _("Hand it over safely. A program that only uses an API key needs none.")
        return format_html("{} {}", rules, more)
    words = _("Left empty, the password stays as it is."), _("Remove the password")
    return format_html('{} {} <a href="../password/">{}</a>', rules, *words)


_PARTIES = ("repository_id", "user_id", "group_id", "dimension")


class GrantFormSet(PaginationInlineFormSet):
    """The rows of grants, of which no two are for the same."""

    def clean(self) -> None:
        """Reject a second row for the same: the database would, without a message."""
        super().clean()
        seen: set[tuple[Any, ...]] = set()
        for form in self.forms:
            given = getattr(form, "cleaned_data", {})
            if form.errors or not given or given.get("DELETE") or (not form.has_changed() and not form.instance.pk):
                continue
            parties = tuple(getattr(form.instance, name) for name in _PARTIES)
            if parties in seen:
                form.add_error(
                    None, ValidationError(_("This repeats a permission above: change that one, or remove this."))
                )
            seen.add(parties)


class _LabelledInline(TabularInline):
    extra = 0
    # The row says it in its own controls.
    hide_title = True

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Label each field itself: screen readers do not read the heading of its column to keyboard users."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None:
            field.widget.attrs["aria-label"] = field.label
        return with_what_was_shown(field)


class GrantInline(_LabelledInline):
    """The grants of a repository, with what each role permits."""

    model = AccessGrant
    formset = GrantFormSet
    autocomplete_fields = ["repository", "user", "group"]
    verbose_name = _("permission")
    verbose_name_plural = _("permissions")
    template_before = "admin/roles.html"
    # For that template.
    roles = Role


class GrantOfUserInline(GrantInline):
    exclude = ["group"]

    def get_extra(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> int:
        """Offer an empty row for a new user; if it stays empty, it adds no grant."""
        return 1 if obj is None else 0


class GrantOfGroupInline(GrantOfUserInline):
    exclude = ["user"]


class ProviderAccountInline(_LabelledInline):
    """The accounts of a user at the provider; a new row lets an existing user sign in there."""

    model = ProviderAccount

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        """Suggest the provider of the settings."""
        formset = super().get_formset(request, obj, **kwargs)
        if settings.OPENID_PROVIDER:
            formset.form.base_fields["issuer"].initial = settings.OPENID_PROVIDER.issuer
        return formset


class ProviderGroupInline(_LabelledInline):
    """The names of a group at the provider."""

    model = ProviderGroup


def with_links(inlines: list[type[Any]], link: type[TabularInline]) -> list[type[Any]]:
    """Return the inlines of a page, with `link` if there is a provider."""
    return inlines if settings.OPENID_PROVIDER is None else [*inlines, link]
