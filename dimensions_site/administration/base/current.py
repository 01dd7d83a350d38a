"""The current repository of a page: the one that its address names, or else the one that the user chose last."""

from collections.abc import Collection, Sequence
from typing import cast

from django.contrib import messages
from django.http import HttpRequest, QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from dimensions_site.administration.base.bounded import open_keys
from dimensions_site.administration.base.paging import ROW
from dimensions_site.repositories.dimensions import dimension_names
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.saved_views.models import KnownRepository

# The parameter of lists, which is empty for all repositories, and those of other pages: a comparison is about its left
# side.
REPOSITORY = "repository__id__exact"
NAMES = (REPOSITORY, "from_repository", "repository")
# The parameters that carry the address of a list to pages about it.
_LISTS = ("_changelist_filters", "list")
# The request attribute that keeps what was found.
_REMEMBERED = "dimensions.remembered_repository"


def open_anywhere(request: HttpRequest, role: Role = Role.READER) -> frozenset[int]:
    """Return the keys of the repositories in which the user has at least `role` for any dimension (contract G2)."""
    return frozenset[int]().union(*(open_keys(request, name, role) for name in dimension_names()))


def chosen_repository(query: QueryDict, repositories: Sequence[Repository]) -> Repository | None:
    """Return the only one of the `repositories` that a list with this `query` shows; None if there are several."""
    key = query.get(REPOSITORY)
    chosen = [one for one in repositories if not key or str(one.pk) == key]
    return chosen[0] if len(chosen) == 1 else None


def remembered_repository(request: HttpRequest) -> Repository | None:
    """Return the repository that the user chose last, or their only one; None is all. One query for each request.

    One that is not open to them any more is dropped, with a message.
    """
    if _REMEMBERED not in request.META:
        request.META[_REMEMBERED] = _remembered(request, open_anywhere(request))
    return cast(Repository | None, request.META[_REMEMBERED])


def _remembered(request: HttpRequest, keys: Collection[int]) -> Repository | None:
    if len(keys) < 2:
        return Repository.objects.filter(pk__in=keys).first()
    chosen = KnownRepository.objects.filter(user=request.user.pk, is_current=True).select_related("repository").first()
    if chosen is None or chosen.repository_id in keys:
        return None if chosen is None else chosen.repository
    KnownRepository.objects.filter(pk=chosen.pk).delete()
    messages.warning(request, _("Your current repository is not open to you any more. All of yours are shown."))
    return None


def current_repository(request: HttpRequest) -> Repository | None:
    """Return the repository that the page is about; None is all."""
    named = _named(request.GET)
    remembered = remembered_repository(request)
    if named is None or (remembered is not None and named == str(remembered.pk)):
        return remembered
    keys = [key for key in open_anywhere(request) if str(key) == named]
    return Repository.objects.filter(pk__in=keys).first() if keys else None


def followed(request: HttpRequest, keys: Collection[int]) -> str:
    """Return the query with which a list, whose repositories have these `keys`, follows the current repository.

    It is empty for the repository that is remembered, which such a list follows by itself.
    """
    current, remembered = current_repository(request), remembered_repository(request)
    if current == remembered or (current is not None and current.pk not in keys):
        return ""
    return urlencode({REPOSITORY: "" if current is None else current.pk})


def at_row(request: HttpRequest, address: str, repository: Repository, key: int) -> str:
    """Return the `address` of a list, which then shows the row of an element of the repository.

    A list that would follow another repository follows that of the element.
    """
    page, _mark, text = address.partition("?")
    query = QueryDict(text, mutable=True)
    query[ROW] = str(key)
    if remembered_repository(request) not in (None, repository):
        query.setdefault(REPOSITORY, str(repository.pk))
    return f"{page}?{query.urlencode()}#here"


def address_of_current(request: HttpRequest, keys: Collection[int]) -> str | None:
    """Return the address of this list in the current repository; None if it names one, or has only one."""
    if request.method != "GET" or REPOSITORY in request.GET or len(keys) < 2:
        return None
    remembered = remembered_repository(request)
    if remembered is None or remembered.pk not in keys:
        return None
    query = request.GET.copy()
    query[REPOSITORY] = str(remembered.pk)
    return f"{request.path}?{query.urlencode()}"


def _named(query: QueryDict) -> str | None:
    """Return the key of the repository in the `query` of a page, or in that of its list; None if there is none."""
    for name in NAMES:
        if name in query:
            return query.get(name)
    lists = [QueryDict(query.get(name, "")) for name in _LISTS]
    return next((one.get(REPOSITORY) for one in lists if REPOSITORY in one), None)
