"""Sync tokens: states as opaque texts for clients (contract I3, I4).

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

from django.core.signing import BadSignature, Signer

from dimensions_site.changes.states import MARK, SlotPosition, State

MAX_LENGTH = 512
_PART = struct.Struct(f">BQ{MARK}s")


class InvalidToken(ValueError):
    """A text that is no token of this dimension of this repository."""


def token_of(state: State) -> str:
    """Return the token of the `state`, of at most `MAX_LENGTH` characters."""
    parts = [_PART.pack(slot, place.number, place.mark) for slot, place in sorted(state.places.items())]
    text = base64.urlsafe_b64encode(b"".join(parts)).decode().rstrip("=")
    return _signer(state.repository, state.dimension).sign(text)


def state_of(token: str, repository: int, dimension: str) -> State:
    """Return the state that the `token` was made of. Raises `InvalidToken`."""
    if len(token) > MAX_LENGTH or not token.isascii():
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
