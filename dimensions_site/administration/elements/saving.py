"""Saving what was typed in the form of an element, by the code that serves REST, or proposing it (contract C12, O4)."""

import re
from typing import Any

from django.contrib import messages
from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html
from django.utils.translation import gettext as _

from dimensions_site.administration.base.current import at_row
from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.administration.elements.attempts import Attempt, PageElement
from dimensions_site.administration.proposals import propose, proposes
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor
from dimensions_site.elements.reading.etags import etag_of
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.writing.editing import Editor
from dimensions_site.text.formats import shortened

# The cookie with the numbers of the drafts that were saved last, and how many.
_SAVED, _TABS = "saved_draft", 20
_DRAFT = re.compile(r"\b[0-9a-f-]{36}\b")


class ChangedMeanwhile(Exception):
    """The element is no longer stored in the version that was shown."""


def save_attempt(
    admin: ScopedAdmin, request: HttpRequest, shown: PageElement, attempt: Attempt, reason: str | None
) -> HttpResponse:
    """Save the attempt for that reason, or propose it, and redirect; the browser removes the draft of what was sent.

    Raises as `Editor` and `propose` do, and `ChangedMeanwhile`.
    """
    save = _propose if proposes(request, shown.repository, admin.dimension.name) else _write
    response = save(admin, request, shown, attempt, reason)
    # Only numbers as browsers give their drafts; those before are of other tabs.
    drafts = _DRAFT.findall(f"{request.COOKIES.get(_SAVED, '')} {request.POST.get('_draft', '')}")
    response.set_cookie(_SAVED, ".".join(drafts[-_TABS:]), samesite="Strict", secure=request.is_secure())
    return response


def _write(
    admin: ScopedAdmin, request: HttpRequest, shown: PageElement, attempt: Attempt, reason: str | None
) -> HttpResponse:
    def allow(text: str | None) -> None:
        if (None if text is None else etag_of(text)) != attempt.etag:
            raise ChangedMeanwhile

    actor = Actor(request.user.get_username(), Channel.ADMIN, reason=reason)
    editor = Editor(admin.dimension, shown.repository, actor, allow)
    is_same = False
    if shown.element is None:
        id = editor.create(attempt.element).id
        message = _("The %(name)s %(id)s was created.")
    else:
        id = shown.element.element_id
        is_same = etag_of(editor.replace(id, attempt.element).text) == shown.etag
        message = (
            _("Nothing was changed, so the %(name)s %(id)s was not saved again.")
            if is_same
            else _("The %(name)s %(id)s was saved.")
        )
    saved = shown.element or admin.model.of(shown.repository).only("pk").get(element_id=id)
    link = format_html('<a class="underline" href="{}">{}</a>', admin.route("change", saved.pk), id)
    words = message % {"name": "{name}", "id": "{link}"}
    messages.success(request, format_html(words, name=admin.opts.verbose_name, link=link))
    _report_taken(request, attempt)
    if not is_same:
        message = _("It was saved, but it refers to ids that do not exist in the repository: %(references)s.")
        _warn_of_unknown(request, attempt, message)
    return _after_save(admin, request, shown, saved.pk)


def _propose(
    admin: ScopedAdmin, request: HttpRequest, shown: PageElement, attempt: Attempt, reason: str | None
) -> HttpResponse:
    dimension, repository, is_new = admin.dimension, shown.repository, shown.element is None
    sent = {"post" if is_new else "put": {**attempt.element, **({} if is_new else {"id": shown.json["id"]})}}
    plan = propose(request, dimension, repository, reason=reason, elements=sent)
    if not is_new:
        text = full_renderer(dimension, repository.default_language).one(repository, shown.json["id"])
        if text is None or etag_of(text) != attempt.etag:
            plan.delete()
            raise ChangedMeanwhile
        if not plan.changed:
            plan.delete()
            messages.info(request, _("Nothing would change: these values are there already."))
            return _after_save(admin, request, shown, shown.element.pk)
    _report_taken(request, attempt)
    _warn_of_unknown(request, attempt, _("The ids in these fields do not exist in the repository: %(references)s."))
    return redirect("admin:bulkops_plan_change", plan.pk)


def _after_save(admin: ScopedAdmin, request: HttpRequest, shown: PageElement, key: int) -> HttpResponse:
    """Return to the row of the element with that key in the list, or to its form, or to that of a new one."""
    if "_continue" in request.POST:
        address = admin.route("change", key)
    elif "_addanother" in request.POST:
        address = f"{admin.route('add')}?repository={shown.repository.pk}"
    else:
        address = admin.response_post_save_change(request, shown.element)["Location"]
        return redirect(at_row(request, address, shown.repository, key))
    filters: dict[str, Any] = {"preserved_filters": admin.get_preserved_filters(request), "opts": admin.opts}
    return redirect(add_preserved_filters(filters, address))


def _report_taken(request: HttpRequest, attempt: Attempt) -> None:
    """Say what others changed while the form was open, if anything."""
    if attempt.taken:
        message = _("Others saved here, too, while you were editing. These changes are kept: %(fields)s.")
        messages.info(request, message % {"fields": shortened(", ".join(attempt.taken))})


def _warn_of_unknown(request: HttpRequest, attempt: Attempt, message: str) -> None:
    """Name the ids that the element refers to and that no element has, and the descriptions that were removed."""
    unknown = attempt.form.mark_unknown()
    if unknown:
        references = ", ".join(f"{control.place.heading} '{control.typed}'" for control in unknown)
        messages.warning(request, message % {"references": references})
    if attempt.form.undescribed:
        message = _("These descriptions belonged to other ids, and were removed: %(fields)s.")
        fields = ", ".join(f"{words.place.heading} '{words.stored}'" for words in attempt.form.undescribed)
        messages.warning(request, message % {"fields": shortened(fields)})
