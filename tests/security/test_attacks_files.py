"""Files that are made to take time or memory: what they take grows as they do, up to a limit, and no further.

Each is read by the process that reads uploads, from start to end. Its processor time and its peak of memory are
compared with those of a file of half the size; no garbage of the tests or of the service is in it.
"""

import io
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import pytest
from openpyxl.xml.constants import REL_NS

from bulkops.files.formats.json_reading import MAX_ELEMENT_BYTES
from bulkops.files.formats.tables import MAX_HEADINGS, MAX_ROW_CHARACTERS
from bulkops.files.outside.child import LENGTH_BYTES, EndOfRows, Message, Request, Unreadable, decode_message
from bulkops.files.workbooks.parts import MAX_FORMAT_CHARACTERS, MAX_NUMBER_FORMATS, MAX_PARTS, MAX_SHEETS, MAX_STYLES
from bulkops.files.workbooks.reading import MAX_SHARED_TEXTS
from bulkops.files.workbooks.xml import MAX_ATTRIBUTES, MAX_NAMES
from tests.bulkops.files.formats import measured
from tests.bulkops.files.formats.files import (
    RELATIONS,
    SHEET,
    STRINGS,
    STYLES,
    as_excel_saves,
    huge_element,
    with_parts,
    workbook,
)
from tests.docs.test_docs import ROOT

pytestmark = pytest.mark.contract("B3")

MEGABYTE = 1024**2
# What an ordinary workbook has beside what is counted, at most.
ORDINARY = 32
# Twice the size may take at most this many times as much; four times would be quadratic.
MOST = 3
# Differences that count for nothing: the clock, and buffers.
MOMENT = 0.15
SLACK = 20 * MEGABYTE


@dataclass
class Taken:
    """What reading a file took beyond an ordinary one, and the last message."""

    seconds: float
    memory: float
    last: Message | None


def book(part: str, content: bytes) -> bytes:
    """A workbook with that part in the place of its own."""
    return with_parts(workbook(["id"], ["1000"]), {part: lambda _part: content})


def styles(content: bytes) -> bytes:
    return book(STYLES, b"<styleSheet>%s</styleSheet>" % content)


def formats(count: int, length: int) -> bytes:
    code = b'<numFmt numFmtId="%d" formatCode="%s"/>'
    return styles(b"<numFmts>%s</numFmts>" % b"".join(code % (n, b"[" * length) for n in range(200, 200 + count)))


def sheet(content: bytes) -> bytes:
    row = b'<sheetData><row r="1"><c t="inlineStr"><is><t>id</t></is></c></row></sheetData>'
    return book(SHEET, b"<worksheet>%s%s</worksheet>" % (row, content))


def attribute_names(count: int) -> bytes:
    tags = (range(start, min(start + 100, count)) for start in range(0, count, 100))
    return sheet(b"".join(b"<a %s/>" % b" ".join(b'n%d=""' % name for name in tag) for tag in tags))


def shared_texts(count: int) -> bytes:
    part = b"<sst><si><t>id</t></si>%s</sst>" % (b"<si/>" * (count - 1))
    return with_parts(as_excel_saves(workbook(["id"])), {STRINGS: lambda _part: part})


def sheets(count: int) -> bytes:
    """Many names for one sheet without any cell; the sheet is read for each of them."""
    empty = b'<sheet name="x" sheetId="1" r:id="rId77"/>' * (count - 1)
    relation = f'<Relationship Type="{REL_NS}/worksheet" Target="worksheets/none.xml" Id="rId77"/></Relationships>'
    return with_parts(
        workbook(["id"], ["1000"]),
        {
            "xl/worksheets/none.xml": lambda _part: b"<worksheet/>",
            RELATIONS: lambda part: part.replace(b"</Relationships>", relation.encode()),
            "xl/workbook.xml": lambda part: part.replace(b"<sheets>", b"<sheets>" + empty),
        },
    )


def relations(count: int) -> bytes:
    more = b"".join(b'<Relationship Type="x" Target="y" Id="x%d"/>' % number for number in range(count))
    return with_parts(
        workbook(["id"], ["1000"]),
        {RELATIONS: lambda part: part.replace(b"</Relationships>", more + b"</Relationships>")},
    )


def parts(count: int) -> bytes:
    content = io.BytesIO(workbook(["id"], ["1000"]))
    with zipfile.ZipFile(content, "a") as target:
        for number in range(count):
            target.writestr(f"{number}", b"")
    return content.getvalue()


ATTACKS: dict[str, tuple[Callable[[int], bytes], int]] = {
    "characters of a number format": (lambda size: formats(1, size), MAX_FORMAT_CHARACTERS),
    "number formats": (lambda size: formats(size, MAX_FORMAT_CHARACTERS), MAX_NUMBER_FORMATS),
    "cell styles": (lambda size: styles(b"<cellXfs>%s</cellXfs>" % (b"<xf/>" * size)), MAX_STYLES),
    "attributes of a tag": (
        lambda size: sheet(b"<a %s/>" % b" ".join(b'n%d=""' % n for n in range(size))),
        MAX_ATTRIBUTES,
    ),
    "names of attributes": (attribute_names, MAX_NAMES - ORDINARY),
    "names of elements": (lambda size: sheet(b"".join(b"<n%d/>" % n for n in range(size))), MAX_NAMES - ORDINARY),
    "shared texts": (shared_texts, MAX_SHARED_TEXTS),
    "sheets": (sheets, MAX_SHEETS),
    "relations": (relations, MAX_PARTS - ORDINARY),
    "parts": (parts, MAX_PARTS - ORDINARY),
    "headings": (lambda size: ",".join(f"h{number}" for number in range(size)).encode(), MAX_HEADINGS),
    "cells behind the headings": (lambda size: b"id\n" + b"," * size + b"x", MAX_ROW_CHARACTERS - ORDINARY),
    "an element": (huge_element, MAX_ELEMENT_BYTES - ORDINARY),
}


def read(content: bytes) -> tuple[float, float, Message | None]:
    """Seconds, bytes and the last message of the process that reads a file with that content to its end."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        request = Request(file.fileno(), False, "en", seconds=120, memory=256 * MEGABYTE)
        words = ["bulkops.files.outside.child", msgspec.json.encode(request).decode(), str(file.fileno())]
        done = subprocess.run(
            [sys.executable, measured.__file__, *words],
            pass_fds=[file.fileno()],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
    seconds, memory, status = json.loads(done.stderr)
    assert status == 0
    return seconds, memory, last_message(done.stdout)


def last_message(stream: bytes) -> Message | None:
    last, position = None, 0
    while position < len(stream):
        end = position + LENGTH_BYTES + int.from_bytes(stream[position : position + LENGTH_BYTES], "big")
        last, position = stream[position + LENGTH_BYTES : end], end
    return None if last is None else decode_message(last)


@pytest.fixture(scope="module")
def taken() -> Callable[[bytes], Taken]:
    """Reads a file and gives what it took beyond an ordinary one."""
    ordinary = min(read(workbook(["id"], ["1000"]))[:2] for _ in range(3))

    def measure(content: bytes) -> Taken:
        seconds, memory, last = read(content)
        return Taken(seconds - ordinary[0], memory - ordinary[1], last)

    return measure


def is_bounded(most: float, share: Taken, larger: Taken) -> bool:
    quick = larger.seconds <= most * max(share.seconds, 0) + MOMENT
    return quick and larger.memory <= most * max(share.memory, 0) + SLACK


@pytest.mark.parametrize(("make", "maximum"), ATTACKS.values(), ids=ATTACKS)
def test_what_a_file_takes_grows_as_its_size_up_to_a_limit(taken, make, maximum):
    """Half of what is accepted, all of it, and five times as much, which is refused at once.

    A busy neighbour does not spoil all of three tries.
    """
    for _ in range(3):
        half, whole, beyond = (taken(make(size)) for size in (maximum // 2, maximum, max(5 * maximum, 50_000)))
        assert isinstance(whole.last, EndOfRows), whole.last
        # A row or an element that is too long is an error of its own, and reading continues.
        assert isinstance(beyond.last, Unreadable | EndOfRows)
        if is_bounded(MOST, half, whole) and is_bounded(MOST, whole, beyond):
            return
    pytest.fail(f"{half} {whole} {beyond}")
