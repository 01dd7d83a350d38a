"""Saved views of a list: the pages that keep, share and delete them, and opening them (contract G2)."""

from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from dimensions_site.administration.base.bounded import Page
from dimensions_site.administration.base.current import REPOSITORY
from dimensions_site.administration.conditions.filtering import COLUMNS, FILTER, FILTER_ALL, LIST, VIEW, list_query
from dimensions_site.administration.elements.editing import shown_again
from dimensions_site.administration.lists.listing import ListedAdmin
from dimensions_site.administration.lists.view_form import ViewForm
from dimensions_site.repositories.models import Role
from dimensions_site.saved_views.models import DefaultView, SavedView

# How many views a list names; the page of the views has all.
_NAMED = 20


class ListViews:
    """The views that the user may open, around the list that a request asks for."""

    def __init__(self, admin: ListedAdmin, request: HttpRequest) -> None:
        self._admin = admin
        self._request = request

    @cached_property
    def all(self) -> list[Any]:
        """The views, those of the user first."""
        admin, user = self._admin, self._request.user
        open_keys = admin.open_keys(self._request)
        found = list(SavedView.open_to(user, admin.dimension.name, open_keys))
        return sorted(found, key=lambda view: view.owner_id != user.pk)

    def find(self, key: str) -> Any:
        """Return the view with that primary key; None if the user may not open one."""
        return next((view for view in self.all if str(view.pk) == key), None)

    @cached_property
    def current(self) -> Any:
        return self.find(self._request.GET.get(VIEW, ""))

    @property
    def is_own(self) -> bool:
        return self.current is not None and self.current.owner_id == self._request.user.pk

    @property
    def is_changed(self) -> bool:
        """Whether the list has become another than the view that was opened."""
        view, admin = self.current, self._admin
        # A view of all repositories follows the current one.
        is_moved = view.repository_id and str(view.repository_id) != self._request.GET.get(REPOSITORY, "")
        return view.query != kept_query(admin, self._request.GET) or bool(is_moved)

    @property
    def named(self) -> list[tuple[Any, str]]:
        return [(view, view_address(self._admin, view)) for view in self.all[:_NAMED]]

    def address_to_open(self) -> str | None:
        """Return the address of the view that opens instead of this list; None if none does. Say why one cannot."""
        admin, request = self._admin, self._request
        if not request.GET:
            view = next((view for view in self.all if view.is_default), None)
            chosen = DefaultView.objects.filter(user=request.user.pk, dimension=admin.dimension.name)
            if view is None and chosen.exists():
                message = _(
                    "The view with which this list opens is not shared with you any more, or you have no access to its "
                    "repository. All is shown."
                )
                messages.warning(request, message)
            return None if view is None else view_address(admin, view)
        key = request.GET.get(VIEW, "")
        if set(request.GET) != {VIEW} or key == FILTER_ALL:
            return None
        view = self.find(key)
        if view is None:
            messages.warning(request, _("This view does not exist, or it is not shared with you. All is shown."))
            return f"{admin.route('changelist')}?{VIEW}={FILTER_ALL}"
        address = view_address(admin, view)
        # A view may keep nothing.
        return None if address == request.get_full_path() else address

    def point_out(self) -> None:
        """Say what of the columns and of the open view cannot be shown."""
        admin, request = self._admin, self._request
        for error in admin.columns.chosen(request.GET.get(COLUMNS, ""))[1]:
            messages.warning(request, error)
        view = self.current if request.GET.get(VIEW, FILTER_ALL) != FILTER_ALL else None
        if view is not None and view.repository_id is not None and view.repository_id not in admin.open_keys(request):
            message = _("You have no access to the repository of the view “%(name)s” any more, so nothing is shown.")
            messages.error(request, message % {"name": view.name})


def kept_query(admin: ListedAdmin, query: QueryDict, *, shows_one: bool = False) -> str:
    """Return what a view keeps of the `query` of a list: all but the repository, the page and the moment.

    `shows_one` says that the view shows one repository.
    """
    names = (FILTER, "q", COLUMNS, "o", *admin.quick_parameters)
    kept = {name: query[name] for name in names if query.get(name) and "\0" not in query[name]}
    if "o" in kept:  # it names columns by their place
        kept.setdefault(COLUMNS, ",".join(column.path for column in admin.usual_columns(shows_one=shows_one)))
    return urlencode(sorted(kept.items()))


def view_address(admin: ListedAdmin, view: SavedView) -> str:
    """Return the address of the list that shows the view; it carries all that the view keeps."""
    repository = {} if view.repository_id is None else {REPOSITORY: str(view.repository_id)}
    query = filter(None, (urlencode({VIEW: view.pk, **repository}), kept_query(admin, QueryDict(view.query))))
    return f"{admin.route('changelist')}?{'&'.join(query)}"


def show_views(admin: ListedAdmin, request: HttpRequest) -> HttpResponse:
    """Show all views of the list, and do what is chosen with one: `default`, `usual`, `delete` or `unshare`."""
    views = ListViews(admin, request)
    if request.method == "POST":
        _do(admin, request, views)
        return redirect(admin.route("views"))
    managed = admin.open_keys(request, Role.MANAGER)
    rows = [
        {
            "view": view,
            "is_own": view.owner_id == request.user.pk,
            "can_unshare": view.is_shared and view.repository_id in managed,
            "is_open": view.repository_id is None or view.repository_id in admin.open_keys(request),
            "address": view_address(admin, view),
            "change": admin.route("view", view.pk),
        }
        for view in views.all
    ]
    title = _("Views of %(elements)s") % {"elements": admin.opts.verbose_name_plural}
    return admin.render_page(
        request,
        "admin/lists/views.html",
        title=title,
        rows=rows,
        address=f"{admin.route('changelist')}?{VIEW}={FILTER_ALL}",
    )


def _do(admin: ListedAdmin, request: HttpRequest, views: ListViews) -> None:
    view = views.find(request.POST.get(VIEW, ""))
    if view is None:
        messages.warning(request, _("This view does not exist any more, or it is not shared with you."))
        return
    is_own = view.owner_id == request.user.pk
    name = {"name": view.name}
    match request.POST.get("do"):
        case "default":
            _set_default(admin, request, view)
            messages.success(request, _("The list opens with the view “%(name)s” from now on.") % name)
        case "usual":
            DefaultView.objects.filter(user=request.user.pk, view=view).delete()
            messages.success(request, _("The list opens with all from now on."))
        case "delete" if is_own:
            view.delete()
            messages.success(request, _("The view “%(name)s” was deleted.") % name)
        case "unshare" if is_own or view.repository_id in admin.open_keys(request, Role.MANAGER):
            _unshare(view)
            messages.success(request, _("The view “%(name)s” is not shared any more.") % name)
        case _other:
            raise PermissionDenied


def _set_default(admin: ListedAdmin, request: HttpRequest, view: SavedView) -> None:
    user = cast(User, request.user)
    DefaultView.objects.update_or_create(user=user, dimension=admin.dimension.name, defaults={"view": view})


def _unshare(view: SavedView) -> None:
    """Leave the view to its owner alone."""
    with transaction.atomic():
        SavedView.objects.filter(pk=view.pk).update(is_shared=False)
        DefaultView.objects.filter(view=view).exclude(user=view.owner).delete()


def save_view(admin: ListedAdmin, request: HttpRequest, view_id: int | None = None) -> HttpResponse:
    """Ask for the name and the users of a new view or an own one, and save it with the list, if one is given."""
    views = ListViews(admin, request)
    view = None if view_id is None else views.find(str(view_id))
    if view_id is not None and (view is None or view.owner_id != request.user.pk):
        raise Http404
    query = list_query(request)
    form = ViewForm(
        request.user,
        admin.dimension.name,
        list(admin.repositories(request)),
        view=view,
        listed=query.get(REPOSITORY, "") if query or view is None else None,
        data=request.POST or None,
    )
    if request.method == "POST" and form.is_valid():
        shows_one = form.cleaned_data["repository"] is not None or len(admin.open_keys(request)) == 1
        saved = form.save(kept_query(admin, query, shows_one=shows_one) if query or view is None else view.query)
        if saved is not None:
            if not saved.is_shared:
                _unshare(saved)
            if form.cleaned_data["is_default"]:
                _set_default(admin, request, saved)
            else:
                DefaultView.objects.filter(user=request.user.pk, view=saved).delete()
            messages.success(request, _("The view “%(name)s” was saved.") % {"name": saved.name})
            return redirect(view_address(admin, saved))
    title = _("Save as a view") if view is None else _("Change the view “%(name)s”") % {"name": view.name}
    return admin.render_page(
        request,
        "admin/lists/view.html",
        title=title,
        form=form,
        keeps_list=bool(query),
        address=f"{admin.route('changelist')}?{query.urlencode() or f'{VIEW}={FILTER_ALL}'}",
        **{LIST: query.urlencode()},
    )


VIEW_PAGES = (
    Page("views", "views/", show_views, permission="view"),
    Page("save_view", "views/save/", save_view, permission="view", again=shown_again(save_view)),
    Page("view", "views/<int:view_id>/", save_view, permission="view", again=shown_again(save_view)),
)
