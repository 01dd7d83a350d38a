"""Texts whose encoding is not certain: never read in silence, and offered as they look in each encoding."""

import tempfile
from typing import Any

import pytest

from bulkops.files.formats.encodings import ENCODINGS
from bulkops.files.formats.rows import ReadingOptions
from bulkops.files.outside.previews import Preview
from bulkops.files.outside.reading import Limits, preview_outside
from tests.bulkops.files.formats.files import read

# Names of accounts as programs of the country write them, by the encoding.
WORDS = {
    "windows-1250": "Środki trwałe,Należności,Zobowiązania krótkoterminowe",
    "windows-1251": "Основные средства,Касса,Расчеты с покупателями",
    "windows-1252": "Zürich – Büro,Überträge,Größe „L’Oréal“",
    "windows-1253": "Ταμείο,Πάγια,Απαιτήσεις",
    "windows-1254": "İşletme,Diğer,Satıcılar",
    "windows-1255": "קופה,בנק,לקוחות",
    "windows-1256": "النقدية,البنك,العملاء",
    "windows-1257": "Įsipareigojimai,Pirkėjų skolos",
    "windows-1258": "Tài sản,Phải thu",
    "iso-8859-2": "Środki trwałe,Należności",
    "iso-8859-15": "Œuvre à 5 €",
    "koi8-r": "Основные средства,Касса",
    "shift_jis": "現金及び預金,売掛金,㈱建物",
    "euc-jp": "現金及び預金,売掛金",
    "gbk": "固定资产,现金,应收账款,𠀀城店",  # the last begins with a character of four bytes
    "big5": "固定資產,現金,應收帳款",
    "euc-kr": "현금,자산,매출채권",
    "mac_roman": "Café,Büro,Crédit",
    "cp850": "Büro,Café,Größe",
    "cp852": "Środki trwałe,Należności,Zobowiązania krótkoterminowe",
    "cp866": "Основные средства,Касса,Расчеты с покупателями",
    "iso-8859-7": "Ταμείο,Άλλα πάγια,Απαιτήσεις",
    "windows-874": "เงินสด,ธนาคาร,ลูกหนี้การค้า",
}
# Windows' code page for Vietnamese has letters and marks apart.
_APART = {"ả": "a\u0309"}


def encoded(name: str) -> bytes:
    """A table with those words, one on each line."""
    text = "id,name\n" + "".join(f"{number},{word}\n" for number, word in enumerate(WORDS[name].split(",")))
    for letter, apart in _APART.items():
        text = text.replace(letter, apart) if name == "windows-1258" else text
    return text.encode(ENCODINGS[name])


def previewed(content: bytes, **options: Any) -> Preview:
    with tempfile.TemporaryFile() as file:
        file.write(content)
        return preview_outside(file, Limits(60, 256 * 1024**2), ReadingOptions(**options))


@pytest.mark.parametrize("name", WORDS)
def test_an_encoding_that_is_not_certain_is_refused_with_how_it_looks(name):
    """A program has nobody who could see that letters are wrong; the right encoding is among those that are shown."""
    outcome = read(encoded(name))
    assert outcome.refusal is not None
    assert outcome.refusal.startswith("line 2: The encoding of the file is not certain. This is how its letters look ")
    assert name in outcome.refusal
    assert not outcome.rows


@pytest.mark.parametrize("name", WORDS)
def test_the_encoding_that_is_named_is_read(name):
    outcome = read(encoded(name), encoding=name)
    words = [row["name"] for row in outcome.cells]
    assert (words, outcome.refusal) == (encoded(name).decode(ENCODINGS[name]).split()[1:] and words, None)
    assert ",".join(words).replace("a\u0309", "ả") == WORDS[name]


@pytest.mark.parametrize("name", WORDS)
def test_a_preview_guesses_the_encoding_and_offers_others(name):
    """The best guess is right for texts that a country's programs write, and each is offered with its looks."""
    preview = previewed(encoded(name))
    assert (preview.encoding, preview.is_encoding_certain) == (name, False)
    offered = dict(preview.encodings)
    assert next(iter(offered)) == name
    assert offered[name].replace("a\u0309", "ả") == WORDS[name].replace(",", ", ")
    assert all(each in ENCODINGS for each in offered)


@pytest.mark.parametrize(
    ("encoding", "word"), [("shift_jis", "現金及び預金"), ("windows-1252", "L’été – «Genève»"), ("gbk", "𠀀城店")]
)
def test_one_word_is_enough_for_a_guess_if_signs_would_stand_between_letters(encoding, word):
    """In other encodings of one byte, Japanese has quotation marks within words."""
    assert previewed(f"id,name\n1,{word}\n".encode(ENCODINGS[encoding])).encoding == encoding


def test_the_encoding_that_a_person_names_can_be_changed_again():
    preview = previewed(encoded("windows-1250"), encoding="windows-1252")
    assert (preview.encoding, preview.is_encoding_certain) == ("windows-1252", True)
    assert preview.encodings[0][0] == "windows-1250"
    assert preview.rows[0] == ["0", "Œrodki trwa³e"]


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_a_text_that_shows_its_encoding_is_certain(codec):
    preview = previewed("id,name\n1,Büro\n".encode(codec))
    assert (preview.encoding, preview.is_encoding_certain, preview.encodings) == (codec[:6].rstrip("-"), True, [])


@pytest.mark.parametrize("rows", [["Zürich", "Genève"], ["Zürich", "Genève", "Neuchâtel", "Orléans"]])
def test_rows_in_utf_8_among_others_are_an_error_with_the_line(rows):
    """No encoding is right for both."""
    first, *others = rows
    content = f"id,name\n1,{first}\n".encode() + "".join(f"x,{word}\n" for word in others).encode("latin-1")
    refusal = "line 3: The line has characters that are not UTF-8. Save the file again as 'CSV UTF-8'."
    assert read(content).refusal == refusal


@pytest.mark.parametrize(
    ("content", "encoding", "line"),
    [
        (b"id,name\n1,a\n2,B\x81ro\n", "windows-1252", 3),
        (b"id,name\n1,5 \x80\n", "iso-8859-1", 2),
        ("id,name\n1,Büro\n".encode("utf-16"), "windows-1252", 1),
        ("id,name\n1,Büro\n".encode("utf-8-sig"), "windows-1252", 1),
        (b"id,name\n1,a\n", "utf-16", 1),
    ],
)
def test_a_text_that_contradicts_the_named_encoding_is_refused(content, encoding, line):
    assert read(content, encoding=encoding).refusal == (
        f"line {line}: The line has characters that are not {encoding}. Save the file again as 'CSV UTF-8'."
    )
