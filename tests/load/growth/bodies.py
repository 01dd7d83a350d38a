"""The accounts that are multiplied: those of the benchmark, with descriptions that differ in more than their number."""

from collections.abc import Iterator
from random import Random
from typing import Any

from tests.load.bench import bodies

# In every description, in one of twelve, and in those of one account of a thousand in German, in French of another.
COMMON, FREQUENT, RARE = "Buchungskonto", "Forderungen", bodies.RARE
_SUBJECTS = (
    *(FREQUENT, "Verbindlichkeiten", "Rückstellungen", "Erlöse", "Aufwendungen", "Zinsen", "Beteiligungen"),
    *("Vorräte", "Steuern", "Löhne", "Abschreibungen", "Anzahlungen"),
)
_PLACES = ("Inland", "Ausland", "Konzern", "Dritte", "Töchter", "verbundene Unternehmen", "Zweigstellen", "Übrige")
_KINDS = ("kurzfristig", "langfristig", "gesichert", "fällig", "bestritten", "verzinslich", "laufend", "einmalig")
_TEXT = "Forderungen aus Lieferungen, créances"


def accounts(count: int, *, first: int = 0, changed: bool = False) -> Iterator[dict[str, Any]]:
    """The accounts number `first` to `first + count - 1`, always the same; `changed` ones differ in one text."""
    for number, drawn in enumerate(bodies.accounts(count, first=first, changed=changed), first):
        random = Random(number)
        words = " ".join(map(random.choice, (_SUBJECTS, _PLACES, _KINDS)))
        drawn["descriptions"] = {
            language: text.replace(_TEXT, f"{words} {COMMON}") for language, text in drawn["descriptions"].items()
        }
        yield drawn
