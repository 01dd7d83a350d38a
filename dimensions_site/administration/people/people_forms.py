"""The forms of users and groups."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelectMultiple
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.models import Group, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import SELECT_CLASSES, UnfoldAdminPasswordToggleWidget

from dimensions_site.repositories.models import AccessGrant

# The field of the password. It is not the one of the model: its hash never passes through the form.
TYPED = "new_password"
MAY_SIGN_IN = gettext_lazy("May use the administration")
_LONGEST_PASSWORD = 500
# What a password must not resemble.
_UNLIKE_PASSWORD = ("username", "first_name", "last_name", "email")
_CLASSES = " ".join(SELECT_CLASSES)


class UserForm(forms.ModelForm[User]):
    """A new or known user. The password is typed once, and can be looked at."""

    new_password = forms.CharField(
        label=gettext_lazy("Password"),
        required=False,
        strip=False,
        max_length=_LONGEST_PASSWORD,
        widget=UnfoldAdminPasswordToggleWidget({"autocomplete": "new-password"}),
    )

    class Meta:
        model = User
        fields = ("username", "is_staff", "groups", "first_name", "last_name", "email", "is_active", "is_superuser")
        field_classes = {"username": UsernameField}
        labels = {
            "is_staff": MAY_SIGN_IN,
            "is_superuser": gettext_lazy("Superuser"),
        }
        help_texts = {
            "username": gettext_lazy("Letters, digits and @ . + - _"),
            "is_staff": gettext_lazy(
                "Signs in here and sees what the permissions below allow. Switch it off for a program, and for "
                "people who only use the REST API."
            ),
            "groups": gettext_lazy("The user has the permissions of these groups, too."),
            "is_active": gettext_lazy("Switch it off to lock the user out at once, here and in the REST API."),
            "is_superuser": gettext_lazy(
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
        label=gettext_lazy("Members"),
        required=False,
        help_text=gettext_lazy("They have the permissions of the group, besides their own."),
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
