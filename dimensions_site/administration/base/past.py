"""The moments that people type, and the list of elements as they were at one (contract J1)."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.contrib.admin.views.main import PAGE_VAR
from django.core.exceptions import ValidationError
from django.db import OperationalError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.timezone import get_current_timezone, localtime
from django.utils.translation import gettext as _

from dimensions_site.administration.base.current import REPOSITORY, chosen_repository
from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.changes.states import Future, State
from dimensions_site.changes.versions import versions_at
from dimensions_site.db.transactions import is_about_locks
from dimensions_site.elements.history.moments import TooOld, kept_state
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import moment, parse_timestamp, shortened

# The parameter of the list.
AS_OF_PARAMETER = "as_of"


def asked_moment(request: HttpRequest) -> str:
    """Return what was typed as the moment of the list; empty for the list of now."""
    return request.GET.get(AS_OF_PARAMETER, "").strip()


def instant_of(text: str) -> datetime:
    """Return the instant that was typed, without an offset in the time zone of the page. Raises ValidationError."""
    try:
        return parse_timestamp(text, zone=get_current_timezone())
    except ValueError:
        message = _("'%(text)s' is not a date and a time such as 2026-03-31 22:00.")
        raise ValidationError(message % {"text": shortened(text)}) from None


def address_in_utc(request: HttpRequest, *names: str) -> str | None:
    """Return the address of the page with the moments in UTC that were typed without an offset; None if there are none.

    So an address means the same to people in other time zones.
    """
    query = request.GET.copy()
    for name in names:
        typed = query.get(name, "").strip()
        with suppress(ValueError):
            if typed and datetime.fromisoformat(typed).tzinfo is None:
                query[name] = f"{_seconds(parse_timestamp(typed, zone=get_current_timezone()))}Z"
    return None if query == request.GET else f"{request.path}?{query.urlencode()}"


def as_typed(text: str) -> str:
    """Return the moment as a browser's field for moments takes it: in the time zone of the page, without an offset."""
    try:
        return _seconds(localtime(instant_of(text)))
    except (ValidationError, OverflowError):
        return text


def _seconds(when: datetime) -> str:
    """Return date and time without an offset; the year has four digits, as in `0026-03-31T22:00:00`."""
    return when.replace(tzinfo=None).isoformat(timespec="seconds")


def state_at_instant(instant: datetime, repository: Repository, dimension: str) -> State:
    """Return the state of the `dimension` at the `instant`. Raises ValidationError if it is not known."""
    try:
        return kept_state(repository, dimension, instant)
    except Future as error:
        message = _("This moment is in the future. It is %(now)s now.") % {"now": moment(error.now)}
    except TooOld as error:
        # The first full second, which people can type.
        oldest = moment(error.oldest + timedelta(microseconds=999_999))
        message = _("What was before %(oldest)s is not known: the history begins then.") % {"oldest": oldest}
    except OperationalError as error:
        if not is_about_locks(error):
            raise
        message = _("Others are saving right now. Try again in a few seconds, or choose an earlier moment.")
    raise ValidationError(message)


class PastList:
    """The form above the list of `admin`, and the elements at the moment that was typed, if any.

    `repositories` are those to choose from, and `repository` is the chosen one, or the only one. After `rows`,
    `instant` is the moment if it is valid, and `errors` says what is wrong, by the field.
    """

    def __init__(self, admin: ScopedAdmin, request: HttpRequest) -> None:
        self.typed = asked_moment(request)
        # What the field shows.
        self.value = as_typed(self.typed)
        self.is_requested = bool(self.typed)
        self.repositories = list(admin.repositories(request))
        self.instant: datetime | None = None
        self.errors: dict[str, str] = {}
        self._admin = admin
        self._request = request
        self.repository = chosen_repository(request.GET, self.repositories)
        self.has_choice = len(self.repositories) > 1 or self.repository is None

    def rows(self) -> QuerySet[Any]:
        """Return the versions that were the elements then; none if the moment or the repository is invalid."""
        admin, state = self._admin, None
        if self.repository is None:
            self.errors["repository"] = _("Choose a repository: a state of the past is that of one repository.")
        try:
            instant = instant_of(self.typed)
            if self.repository is not None:
                state = state_at_instant(instant, self.repository, admin.dimension.name)
                self.instant = instant
        except ValidationError as error:
            self.errors["moment"] = str(error.message)
        found: QuerySet[Any] = admin.model.versions_of(self.repository or 0)
        found = found.none() if state is None else versions_at(found, state)
        return found.select_related("repository").order_by(*admin.get_ordering(self._request))

    @property
    def shown(self) -> str:
        return "" if self.instant is None else moment(self.instant)

    @property
    def comparison(self) -> dict[str, str]:
        """The parameters of the page that compares the shown state with now; none if the list is that of now."""
        if self.repository is None or self.instant is None:
            return {}
        key = str(self.repository.pk)
        return {"from_repository": key, "from": self.typed, "repository": key, "to": ""}

    def kept(self) -> Iterator[tuple[str, str]]:
        """Yield the other parameters of the list, which the form sends again."""
        own = {AS_OF_PARAMETER, PAGE_VAR, *((REPOSITORY,) if self.has_choice else ())}
        for name, values in self._request.GET.lists():
            if name not in own:
                yield from ((name, value) for value in values)
