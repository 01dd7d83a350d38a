"""The page on which each person chooses their mail about change proposals (contract O6)."""

from typing import cast

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.text import capfirst
from django.utils.translation import get_language, get_language_info
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods
from unfold.widgets import UnfoldAdminEmailInputWidget, UnfoldAdminSelectWidget

from bulkops.models import MailChoice, MailFrequency

# Each in its own language, as in the menu.
_LANGUAGES = [(code, capfirst(get_language_info(code)["name_local"])) for code, _name in settings.LANGUAGES]


class MailForm(forms.Form):
    """Where a person gets mail, when, and in which language."""

    email = forms.EmailField(
        label=_("Mail address"),
        required=False,
        max_length=254,
        widget=UnfoldAdminEmailInputWidget({"autocomplete": "email"}),
        help_text=_("Without an address you get no mail."),
        # Django's own does not address people formally in German.
        error_messages={"invalid": _("This is no mail address; one is like name@example.com.")},
    )
    frequency = forms.ChoiceField(label=_("When"), choices=MailFrequency.choices, widget=UnfoldAdminSelectWidget)
    language = forms.ChoiceField(label=_("Language"), choices=_LANGUAGES, widget=UnfoldAdminSelectWidget)


@require_http_methods(["GET", "POST"])
def own_mail_page(request: HttpRequest) -> HttpResponse:
    """Show and store the choice of the person who is signed in."""
    user = cast(User, request.user)
    choice = MailChoice.objects.filter(user=user).first() or MailChoice(user=user, language=get_language())
    initial = {"email": user.email, "frequency": choice.frequency, "language": choice.language}
    form = MailForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        with transaction.atomic():
            user.email = form.cleaned_data["email"]
            user.save(update_fields=["email"])
            choice.frequency, choice.language = form.cleaned_data["frequency"], form.cleaned_data["language"]
            choice.save()
        messages.success(request, _("Your choice was saved."))
        return redirect("own_mail")
    context = {
        **admin.site.each_context(request),
        "title": _("My mail"),
        "form": form,
        "sends_mail": bool(settings.MAIL_SERVER),
    }
    return TemplateResponse(request, "admin/people/own_mail.html", context)
