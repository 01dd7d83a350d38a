"""The moments that clients name: instants, and sync tokens, which are states as opaque texts (contract I3, I4, J1).

    part    bytes   content
    slot    1       the slot
    number  8       the number of its last change set, big-endian
    mark    4       the first bytes of that change set's id

This is repeated for each slot that had a change set, encoded as base64url and signed for one dimension of one
repository.
"""

import base64
import binascii
import struct
from datetime import datetime

from django.core.signing import BadSignature, Signer
from django.db import DEFAULT_DB_ALIAS, OperationalError

from dimensions_site.api.errors import Failure, Problem, bad_request, quoted
from dimensions_site.changes.states import (
    MARK,
    Future,
    SlotPosition,
    State,
    current_state,
    has_places,
    oldest_instant,
    state_at,
)
from dimensions_site.db.transactions import is_about_locks
from dimensions_site.elements.reading.answers import instant_text
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import NoSuchMoment, TooPrecise, parse_timestamp

MAX_TOKEN = 512
_PART = struct.Struct(f">BQ{MARK}s")
_LIST_AGAIN = "List the elements again, and follow the changes with the Sync-Token of that answer."


class InvalidToken(ValueError):
    """A text that is no token of this dimension of this repository."""


def token_of(state: State) -> str:
    """Return the token of the `state`, of at most `MAX_TOKEN` characters."""
    parts = [_PART.pack(slot, place.number, place.mark) for slot, place in sorted(state.places.items())]
    text = base64.urlsafe_b64encode(b"".join(parts)).decode().rstrip("=")
    return _signer(state.repository, state.dimension).sign(text)


def state_of(token: str, repository: int, dimension: str) -> State:
    """Return the state that the `token` was made of. Raises `InvalidToken`."""
    if len(token) > MAX_TOKEN or not token.isascii():
        raise InvalidToken
    try:
        text = _signer(repository, dimension).unsign(token)
        parts = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        places = {slot: SlotPosition(number, mark) for slot, number, mark in _PART.iter_unpack(parts)}
    except (BadSignature, binascii.Error, struct.error):
        raise InvalidToken from None
    return State(repository, dimension, places)


def _signer(repository: int, dimension: str) -> Signer:
    return Signer(sep=".", salt=f"sync-token {repository} {dimension}")


def state_of_token(
    name: str, token: str, repository: Repository, dimension: str, *, using: str = DEFAULT_DB_ALIAS, or_else: str = ""
) -> tuple[State, State]:
    """Return the state of the `token` in the parameter `name`, and the present one.

    `or_else` is what else the parameter may be. Raises Problem 400 for what is no token of the
    `dimension` of the `repository`, and 410 TOKEN_EXPIRED for one whose changes are no longer known.
    """
    try:
        state = state_of(token, repository.pk, dimension)
    except InvalidToken:
        message = (
            f"{name} must be {or_else}a Sync-Token that this service has returned for the {dimension} dimension of "
            f"repository '{repository.db_id}'; got {quoted(token)}."
        )
        # A token has a point before its signature; nothing else that was meant as a moment is called one.
        is_token = "." in token or not or_else
        failure = Failure(name, "INVALID_TOKEN", message) if is_token else Failure(name, "INVALID_VALUE", message)
        raise bad_request([failure]) from None
    now, horizon = current_state(repository.pk, dimension, using=using)
    numbers = state.numbers()
    if any(numbers.get(slot, 0) < number for slot, number in horizon.numbers.items()):
        detail = f"What followed the state of {name} is no longer stored: old versions were deleted. {_LIST_AGAIN}"
        raise Problem(410, "TOKEN_EXPIRED", detail)
    if not has_places(state, now, using=using):
        detail = f"The database does not have the state of {name}: a backup was restored since. {_LIST_AGAIN}"
        raise Problem(410, "TOKEN_EXPIRED", detail)
    return state, now


def state_of_moment(name: str, text: str, repository: Repository, dimension: str) -> State:
    """Return the state at the instant, or of the token, in the parameter `name`.

    Raises as `state_of_token` does; for an instant Problem 400 if it has not come yet, 410 HISTORY_EXPIRED if it is
    before the oldest kept version, and 503 if SQLite's writer is busy at that very moment.
    """
    if not text[:1].isdigit():  # no token begins with one
        or_else = "an instant such as 2026-03-31T22:00:00Z, or "
        return state_of_token(name, text, repository, dimension, or_else=or_else)[0]
    try:
        instant = parse_timestamp(text, exact=True)
    except (NoSuchMoment, TooPrecise) as error:
        raise bad_request([Failure(name, "INVALID_VALUE", f"{name} is {quoted(text)}. {error}")]) from None
    except ValueError:
        message = f"{name} must be an instant such as 2026-03-31T22:00:00Z, or a Sync-Token; got {quoted(text)}."
        raise bad_request([Failure(name, "INVALID_VALUE", message)]) from None
    try:
        return kept_state(repository, dimension, instant)
    except Future as error:
        message = f"{name} must not be in the future: it is {instant_text(error.now)} now; got {quoted(text)}."
        raise bad_request([Failure(name, "INVALID_VALUE", message)]) from None
    except OperationalError as error:
        if not is_about_locks(error):
            raise
        detail = "Others are writing at this moment; ask again in a few seconds, or for an earlier instant."
        raise Problem(503, "REPOSITORY_BUSY", detail, headers={"Retry-After": "5"}) from None
    except TooOld as error:
        kept = f"the oldest version that is kept, of {instant_text(error.oldest)}"
        detail = f"{name} must not be before {kept}; got {quoted(text)}."
        raise Problem(410, "HISTORY_EXPIRED", detail) from None


class TooOld(ValueError):
    """An instant before the `oldest` kept version."""

    def __init__(self, oldest: datetime) -> None:
        super().__init__(f"The oldest version is of {oldest}.")
        self.oldest = oldest


def kept_state(repository: Repository, dimension: str, instant: datetime) -> State:
    """Return the state at the `instant`. Raises `TooOld` if its versions are no longer kept, else as `state_at`."""
    state = state_at(repository.pk, dimension, instant)
    oldest = oldest_instant(repository.pk, dimension)
    if oldest is not None and instant < oldest:
        raise TooOld(oldest)
    return state
