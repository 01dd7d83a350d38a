"""Creating and changing an element: saved by the code that serves REST (contract C12 to C18)."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.contrib.admin.utils import unquote
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from dimensions_site.api.errors import Problem
from dimensions_site.elements.actors import Actor
from dimensions_site.elements.admin.forms import ElementForm
from dimensions_site.elements.admin.sheets import Sheet, SheetAdmin
from dimensions_site.elements.differences import differences
from dimensions_site.elements.editing import Editor
from dimensions_site.elements.etags import etag_of
from dimensions_site.elements.history import DELETED
from dimensions_site.elements.models import Origin
from dimensions_site.formats import minute
from dimensions_site.repositories.models import Role

# The tag of the version that was shown, which the form sends along.
ETAG = "_etag"


class ChangedMeanwhile(Exception):
    """The element is not stored in the version that was shown."""


class EditedAdmin(SheetAdmin):
    """Writes one element. Django's forms and `save_model` have no part in it, so there is one way to write."""

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The page of the element, or of a new one in the repository that `?repository=` names.

        What is wrong stands at its field. A save is refused when somebody else saved in between (contract C16).
        """
        if object_id is None:
            return self._add(request)
        key = unquote(object_id)
        if request.method != "POST":
            element = self.get_object(request, key)
            may_change = self.has_change_permission(request, element)
            sheet = self.sheet_of(element)
            fixed = self._immutable if may_change else self.wire.places
            return self.page(request, sheet, self.form_for(request, sheet, fixed), may_change=may_change)
        try:
            element = self.get_object(request, key)
            if not self.has_change_permission(request, element):
                raise PermissionDenied
            sheet = self.sheet_of(element)
            return self._save(request, sheet, self.form_for(request, sheet, self._immutable))
        except Http404:
            return self._add_again(request, key)

    @property
    def _immutable(self) -> set[str]:
        return set(self.model.unique_in_repository.values())

    def _add(self, request: HttpRequest) -> HttpResponse:
        open_to = self.repositories(request, Role.EDITOR)
        chosen = request.GET.get("repository")
        if chosen is None:
            offered = list(open_to)
            if not offered:
                raise PermissionDenied
            if len(offered) > 1:
                context = {"title": _("Choose a repository"), "repositories": offered}
                return self.answer(request, "admin/elements/choose_repository.html", context)
            repository = offered[0]
        else:
            repository = _first(open_to, pk=chosen)
        sheet = self.blank_sheet(repository)
        form = self.form_for(request, sheet)
        return self._save(request, sheet, form) if request.method == "POST" else self.page(request, sheet, form)

    def _add_again(self, request: HttpRequest, key: str) -> HttpResponse:
        """The page of an element that was deleted while it was edited, as a new one with all that was typed."""
        open_to = self.repositories(request, Role.EDITOR)
        deleted = self.model.history.filter(history_type=DELETED, repository__in=open_to).order_by("-history_id")
        version = _first(deleted, id=key)
        declaration = self.wire.serializer(context={"repository": version.repository})
        sheet = Sheet(version.repository, None, dict(declaration.to_representation(version)))
        form = self.form_for(request, sheet)
        form.read(request.POST)
        told = {"who": version.history_actor, "id": version.element_id, "when": minute(version.history_date)}
        form.faults.append(
            _("%(who)s deleted %(id)s on %(when)s UTC. What you typed is still here; save it to create it anew.") % told
        )
        return self.page(request, sheet, form, action=f"{self.route('add')}?repository={version.repository.pk}")

    def _save(self, request: HttpRequest, sheet: Sheet, form: ElementForm) -> HttpResponse:
        typed = form.read(request.POST)
        shown: dict[str, Any] = {"etag": request.POST.get(ETAG)}
        if not form.fault_count:
            try:
                return self._write(request, sheet, typed)
            except ChangedMeanwhile:
                now = self.sheet_of(self.get_object(request, str(sheet.element.pk)))
                told = differences(self.wire, typed, now.json)
                shown = {"etag": now.etag, "conflict": told, "changed": self.about(now)}
            except ValidationError as error:
                form.point_out(error)
            except Problem as problem:
                form.point_out_failures(problem.failures)
        return self.page(request, sheet, form, **shown)

    def _write(self, request: HttpRequest, sheet: Sheet, typed: dict[str, Any]) -> HttpResponse:
        """Save what was typed and lead on; raises as `Editor` does, and `ChangedMeanwhile`."""

        def allow(text: str | None) -> None:
            if (None if text is None else etag_of(text)) != request.POST.get(ETAG):
                raise ChangedMeanwhile

        actor = Actor(cast(User, request.user), Origin.INPUT_WEB)
        editor = Editor(self.model, self.wire, sheet.repository, actor, allow)
        if sheet.element is None:
            id = editor.create(typed).id
            message = _("The %(name)s %(id)s was created.")
        else:
            id = sheet.element.element_id
            # Before anything is said about faults; and once more when nobody else can write.
            allow(self.json_text(sheet.repository, id))
            editor.replace(id, typed)
            is_same = self._etag(sheet, id) == sheet.etag
            message = (
                _("Nothing was changed, so the %(name)s %(id)s was not saved again.")
                if is_same
                else _("The %(name)s %(id)s was saved.")
            )
        messages.success(request, message % {"name": self.opts.verbose_name, "id": id})
        saved = self.model._base_manager.get(repository=sheet.repository, element_id=id)
        if "_continue" not in request.POST:
            return cast(HttpResponse, self.response_post_save_change(request, saved))
        filters: dict[str, Any] = {"preserved_filters": self.get_preserved_filters(request), "opts": self.opts}
        return HttpResponseRedirect(add_preserved_filters(filters, self.route("change", saved.pk)))

    def _etag(self, sheet: Sheet, id: str) -> str | None:
        text = self.json_text(sheet.repository, id)
        return None if text is None else etag_of(text)


def _first(rows: Any, **condition: Any) -> Any:
    """The first of the `rows` that fits; raises 404 when there is none, or when the condition makes no sense."""
    try:
        found = rows.filter(**condition).first()
    except (ValueError, OverflowError):
        found = None
    if found is None:
        raise Http404
    return found
