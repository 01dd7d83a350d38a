"""The base classes of all lists and forms of the administration, and the pages that an admin has besides Django's."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, ClassVar, TypeVar, cast

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import SEARCH_VAR
from django.core.exceptions import PermissionDenied, SuspiciousOperation, ValidationError
from django.db.models import Model, Q, QuerySet
from django.forms import BooleanField, ChoiceField, Media, ModelChoiceField, ModelMultipleChoiceField, Script
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.cache import patch_vary_headers
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldBooleanWidget

from dimensions_site.administration.base.paging import BoundedPaginator, PagedChangeList, limit_of_count, page_number
from dimensions_site.administration.base.values import EMPTY
from dimensions_site.repositories.audit import SUBJECTS
from dimensions_site.repositories.login.sessions import keeping_what_was_typed
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.repositories.permissions import roles_of
from dimensions_site.saved_views.models import KnownRepository
from dimensions_site.text.formats import grouped_number, shortened

F = TypeVar("F")

admin.site.site_header = admin.site.site_title = _("Accounts and currencies")
admin.site.empty_value_display = EMPTY
admin.site.index_title = _("Start page")


# Longer than any useful search; a database fails on a thousand words or on one of 50,000 characters.
LONGEST_SEARCH = 500


# The header of requests by which a page loads a part of another one.
PART = "HX-Request"
# The request attribute that caches the keys of the repositories that the user may access.
_ROLES = "dimensions.roles"


def open_keys(request: HttpRequest, dimension: str, role: Role = Role.READER) -> frozenset[int]:
    """Return the keys of the repositories in whose `dimension` the user has at least `role` (contract G2).

    Queries the grants once per request, because a page asks often.
    """
    known: dict[str, dict[int, Role]] = request.META.setdefault(_ROLES, {})
    if dimension not in known:
        known[dimension] = roles_of(request.user, dimension)
    return frozenset(key for key, granted in known[dimension].items() if granted >= role)


def require_role(request: HttpRequest, repository: Repository, dimension: str, role: Role) -> None:
    """Raise PermissionDenied unless the user has at least `role` in the `dimension` of the repository (contract G2)."""
    if repository.pk not in open_keys(request, dimension, role):
        raise PermissionDenied


# Django's scripts that no page of this service uses: they fill fields from others.
_UNUSED_SCRIPTS = [
    f"admin/js/{name}.js" for name in ("urlify", "prepopulate", "vendor/xregexp/xregexp", "vendor/xregexp/xregexp.min")
]


@dataclass(frozen=True)
class Page:
    """The `name` of a URL, the pattern of its `address`, and its `view`: a function of the admin, the request and what
    the address names.

    It takes one `method` or all, from users with the `permission` of the admin or any. Ctrl-K finds it if it has a
    `title`, a text with %(elements)s, and an `icon`. With `again`, it keeps what was typed, as
    `keeping_what_was_typed` does.
    """

    name: str
    address: str
    view: Callable[..., Any]
    method: str = ""
    permission: str = ""
    title: Any = ""
    icon: str = ""
    again: Callable[..., Any] | None = None

    def title_of(self, admin: ModelAdmin) -> str:
        return str(capfirst(self.title % {"elements": admin.opts.verbose_name_plural}))

    def view_of(self, admin: ModelAdmin) -> Callable[..., Any]:
        """Return the view of this page of `admin`, for users who are signed in."""

        def view(request: HttpRequest, **named: Any) -> Any:
            if self.permission and not getattr(admin, f"has_{self.permission}_permission")(request):
                raise PermissionDenied
            return self.view(admin, request, **named)

        shown = require_http_methods([self.method])(view) if self.method else view
        if self.again is not None:
            return keeping_what_was_typed(admin.admin_site, shown, again=partial(self.again, admin))
        return admin.admin_site.admin_view(shown)


class BoundedListAdmin(ModelAdmin):
    """A list of the admin with bounded filters and searches, so that no URL makes it fail."""

    paginator = BoundedPaginator
    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    # What a search finds, unless it is what Django does.
    search_condition: Callable[[str], Q] | None = None
    # Besides those of Django, or instead of them.
    pages: ClassVar[Sequence[Page]] = ()

    def get_urls(self) -> list[URLPattern]:
        own = [path(page.address, page.view_of(self), name=self.url_name(page.name)) for page in self.pages]
        return [*own, *super().get_urls()]

    def url_name(self, page: str) -> str:
        """Return the name of the URL of a page of this model, such as `changelist`."""
        return f"{self.opts.app_label}_{self.opts.model_name}_{page}"

    def route(self, page: str, *arguments: Any) -> str:
        return reverse(f"admin:{self.url_name(page)}", args=arguments)

    def render_page(self, request: HttpRequest, template: str, **context: Any) -> TemplateResponse:
        common = {**self.admin_site.each_context(request), "opts": self.opts}
        return TemplateResponse(request, template, {**common, **context})

    def render_part(self, request: HttpRequest, part: str, whole: str, **context: Any) -> TemplateResponse:
        """Return the `part` alone for a page that loads it, and the `whole` page otherwise."""
        response = self.render_page(request, part if PART in request.headers else whole, **context)
        patch_vary_headers(response, [PART])
        return response

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the row; Django fails on the empty name of a field, which anybody can put into an address."""
        return super().get_object(request, object_id, from_field or None)

    @property
    def media(self) -> Media:
        """Return the scripts and styles of the page without the unused ones."""
        found = super().media
        return Media(css=found._css, js=[script for script in found._js if self.uses_script(str(script))])

    def uses_script(self, script: str) -> bool:
        """Return whether a page of this model uses the `script` of Django's forms, or another one."""
        return script not in _UNUSED_SCRIPTS

    @admin.display(description=_("Select"))
    def action_checkbox(self, obj: Model) -> SafeString:
        """Return the checkbox that selects a row, labelled with the name of the row."""
        name = _("Select %(name)s") % {"name": obj}
        box = UnfoldBooleanWidget({"class": "action-select", "aria-label": name}, lambda value: False)
        return box.render(ACTION_CHECKBOX_NAME, str(obj.pk))

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """Allow only the lookups of the filters beside the list; others, such as a regular expression, could fail."""
        offered = "__" not in lookup or lookup.endswith(("__exact", "__isnull", "__gte", "__lt"))
        return offered and super().lookup_allowed(lookup, value, request)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Return nothing for a search that is too long: a part of it would find too much."""
        if len(search_term) > LONGEST_SEARCH:
            return queryset.none(), False
        if self.search_condition is not None:
            return queryset.filter(self.search_condition(search_term)) if search_term else queryset, False
        return super().get_search_results(request, queryset, search_term)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:
        return PagedChangeList

    def get_paginator(self, request: HttpRequest, queryset: QuerySet[Any], per_page: int, *args: Any, **kw: Any) -> Any:
        """Return the paginator of the list, which counts as far as the address asks for."""
        found: Any = super().get_paginator(request, queryset, per_page, *args, **kw)
        found.limit, found.is_first = limit_of_count(request, per_page), page_number(request) == 1
        return found

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Show why a search that is too long found nothing."""
        shown = super().get_changelist_instance(request)
        if len(shown.query) > LONGEST_SEARCH:
            messages.error(
                request,
                _("A search may have %(longest)d characters, and this one has %(length)s. Please search for less.")
                % {"longest": LONGEST_SEARCH, "length": grouped_number(len(shown.query))},
            )
        return shown

    def rows_of_list(self, request: HttpRequest) -> QuerySet[Any] | None:
        """Return all rows of the list with the query of this URL; None if that is not valid."""
        try:
            found: QuerySet[Any] = self.get_changelist_instance(request).queryset
        except IncorrectLookupParameters:
            return None
        return found

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *args: Any) -> Any:
        """Reject a selection that the page cannot have sent: an invalid key would fail in the database."""
        for key in request.POST.getlist(ACTION_CHECKBOX_NAME):
            if not self._can_be_key(key):
                messages.error(request, _("Nothing was done: the selection is invalid. Select the rows again."))
                return None
        return super().response_action(request, queryset, *args)

    def _can_be_key(self, text: str) -> bool:
        try:
            self.model._meta.pk.clean(text, None)
        except ValidationError:
            return False
        return "\0" not in text


# What a picker sends of a row, or nothing.
_KEY = re.compile("[0-9]{0,18}")


class LookOnlyMixin:
    """Makes a page or an inline read-only, for records that only the service writes."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission


def with_what_was_shown(field: F) -> F:
    """Return the form `field`, which sends what its page has shown, if it is a switch or a choice, such as of groups.

    So a form that is saved late does not give back a right that somebody has taken meanwhile.
    """
    is_row = isinstance(field, ModelChoiceField) and not isinstance(field, ModelMultipleChoiceField)
    if isinstance(field, BooleanField | ChoiceField) and not is_row:
        field.show_hidden_initial = True
    return field


def is_as_shown(form: Any, name: str) -> bool:
    """Return whether the field is sent as the page has shown it; False if that was not sent."""
    return form.add_initial_prefix(name) in form.data and name not in form.changed_data


def _without(listed: Sequence[Any], beginning: str) -> list[Any]:
    """Return the nested list without the texts that begin like this."""
    kept = (one for one in listed if isinstance(one, list) or not str(one).startswith(beginning))
    return [_without(one, beginning) if isinstance(one, list) else one for one in kept]


class SuperuserAdmin(BoundedListAdmin):
    """Administration for superusers only, because it could extend a user's own rights."""

    class Media:
        css = {"all": ["site/admin/superusers.css"]}
        js = [
            "site/admin/names_of_pickers.js",
            *(Script(f"site/admin/{name}.js", type="module") for name in ("summary", "unsaved", "copying")),
        ]

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Explain the roles."""
        if db_field.name == "role":
            kwargs["choices"] = Role.explained_choices()
        return super().formfield_for_choice_field(db_field, request, **kwargs)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        return with_what_was_shown(super().formfield_for_dbfield(db_field, request, **kwargs))

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        """Leave what was not changed on the page as it is stored by now."""
        row = super().save_form(request, form, change)
        for name in form.initial if change else ():
            if name in form.fields and is_as_shown(form, name):
                if isinstance(form.fields[name], ModelMultipleChoiceField):
                    del form.cleaned_data[name]
                else:
                    setattr(row, name, form.initial[name])
        return row

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Leave out which repository people chose last, which nobody looks for."""
        found, counts, *further = super().get_deleted_objects(objs, request)
        chosen: Any = KnownRepository._meta
        counts.pop(chosen.verbose_name_plural, None)
        return _without(found, f"{capfirst(chosen.verbose_name)}: "), counts, *further

    def _is_superuser(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)

    has_module_permission = has_view_permission = _is_superuser
    has_add_permission = has_change_permission = has_delete_permission = _is_superuser

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Reject keys that no page can have sent, in the form and in the URL: Django's pickers would fail on them."""
        inline = chain.from_iterable(cast(Any, page).autocomplete_fields for page in self.inlines)
        pickers = {"members", *self.autocomplete_fields, *inline}
        for name, keys in chain(request.POST.lists(), request.GET.lists()):
            if name.rpartition("-")[2] in pickers and not all(_KEY.fullmatch(str(key)) for key in keys):
                raise SuspiciousOperation(f"The form has an invalid key in {shortened(name)}.")
        return super().changeform_view(request, *args, **kwargs)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Show no link to access changes on the page of what has none."""
        return super().render_change_form(request, {**context, "show_history": self.model in SUBJECTS}, *args, **kwargs)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Lead to the access changes of the row, if it has any: Django's own page knows only what was done by form.

        Permission comes before the lookup: Django's response would reveal which primary keys exist.
        """
        if not self.has_view_permission(request):
            raise PermissionDenied
        row = self.get_object(request, unquote(object_id)) if self.model in SUBJECTS else None
        if row is None:
            return super().history_view(request, object_id, extra_context)
        name = str(next(iter(SUBJECTS[self.model].of(row).values())))
        return redirect(f"{reverse('admin:repositories_accesschange_changelist')}?{urlencode({SEARCH_VAR: name})}")
