"""Elements in wire form: arrays and lines of JSON."""

import codecs
import gzip
import json

import pytest

from bulkops.files.formats.json_reading import MAX_ELEMENT_BYTES
from bulkops.files.formats.rows import FileShape
from dimensions_site.text.files import Format
from tests.bulkops.files.formats.files import read

ELEMENTS = [{"id": "0010", "descriptions": {"de": "Büro"}}, {"id": "0020", "class": None}]
ARRAY = json.dumps(ELEMENTS, ensure_ascii=False, indent=2).encode()
LINES = "\n".join(json.dumps(element, ensure_ascii=False) for element in ELEMENTS).encode()


@pytest.mark.contract("H4")
@pytest.mark.parametrize("gzipped", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8], ids=["without mark", "with mark"])
@pytest.mark.parametrize(("format", "content"), [(Format.JSON, ARRAY), (Format.NDJSON, LINES)])
def test_elements_are_read_in_wire_form(format, content, mark, gzipped):
    """Null differs from a missing member; the line is the position in an array."""
    content = mark + content
    outcome = read(gzip.compress(content) if gzipped else content)
    assert outcome.shape == FileShape(format, "utf-8-sig" if mark else "utf-8", gzipped=gzipped)
    assert outcome.headings is None
    assert [row.element for row in outcome.elements] == ELEMENTS
    assert outcome.lines == [1, 2]


def test_an_empty_array_has_no_elements():
    outcome = read(b" [ ] \n")
    assert (outcome.elements, outcome.refusal) == ([], None)


def test_blank_lines_are_passed_over_and_counted():
    assert read(b'{"id": "1"}\r\n\r\n  \n{"id": "2"}\n\n').lines == [1, 4]


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("element", "message"),
    [
        (b'{"id": "1", "id": "2"}', 'The element must not have the key "id" more than once.'),
        (b'{"id": NaN}', "id must be a valid JSON number; got NaN."),
        (b'{"id": "a\\u0000b"}', "id must not contain U+0000, which is not allowed in text."),
        (b'"1000"', 'An element must be an object such as {"id": "1000"}; got "1000".'),
        (b'{"id": "%b"}' % (b"x" * MAX_ELEMENT_BYTES), "The element has more than 4,194,304 bytes."),
    ],
    ids=["key twice", "NaN", "NUL", "no object", "too long"],
)
@pytest.mark.parametrize("is_array", [True, False], ids=["array", "lines"])
def test_an_invalid_element_is_a_failure_and_the_others_are_read(element, message, is_array):
    """The messages are those of the REST API."""
    parts = [b'{"id": "1"}', element, b'{"id": "3"}']
    outcome = read(b"[%b]" % b",\n".join(parts) if is_array else b"\n".join(parts))
    if is_array and element == b'{"id": NaN}':
        assert outcome.refusal == "line 2: The file is not valid JSON at line 2, column 8: invalid character."
    else:
        assert outcome.messages == [f"line 2: {message}"]
        assert outcome.lines == [1, 3]


def test_a_broken_line_is_a_failure_that_names_the_column():
    outcome = read(b'{"id": "1"}\n{"id": "2",}\n{"id": "3"}\n')
    assert outcome.messages == [
        "line 2: The element is not valid JSON at column 12: expecting property name enclosed in double quotes."
    ]
    assert outcome.lines == [1, 3]


def test_an_array_that_breaks_off_is_read_up_to_there():
    """The transfer of an incomplete file was interrupted; an import of it saves nothing."""
    outcome = read(b'[{"id": "1"},\n{"id": "2"},\n{"id": ')
    assert outcome.lines == [1, 2]
    assert outcome.refusal == "line 3: The file is not valid JSON at line 3, column 8: it ends too early."


def test_an_element_on_many_lines_is_answered_by_what_to_do():
    outcome = read(b'{\n  "id": "1"\n}\n')
    assert outcome.refusal == (
        "line 1: Each line must hold one whole element. Elements that span several lines must be in an array: in "
        "[ and ], with commas between them."
    )


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_json_in_another_encoding_is_refused(encoding):
    assert read(ARRAY.decode().encode(encoding)).refusal == (
        "line 1: JSON is read in UTF-8, and this file is in another encoding. Save it in UTF-8 and load that."
    )
