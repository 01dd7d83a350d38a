"""The encodings of texts: those that can be named, and whether a text is in one."""

import codecs
import re
from collections.abc import Iterable, Mapping

# By their names, in the order in which they are offered; Python's codecs with all letters that Windows writes.
ENCODINGS: Mapping[str, str] = {
    **{name: name for name in ("utf-8", "utf-16")},
    **{f"windows-{number}": f"cp{number}" for number in (1252, 1250, 1251, *range(1253, 1259))},
    **{name: name for name in ("iso-8859-1", "iso-8859-2", "iso-8859-15", "koi8-r")},
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "euc-jp": "euc-jp",
    "gbk": "gbk",
    "big5": "cp950",
    **{name: name for name in ("mac_roman", "cp850", "cp437")},
    "us-ascii": "ascii",
}
# Those with two bytes for a character: text in them may look like UTF-8 here and there.
WIDE_ENCODINGS = frozenset(("shift_jis", "euc-kr", "euc-jp", "gbk", "big5"))
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
# What ISO 8859 has at the places of letters in Windows' encodings, and no text does.
CONTROLS = re.compile("[\x80-\x9f]")
_FAMILY = len("utf-8")


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
            if has_controls and (found := CONTROLS.search(text)):
                return line + text.count("\n", 0, found.start())
            line += text.count("\n")
    except UnicodeDecodeError as error:
        # The error may be in bytes that the decoder kept from the previous piece.
        return line + error.object[: error.start].decode(error.encoding, "ignore").count("\n")
    return None
