"""The form in which people create and change an element (contract C12 to C18)."""

from collections.abc import Callable, Container, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.exceptions import ValidationError

from dimensions_site.administration.base.bounded import Page
from dimensions_site.administration.base.current import current_repository
from dimensions_site.administration.base.naming import description_of
from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.administration.base.values import shown_instant
from dimensions_site.administration.elements.attempts import (
    Attempt,
    PageElement,
    merged_attempt,
    new_element,
    stored_element,
)
from dimensions_site.administration.elements.forms import ElementForm
from dimensions_site.administration.elements.references import ReferenceFinder
from dimensions_site.administration.elements.saving import ChangedMeanwhile, save_attempt
from dimensions_site.administration.proposals import proposes
from dimensions_site.api.errors import Failure, Problem
from dimensions_site.api.json.texts import json_text
from dimensions_site.changes.models import Channel
from dimensions_site.changes.requirements import ReasonField
from dimensions_site.elements.declaration.labels import labels_in_messages
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Change, Origin
from dimensions_site.repositories.models import Role
from dimensions_site.text.formats import minute_with_zone, parse_timestamp

# How often a save is tried while others save the same element.
_ATTEMPTS = 3
NOT_SAVED = gettext_lazy(
    "Nothing was saved, because you signed in again. What you typed is still here: check it, and save."
)


def shown_again(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Return, for `Page.again`, the page that the `view` shows for a GET, which has what was typed as its `POST`."""

    def again(admin: Any, request: HttpRequest, data: QueryDict, **named: Any) -> HttpResponse:
        messages.warning(request, NOT_SAVED)
        shown: Any = copy(request)
        shown.method, shown.POST = "GET", data
        return view(admin, shown, **named)

    return again


def new_values(admin: ScopedAdmin, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `values` of a new element by wire path, with those that its form begins with, and suggests."""
    found = {**admin.presets, **values}
    for path, (leader, suggested) in admin.suggestions.items():
        if path not in found and found.get(leader) in suggested:
            found[path] = suggested[found[leader]]
    return found


@labels_in_messages()
def edit(admin: ScopedAdmin, request: HttpRequest, object_id: str | None = None) -> HttpResponse:
    """Show the form of the element, or of a new one in the repository that `?repository=` names.

    Errors stand at their fields. What others saved in between is merged by field, and where both changed a field,
    the user decides (contract C16).
    """
    if request.method == "POST" and "_show_draft" in request.POST:
        note = _("This is what you typed earlier and did not save. Check it, and save.")
        return _shown_again(admin, request, request.POST, object_id, note)
    if object_id is None:
        return _add(admin, request)
    key = unquote(object_id)
    if request.method != "POST":
        element = admin.get_object(request, key)
        may_change = admin.has_change_permission(request, element)
        shown = stored_element(admin.dimension, element)
        fixed = _immutable(admin) if may_change else admin.dimension.wire.places
        return _page(admin, request, shown, _form(admin, request, shown, fixed), may_change=may_change)
    return _save(admin, request, _edited_element(admin, request, key))


def _immutable(admin: ScopedAdmin) -> set[str]:
    return set(admin.model.unique_in_repository.values())


def _form(admin: ScopedAdmin, request: HttpRequest, shown: PageElement, fixed: Container[str] = ()) -> ElementForm:
    return ElementForm(admin.dimension, ReferenceFinder(request, shown.repository), shown.json, fixed)


@labels_in_messages()
def edit_again(admin: ScopedAdmin, request: HttpRequest, data: QueryDict, object_id: str | None = None) -> HttpResponse:
    """Show the form with the `data` that was typed before the user signed in again; nothing is saved."""
    return _shown_again(admin, request, data, object_id, str(NOT_SAVED))


def _shown_again(
    admin: ScopedAdmin, request: HttpRequest, data: QueryDict, object_id: str | None, note: str
) -> HttpResponse:
    """Show the form with the `data` that was typed, and a `note` above it; nothing is saved."""
    shown = _new_element(admin, request) if object_id is None else _edited_element(admin, request, unquote(object_id))
    attempt, reason = _attempt_of(admin, request, shown, data), ReasonField(shown.repository, data)
    return _again(admin, request, shown, attempt, reason=reason, note=note)


def _add(admin: ScopedAdmin, request: HttpRequest) -> HttpResponse:
    offered = list(admin.repositories(request, Role.PROPOSER)) if "repository" not in request.GET else []
    is_to_choose = len(offered) > 1
    if is_to_choose and request.method == "GET" and (current := current_repository(request)) in offered:
        query = request.GET.copy()
        query["repository"] = str(current.pk)
        return redirect(f"{request.path}?{query.urlencode()}")
    if is_to_choose:
        title = _("Choose a repository")
        return admin.render_page(request, "admin/elements/choose_repository.html", title=title, repositories=offered)
    shown = _new_element(admin, request)
    if request.method == "POST":
        return _save(admin, request, shown)
    form = _form(admin, request, shown)
    if "copy" not in request.GET:
        for path, text in admin.presets.items():
            form.controls[path].show(text)
        for path, (leader, values) in admin.suggestions.items():
            form.controls[path].suggested = {"by": f"id_{leader}", "values": json_text(values)}
    return _page(admin, request, shown, form)


def _new_element(admin: ScopedAdmin, request: HttpRequest) -> PageElement:
    """Return a new element of the repository in the URL, or else of the first in which the user may propose.

    It has the values of the element that the URL names to `copy`, without those that only one can have.
    """
    open_to = admin.repositories(request, Role.PROPOSER)
    chosen = request.GET.get("repository")
    repository = open_to.first() if chosen is None else _first(open_to, pk=chosen)
    if repository is None:
        raise PermissionDenied
    shown = new_element(admin.dimension, repository)
    if "copy" not in request.GET:
        return shown
    copied = stored_element(admin.dimension, admin.get_object(request, request.GET["copy"]))
    return replace(shown, json={**copied.json, **{path: shown.json.get(path) for path in _immutable(admin)}})


def _edited_element(admin: ScopedAdmin, request: HttpRequest, key: str) -> PageElement:
    """Return the element, which the user may change. Raises 404 for one that never existed, or without a grant."""
    try:
        element = admin.get_object(request, key)
        if not admin.has_change_permission(request, element):
            raise PermissionDenied
        return stored_element(admin.dimension, element)
    except Http404:
        versions = admin.model.versions_within(admin.open_keys(request, Role.PROPOSER))
        version = _first(versions, id=key, change=Change.DELETED)
        json = admin.dimension.wire.json_of(version, version.repository.default_language)
        return PageElement(version.repository, None, json, deletion=version)


def _save(admin: ScopedAdmin, request: HttpRequest, shown: PageElement) -> HttpResponse:
    """Save what was typed, merged with what others saved meanwhile, or show what has to be decided or corrected."""
    reason = ReasonField(shown.repository, request.POST)
    for _attempt in range(_ATTEMPTS):
        attempt = _attempt_of(admin, request, shown, request.POST)
        if reason.error or not attempt.is_ready or shown.deletion is not None:
            break
        try:
            return save_attempt(admin, request, shown, attempt, reason.reason)
        except ChangedMeanwhile:
            shown = _edited_element(admin, request, str(shown.element.pk))
        except ValidationError as error:
            attempt.form.point_out(error)
            break
        except Problem as problem:
            attempt.form.point_out_failures(problem.failures or [Failure("", problem.code, str(problem.detail))])
            break
    else:
        attempt = _attempt_of(admin, request, shown, request.POST)
        attempt.form.errors.append(_("Others keep saving this, too; please save again."))
    return _again(admin, request, shown, attempt, reason=reason)


def _attempt_of(admin: ScopedAdmin, request: HttpRequest, shown: PageElement, data: QueryDict) -> Attempt:
    """Return what `data` of the form means for the element as it is stored now, or for a new one."""
    if shown.element is None:
        form = _form(admin, request, shown)
        return Attempt(form, form.read(data), None)

    def form_of(json: Mapping[str, Any]) -> ElementForm:
        return _form(admin, request, replace(shown, json=json), _immutable(admin))

    return merged_attempt(admin.dimension, shown, form_of, data)


def _page(
    admin: ScopedAdmin, request: HttpRequest, shown: PageElement, form: ElementForm, **further: Any
) -> HttpResponse:
    """Return the page with the form; `further` is for its template."""
    element = shown.element
    form.mark_unknown()
    title = _("New %(name)s") % {"name": admin.opts.verbose_name}
    if element is not None:
        title = f"{element} · {description_of(shown.json['descriptions'], shown.repository)}"
    context: dict[str, Any] = {
        "title": title,
        "shown": shown,
        "form": form,
        "etag": shown.etag,
        "may_change": True,
        "reason": ReasonField(shown.repository),
        "proposes": proposes(request, shown.repository, admin.dimension.name),
        "preserved_filters": admin.get_preserved_filters(request),
    }
    if element is not None:
        context |= {
            "about": _about(admin.dimension, shown),
            "generated": admin.generated(element),
            "uses_address": admin.route("uses", element.pk),
            "copy_address": f"{admin.route('add')}?repository={shown.repository.pk}&copy={element.pk}",
            "may_delete": admin.has_delete_permission(request, element),
        }
    return admin.render_page(request, "admin/elements/element.html", **{**context, **further})


def _again(
    admin: ScopedAdmin, request: HttpRequest, shown: PageElement, attempt: Attempt, **further: Any
) -> HttpResponse:
    """Show the page with what was typed, of which nothing was saved."""
    if attempt.choices:
        saved = shown.element
        further["changed"] = {"user": saved.update_user, "date": minute_with_zone(saved.update_date)}
    if shown.deletion is not None:
        deleted = shown.deletion.change_set
        values = {"who": deleted.user, "id": shown.deletion.element_id, "when": minute_with_zone(deleted.committed_at)}
        message = _("%(who)s deleted %(id)s on %(when)s. What you typed is still here; save it to create it again.")
        attempt.form.errors.append(message % values)
        further |= {"note": "", "action": f"{admin.route('add')}?repository={shown.repository.pk}"}
    return _page(admin, request, shown, attempt.form, attempt=attempt, etag=attempt.etag, unsaved=True, **further)


def _first(rows: Any, **condition: Any) -> Any:
    """Return the first of the `rows` that matches. Raises 404 if there is none, or if the condition is invalid."""
    try:
        found = rows.filter(**condition).first()
    except (ValueError, OverflowError):
        found = None
    if found is None:
        raise Http404
    return found


def _about(dimension: Dimension, shown: PageElement) -> list[tuple[str, str]]:
    """Return who changed the element last, when and through what, each with its label; one query."""
    info, places = shown.json["updateInfo"], dimension.wire.places
    versions = dimension.model.versions_of(shown.repository).filter(element_id=shown.element.element_id)
    channel = versions.order_by("-number").values_list("change_set__channel", flat=True).first()
    through = Origin(info["origin"]).label if channel is None else Channel(channel).label
    texts = {"user": info["user"], "date": shown_instant(parse_timestamp(info["date"])), "origin": through}
    return [(places[f"updateInfo.{name}"].heading, text) for name, text in texts.items()]


EDIT_PAGES = (
    Page("add", "add/", edit, again=edit_again),
    Page("change", "<path:object_id>/change/", edit, again=edit_again),
)
