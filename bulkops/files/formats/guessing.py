"""Rank the encodings that a text may be in by how plausible it looks in each (design/files.md)."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import islice

from bulkops.files.formats.encodings import CONTROLS, ENCODINGS

# The letters besides a to z of languages: a text is seldom in two of them.
_LANGUAGES = [
    *("äöüß", "àâçéèêëîïôùûœæ", "àèéìòù", "áéíóúñü", "ãõáâàéêíóôúç", "åäöæøé", "ąćęłńóśźż", "áčďéěíňóřšťúůýžľĺŕôä"),
    *("áéíóöőúüű", "ăâîşţșț", "čćđšž", "çğıöşüâî", "ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž"),
    "ăâđêôơưàáãèéìíòóùúý",
]
# How the frequent characters are written that take two bytes.
_FREQUENT = {
    "shift_jis": rb"[\x82\x83\x88-\x97][\x40-\x7e\x80-\xfc]",
    "euc-kr": rb"[\xb0-\xc8][\xa1-\xfe]",
    "euc-jp": rb"[\xa4\xa5\xb0-\xcf][\xa1-\xfe]",
    "gbk": rb"[\xb0-\xd7][\xa1-\xfe]",
    "big5": rb"[\xa4-\xc6][\x40-\x7e\xa1-\xfe]",
}
# The texts of cells that are not ASCII.
_CELLS = re.compile(rb'(?<![^\r\n,;\t"])[^\r\n,;\t"\x80-\xff]*+[\x80-\xff][^\r\n,;\t"]*+')
_LONGEST_CELL = 1000
_MOST_CELLS = 200
_SHOWN_CELLS = 5
# Signs that stand beside letters, also in languages without blanks.
_SIGNS = frozenset("’‘“”„‚–—…«»‹›§°€·\xa0\xad、。（）・ー")
# The points of a character: out of place, not of the language, or merely less usual.
_ODD, _FOREIGN, _UNUSUAL = 4, 2, 1


def plausible_encodings(pieces: Iterable[bytes]) -> list[tuple[str, str]]:
    """Return the encodings that a text may be in, the most plausible first, each with the first cells that are not
    ASCII as they look in it.
    """
    found = (cell.strip() for piece in pieces for cell in _CELLS.findall(piece))
    cells = list(dict.fromkeys(islice((cell for cell in found if len(cell) <= _LONGEST_CELL), _MOST_CELLS)))
    ranked: list[tuple[int, str, str]] = []
    for name, codec in ENCODINGS.items():
        if name.startswith("utf-"):  # such a text shows its encoding
            continue
        try:
            texts = [cell.decode(codec) for cell in cells]
        except UnicodeDecodeError:
            continue
        if any(map(CONTROLS.search, texts)):
            continue
        rest = re.sub(rb"[\x00-\x7f]|" + _FREQUENT[name], b"", b"\n".join(cells)) if name in _FREQUENT else b""
        points = sum(map(_oddity, texts)) + _foreign_letters(texts) * _FOREIGN + len(rest) * _UNUSUAL
        ranked.append((points, name, ", ".join(texts[:_SHOWN_CELLS])))
    return [(name, shown) for _, name, shown in sorted(ranked, key=lambda each: each[0])]


def encodings_by_look(offered: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the names of the `offered` encodings by how the first cells look in them."""
    looks: dict[str, list[str]] = {}
    for name, shown in offered:
        looks.setdefault(shown, []).append(name)
    return looks


def _oddity(text: str) -> int:
    """Return how many points the characters of the text get for where they stand."""
    points = _UNUSUAL * (text[0].islower() and not text[0].isascii())
    for before, character, after in zip(f" {text}", text, f"{text[1:]} ", strict=False):
        is_odd = False
        if character.isascii() or character in _SIGNS:
            continue
        if not character.isalpha():
            is_odd = (before.isalpha() or after.isalpha()) and not unicodedata.category(character).startswith("M")
        elif character.isupper():
            is_odd = before.islower() or (before.isalpha() and after.islower())
        is_odd = is_odd or any(_is_of_another_script(character, other) for other in (before, after))
        points += _ODD if is_odd else _UNUSUAL * (not character.isalnum())
    return points


def _is_of_another_script(one: str, other: str) -> bool:
    return one.isalpha() and other.isalpha() and _script(one) != _script(other)


def _script(letter: str) -> str:
    """Return the first word of the letter's name, such as LATIN; one for the characters of China, Japan and Korea."""
    word = unicodedata.name(letter, "").partition(" ")[0]
    return "CJK" if word in ("HIRAGANA", "KATAKANA", "HANGUL") else word


def _foreign_letters(texts: Sequence[str]) -> int:
    """Return how many letters are not of the one language that has most of them."""
    letters = [each for text in texts for each in text.lower() if each.isalpha() and not each.isascii()]
    latin = [each for each in letters if _script(each) == "LATIN"]
    return min(sum(each not in language for each in latin) for language in _LANGUAGES)
