"""The encodings of texts: whether a text is in one, and how plausible it looks in each (design/files.md)."""

import codecs
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

# By their names, in the order in which they are offered; Python's codecs with all letters that Windows writes.
ENCODINGS: Mapping[str, str] = {
    **{name: name for name in ("utf-8", "utf-16")},
    **{f"windows-{number}": f"cp{number}" for number in (1252, 1250, 1251, *range(1253, 1259))},
    **{name: name for name in ("iso-8859-1", "iso-8859-2", "iso-8859-7", "iso-8859-9", "iso-8859-15", "koi8-r")},
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "euc-jp": "euc-jp",
    "gbk": "gb18030",
    "big5": "cp950",
    "windows-874": "cp874",
    **{name: name for name in ("mac_roman", "cp850", "cp852", "cp866", "cp437")},
    "us-ascii": "ascii",
}
# Those with two bytes for a character: text in them may look like UTF-8 here and there.
WIDE_ENCODINGS = frozenset(("shift_jis", "euc-kr", "euc-jp", "gbk", "big5"))
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
# What ISO 8859 has at the places of letters in Windows' encodings, and no text does.
_CONTROLS = re.compile("[\x80-\x9f]")
_FAMILY = len("utf-8")

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
# Signs that stand beside letters, and those that also stand between them, as in languages without blanks.
_SIGNS = frozenset("“”„‚…«»‹›§€")
_JOINTS = frozenset("’‘–—°·\xa0\xad、。（）・ー")
# The points of a character: out of place, not of the language, or merely less usual.
_ODD, _FOREIGN, _UNUSUAL = 4, 2, 1


def encoding_name(codec: str) -> str:
    """Return the name among `ENCODINGS` of a codec that reads a text."""
    found = next((name for name, other in ENCODINGS.items() if other == codec), None)
    return found or next(name for name in ENCODINGS if codec.startswith(name))  # utf-8-sig, utf-16-le


def encoding_shown_by(head: bytes) -> str | None:
    """Return the encoding that the first bytes of a text show: by a byte-order mark, or by zeros if it is UTF-16."""
    marked = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if marked is not None:
        return marked
    # Every other byte of Latin letters is zero.
    if head[1:4:2] == b"\x00\x00" and 0 not in head[:4:2]:
        return "utf-16-le"
    if head[:4:2] == b"\x00\x00" and 0 not in head[1:4:2]:
        return "utf-16-be"
    return None


def codec_for(declared: str, head: bytes) -> str | None:
    """Return Python's codec for a text with these first bytes, `declared` as one of `ENCODINGS`; None if they
    contradict it.
    """
    codec, shown = ENCODINGS[declared], encoding_shown_by(head)
    if shown is None:
        return None if codec == "utf-16" else codec
    return shown if shown[:_FAMILY] == codec[:_FAMILY] else None


def broken_line(pieces: Iterable[bytes], codec: str) -> int | None:
    """Return the first line of a text that is not in the encoding of the codec, or None."""
    has_controls = codec.startswith("iso-8859")
    line = 1
    try:
        for text in codecs.iterdecode(pieces, codec):
            if has_controls and (found := _CONTROLS.search(text)):
                return line + text.count("\n", 0, found.start())
            line += text.count("\n")
    except UnicodeDecodeError as error:
        # The error may be in bytes that the decoder kept from the previous piece.
        return line + error.object[: error.start].decode(error.encoding, "ignore").count("\n")
    return None


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
        if any(map(_CONTROLS.search, texts)):
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
        is_beside = character in _SIGNS and not (before.isalpha() and after.isalpha())
        if character.isascii() or character in _JOINTS or is_beside:
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
