"""The request with a given number: a seed and the number determine everything, so that a finding can be repeated."""

from dataclasses import dataclass
from enum import Enum, auto
from random import Random

from tests.load.fuzz.addresses import ADDRESSES
from tests.load.fuzz.bodies import BODIES
from tests.load.fuzz.corpus import Corpus
from tests.load.fuzz.framing import FRAMING, plain_bytes
from tests.load.fuzz.headers import HEADERS
from tests.load.fuzz.message import Mutation


class Manner(Enum):
    """How the bytes of a request are sent, and how its answer is read."""

    AT_ONCE = auto()
    # With pauses, now and then within a line or a character.
    SLOWLY = auto()
    # Only a part is sent, and nothing more is to come.
    CUT = auto()
    # Only a part is sent, and the connection is reset.
    ABORTED = auto()
    # Everything is sent, and the connection is reset while the answer comes.
    UNREAD = auto()
    # The same request twice without waiting for the first answer.
    TWICE = auto()


_MANNERS = {
    Manner.AT_ONCE: 80,
    Manner.SLOWLY: 4,
    Manner.CUT: 4,
    Manner.ABORTED: 4,
    Manner.UNREAD: 4,
    Manner.TWICE: 4,
}
# Mutations after which the server still knows where the request ends, so that it has to answer.
_FRAMED = (*BODIES, *ADDRESSES, *HEADERS)


@dataclass(frozen=True)
class Attempt:
    """A request as it is sent; `name` says what it was made from, `must_answer` whether silence is an error."""

    name: str
    raw: bytes
    manner: Manner
    must_answer: bool
    # For pauses and the place of a cut.
    random: Random


def attempt(corpus: Corpus, seed: int, number: int) -> Attempt:
    """The request with that number of the run with that seed."""
    random = Random(f"{seed}:{number}")
    name = random.choice(sorted(corpus.recipes))
    message = corpus.recipes[name](random)
    mutations = _mutations(random, has_body=bool(message.body))
    for mutation in mutations:
        message = mutation(random, message)
    raw = message.raw()
    names = [name, *(mutation.__name__ for mutation in mutations)]
    is_framed = not set(mutations) & set(FRAMING)
    if random.random() < 0.08:
        raw, is_framed = plain_bytes(random, raw), False
        names.append(plain_bytes.__name__)
    manner = random.choices(tuple(_MANNERS), tuple(_MANNERS.values()))[0]
    must_answer = is_framed and manner in (Manner.AT_ONCE, Manner.SLOWLY)
    return Attempt(" + ".join([*names, manner.name.lower()]), raw, manner, must_answer, random)


def _mutations(random: Random, *, has_body: bool) -> list[Mutation]:
    """None at all in one of eight, framing last: it makes of the body what is sent."""
    if random.random() < 1 / 8:
        return []
    framed = [mutation for mutation in _FRAMED if has_body or mutation not in BODIES]
    kinds = BODIES if has_body and random.random() < 0.5 else tuple(framed)
    chosen = [random.choice(kinds) for _ in range(random.choice((1, 1, 1, 2, 3)))]
    if random.random() < 0.25:
        chosen = [*chosen[1:], random.choice(FRAMING)]
    return chosen
