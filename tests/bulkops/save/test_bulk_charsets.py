"""The charset of a bulk body in CSV or NDJSON: the one that its header names, and nothing is guessed."""

import codecs
import gzip
import json

import pytest
from openpyxl import Workbook

from tests.bulkops.files.formats.files import saved
from tests.bulkops.save.bulk import elements, path, places, refused
from tests.factories import content, currency

pytestmark = pytest.mark.contract("B3", "K3")

NDJSON, CSV = "application/x-ndjson", "text/csv"
READABLE = "utf-8, utf-16, windows-1250, windows-1252, iso-8859-1, iso-8859-15, us-ascii"
SEND = "Send UTF-8, or name the charset that it is in."


def table(text: str) -> str:
    return f"id,descriptions.en,decimalNumbers,percentageDifference\r\nX,Cash,2,0\r\nY,{text},2,0\r\n"


def post(person, content_type: str, body: bytes):
    # The test client's `post` would encode the body again.
    return person.generic("POST", path(person, "currency"), body, content_type, CONTENT_TYPE=content_type)


def stored(person, content_type: str, body: bytes) -> str:
    """What the second currency is called once the body is saved."""
    response = post(person, content_type, body)
    assert response.status_code == 200, content(response)
    content(response)
    found: str = {each["id"]: each for each in elements(person, "currency")}["Y"]["descriptions"]["en"]
    return found


@pytest.mark.parametrize(
    ("charset", "text", "codec"),
    [
        ("", "Łódź €", "utf-8"),
        ("", "Łódź €", "utf-8-sig"),
        ("utf-8", "Łódź €", "utf-8-sig"),
        ("us-ascii", "Cash", "ascii"),
        ("utf-16", "Łódź €", "utf-16"),
        ("utf-16", "Łódź €", "utf-16-be"),
        ("UTF-16LE", "Łódź €", "utf-16-le"),
        ("cp1250", "Łódź €", "cp1250"),
        ("Windows-1252", "Zürich – 5 €", "cp1252"),
        ("iso-8859-1", "Zürich", "latin-1"),
        ("ISO-8859-15", "Zürich 5 €", "iso-8859-15"),
        ("latin-9", "Zürich 5 €", "iso-8859-15"),
    ],
)
@pytest.mark.parametrize("format", [CSV, NDJSON])
def test_a_body_is_read_in_the_charset_of_its_header(alice, format, charset, text, codec):
    """In UTF-8 without one, with or without a byte-order mark."""
    lines = [currency("X"), currency("Y", descriptions={"en": text})]
    body = table(text) if format == CSV else "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in lines)
    content_type = f'{format}; charset="{charset}"' if charset else format
    assert stored(alice, content_type, body.encode(codec)) == text


@pytest.mark.parametrize(
    ("charset", "body", "line"),
    [
        ("utf-8", table("Łódź").encode("cp1250"), 3),
        ("utf-8", table("Łódź").encode("utf-16"), 1),
        ("utf-16", table("Łódź").encode(), 1),
        ("utf-16", table("Łódź").encode("utf-16")[:-1], 3),
        ("windows-1252", table("a\x81b").encode("latin-1"), 3),
        ("iso-8859-15", table("a – b").encode("cp1252"), 3),
        ("us-ascii", table("Łódź").encode(), 3),
    ],
)
def test_bytes_that_contradict_the_charset_are_refused_with_their_line(alice, charset, body, line):
    """Wrong letters would be stored without a word."""
    for content_type in (f"{CSV}; charset={charset}", *([CSV] if charset == "utf-8" else [])):
        report = refused(post(alice, content_type, body))
        assert places(report) == [(f"line {line}", "INVALID_ENCODING")]
        assert report["detail"] == f"The line is not in the charset {charset}. {SEND}"
    assert elements(alice, "currency") == []


@pytest.mark.parametrize(
    ("charset", "codec", "text"),
    [("windows-1250", "latin-1", "a\x83b"), ("utf-16", "utf-8", "ü"), ("us-ascii", "utf-8", "ü")],
)
def test_lines_that_contradict_the_charset_are_refused(alice, charset, codec, text):
    body = json.dumps(currency("A", descriptions={"en": text}), ensure_ascii=False).encode(codec)
    report = refused(post(alice, f"{NDJSON}; charset={charset}", b"\n" + body))
    assert places(report) == [("", "INVALID_ENCODING")]
    line = 1 if charset == "utf-16" else 2
    assert report["detail"] == f"Line {line} is not in the charset {charset}. {SEND}"


@pytest.mark.parametrize("format", [CSV, NDJSON])
@pytest.mark.parametrize("charset", ["windows-1251", "utf-7", "nonsense", "zlib", "undefined"])
def test_a_charset_that_is_not_read_is_refused_with_those_that_are(alice, format, charset):
    response = post(alice, f"{format}; charset={charset}", b"id\r\n")
    assert (response.status_code, response.json()["code"]) == (415, "UNSUPPORTED_CHARSET")
    assert response.json()["detail"] == (
        f'The header Content-Type names the charset "{charset}"; here {READABLE} are read.'
    )


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"", "The request has no body; a line of headings and rows is expected."),
        (b" \r\n", "The body is empty; a line of headings and rows is expected."),
        (codecs.BOM_UTF8, "The body is empty; a line of headings and rows is expected."),
        (saved(Workbook()), "The body looks like an Excel workbook. Convert it to CSV."),
        (gzip.compress(b"id\n1\n", mtime=0), "The body is gzip; send Content-Encoding: gzip."),
        (b"%PDF-1.7\n", "The body is not text. Convert it to CSV."),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "The body is not text. Convert it to CSV."),
        (b"<html>", "The body is a web page or XML. Convert it to CSV."),
        (b'{"id": "A"}', "The body looks like one JSON object on each line. Convert it to CSV."),
        (codecs.BOM_UTF32_LE + b"i\0\0\0", f"The body is in UTF-32. {SEND}"),
        (b"id\r\nA\x00B\r\n", "The line contains the character NUL, which is not allowed in text."),
    ],
)
def test_a_body_that_is_not_csv_is_refused_in_words_for_programs(alice, body, detail):
    """A program has no 'Save as'."""
    assert refused(post(alice, CSV, body))["detail"] == detail


def test_json_in_another_charset_is_not_csv_either(alice):
    report = refused(post(alice, f"{CSV}; charset=windows-1252", b'{"id": "A"}'))
    assert report["detail"] == "The body looks like JSON. Convert it to CSV."
