"""Many large accounts, quickly: nearly every leaf is set, about 4 KB of JSON each.

Runs inside a process that has Django set up, such as `manage.py shell -c`.
"""

from datetime import UTC, datetime
from random import Random
from typing import Any

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from dimensions_site.elements.declaration.choices import BooleanField, EnumField
from dimensions_site.elements.declaration.maps import MapField
from dimensions_site.elements.declaration.timestamps import TimestampField
from dimensions_site.elements.declaration.wire import ObjectNode, Place
from dimensions_site.repositories.models import Repository

_PATTERNS = 40
_ROWS_A_STATEMENT = 500
_LANGUAGES = ("en", "de", "it", "fr")
_WORDS = ("cash", "Forderung", "attività", "créance", "bank", "Rückstellung", "società", "écart")


def fill(db_id: str, count: int, seed: int = 7) -> None:
    """Bring the accounts of a repository, new or not, up to `count`, by inserts that nothing but the models checks.

    A few patterns pass the serializer; the rest are copies of them with an id and a description of their own.
    """
    repository, _ = Repository.objects.get_or_create(db_id=db_id, defaults={"name": "Large accounts"})
    declaration = ACCOUNT_WIRE.declaration
    random = Random(seed)
    patterns = [declaration.run_validation(_element(ACCOUNT_WIRE.root, random)) for _ in range(_PATTERNS)]
    update = {"update_user": "seed", "update_date": datetime(2026, 1, 1, tzinfo=UTC), "update_origin": "IMPORT"}
    there = set(Account.objects.filter(repository=repository).values_list("element_id", flat=True))
    missing = [number for number in range(count) if f"{number:07}" not in there]
    for start in range(0, len(missing), _ROWS_A_STATEMENT):
        Account.objects.bulk_create(
            Account(repository=repository, **{**patterns[number % _PATTERNS], "element_id": f"{number:07}"}, **update)
            for number in missing[start : start + _ROWS_A_STATEMENT]
        )


def _element(node: ObjectNode, random: Random) -> dict[str, Any]:
    """Wire JSON with a value for every leaf below `node`."""
    members = {
        name: _element(member, random) if isinstance(member, ObjectNode) else _value(member, random)
        for name, member in node.members.items()
        if name != "updateInfo"
    }
    if "startDate" in members:
        members |= {"startDate": "2020-01-01", "endDate": None}
    return members


def _value(place: Place, random: Random) -> object:
    match place.leaf:
        case MapField():
            return {language: _text(random, 4) for language in _LANGUAGES}
        case EnumField() as leaf:
            return random.choice(leaf.choices.values)
        case BooleanField():
            return random.random() < 0.5
        case TimestampField():
            return "2026-01-31"
        case _:
            return _text(random, 1)


def _text(random: Random, words: int) -> str:
    return " ".join(random.choices(_WORDS, k=words))
