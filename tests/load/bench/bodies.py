"""The accounts of the benchmark, drawn from a seed: about 3.3 KB of JSON each, nearly every leaf set."""

import json
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from account import choices
from tests.services.big_bodies import account

_SEED = 20_261_122
# What is counted, and what is searched for: in the German description of one account of a thousand, and in the French
# one of another.
NATURE = choices.Nature.GUARANTIES_AND_COMMITMENTS.value
RARE = "Kassenbestand"
_RARITY = 1_000


def accounts(count: int, *, first: int = 0, changed: bool = False) -> Iterator[dict[str, Any]]:
    """The accounts number `first` to `first + count - 1`, always the same; `changed` ones differ in one text."""
    for number in range(first, first + count):
        random = Random(_SEED + number)
        drawn = account(identifier(number), number, changed=changed)
        drawn["nature"] = random.choice(choices.Nature.values)
        drawn["type"] = random.choice(choices.AccountType.values)
        drawn["conversion"]["conversionType"] = random.choice(choices.ConversionType.values)
        drawn["dataEntryAndReporting"]["class"] = random.choice(choices.AccountClass.values)
        drawn["rules"]["validationChecks"]["standardSignCheck"] = random.choice(choices.StandardSignCheck.values)
        language = {7: "de", 8: "fr"}.get(number % _RARITY)
        if language:
            drawn["descriptions"][language] += f", {RARE}"
        yield drawn


def identifier(number: int) -> str:
    """The id of that account."""
    return f"{number:07}"


def bulk(operation: str, elements: Iterable[Any]) -> bytes:
    """The body of a bulk save with that one operation."""
    text = json.dumps({operation: list(elements)}, ensure_ascii=False, separators=(",", ":"))
    return text.encode()
