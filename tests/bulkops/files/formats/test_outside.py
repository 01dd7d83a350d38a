"""Files are read in a separate process: the same rows, and limits of time and memory."""

import json
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager

import pytest
from django.utils.translation import override

from bulkops.files.formats.reading import open_source
from bulkops.files.formats.rows import AS_FOUND, UnreadableFile
from bulkops.files.outside.reading import Limits, ReadingFailed, preview_outside, source_of_copy, source_outside
from tests.bulkops.files.formats.files import huge_element, slow_workbook, workbook, zeros_in_gzip

MEGABYTE = 1024**2
AMPLE = Limits(seconds=60, memory=256 * MEGABYTE)
ADVICE = "Split it into several files, or save the table as 'CSV UTF-8', and load that."
TABLE = b"id,name\n0010,B\xc3\xbcro\n\n2\n0020,\xf0\x9f\x92\xb6\n"
ELEMENTS = [
    {"id": "0010", "big": 10**30, "exact": 1.10, "text": "Büro \n \u0001", "deep": {"a": [None, True]}},
    {"id": "0020"},
]


@contextmanager
def file_of(content):
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        yield file


def of(open_file, file, *arguments):
    with open_file(file, *arguments) as source:
        rows = [repr(row).replace("cells=[]", "cells=()") for row in source.rows()]
        return source.shape, source.headings and list(source.headings), rows, source.progress()


@pytest.mark.contract("H4")
@pytest.mark.parametrize(
    "content",
    [
        TABLE,
        TABLE.decode().replace(",", ";").encode("utf-16"),
        workbook(["id", "name"], ["0010", "=1+1"], ["0020", "Büro"]),
        json.dumps(ELEMENTS).encode().replace(b"]}}, ", b"]}}, 7, "),
        b"\n".join(json.dumps(element).encode() for element in ELEMENTS) + b"\n{1}\n",
        b"id\n" + b"x\n" * 3_000,
    ],
    ids=["CSV", "UTF-16", "workbook", "JSON", "NDJSON", "many rows"],
)
def test_the_same_is_read_as_inside(content):
    """Shape, headings, rows and what is wrong with some of them, numbers to their last digit; so it is in a copy."""
    with file_of(content) as file:
        inside = of(open_source, file)
        with tempfile.TemporaryFile() as copy:
            assert of(source_outside, file, AMPLE, AS_FOUND, copy) == inside
            copy.seek(0)
            assert of(source_of_copy, copy) == inside


@pytest.mark.contract("H4")
@pytest.mark.parametrize(
    "content",
    [b"", b"%PDF", b'id\n1\n"2', b'[{"id": "1"}, {', zeros_in_gzip(128 * MEGABYTE)],
    ids=["empty", "PDF", "open quote", "cut", "zeros"],
)
def test_the_same_is_refused_as_inside(content):
    """At its beginning, or after some rows."""
    refusals = []
    for open_file, *limits in ((open_source,), (source_outside, AMPLE)):
        with file_of(content) as file, pytest.raises(UnreadableFile) as refusal:
            of(open_file, file, *limits)
        refusals.append(refusal.value.failure)
    assert refusals[0] == refusals[1]


def test_messages_are_in_the_language_of_the_one_who_asks():
    with file_of(b"") as file, override("de"), pytest.raises(UnreadableFile, match="Die Datei ist leer"):
        preview_outside(file, AMPLE)


def test_a_preview_has_the_headings_and_the_first_rows_that_can_be_read():
    with file_of(TABLE + b"".join(b"%d,x\n" % number for number in range(10))) as file:
        preview = preview_outside(file, AMPLE)
    assert (preview.format, preview.headings) == ("csv", ["id", "name"])
    assert preview.rows == [["0010", "Büro"], ["2", ""], ["0020", "💶"], ["0", "x"], ["1", "x"]]


def test_a_preview_looks_at_the_first_thousand_rows_alone():
    """Otherwise a file of invalid rows would be read to its end."""
    with file_of(b"id,name\n" + b"1,2,3\n" * 1_000 + b"1,a\n") as file:
        assert preview_outside(file, AMPLE).rows == []


@pytest.mark.contract("B3")
def test_a_file_that_takes_too_long_is_refused_with_the_limit():
    """Whether it is previewed, or read to its end; the system ends the process."""
    with file_of(slow_workbook(3_000_000)) as file:
        for read in (preview_outside, lambda *asked: of(source_outside, *asked)):
            with pytest.raises(UnreadableFile) as refusal:
                read(file, Limits(seconds=1, memory=AMPLE.memory))
            assert str(refusal.value) == f"The file needs more than 1 s to be read. {ADVICE}"


@pytest.mark.contract("B3")
def test_a_file_that_takes_too_much_memory_is_refused_with_the_limit():
    """After the rows before it, and with the line."""
    with file_of(b'{"id": "1"}\n' + huge_element(3 * MEGABYTE)) as file:
        with source_outside(file, Limits(seconds=60, memory=96 * MEGABYTE)) as source:
            rows = source.rows()
            with pytest.raises(UnreadableFile) as refusal:
                list(rows)
        assert str(refusal.value) == f"The file needs more than 96.0\xa0MB of memory to be read. {ADVICE}"
        with source_outside(file, AMPLE) as source:
            assert len(list(source.rows())) == 2


@pytest.mark.contract("B3")
def test_a_process_that_ends_by_itself_is_not_an_error_of_the_file(monkeypatch):
    """The worker tries again, and the log records it; no message says that a good file is damaged."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with file_of(TABLE) as file, pytest.raises(ReadingFailed, match="status 1"):
        preview_outside(file, AMPLE)


def test_the_process_gets_the_file_and_nothing_else_of_the_service(monkeypatch, tmp_path):
    """No settings, no secrets, and no connection, even of those that children may inherit."""
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\nenv > {tmp_path}/environment\nls -l /proc/$$/fd > {tmp_path}/files\n")
    spy.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(spy))
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    with socket.create_server(("127.0.0.1", 0)) as connection, file_of(TABLE) as file:
        connection.set_inheritable(True)
        with pytest.raises(ReadingFailed):
            preview_outside(file, AMPLE)
    known = {"TMPDIR", "LD_LIBRARY_PATH", "PWD", "OLDPWD", "SHLVL", "_"}
    assert {line.partition("=")[0] for line in (tmp_path / "environment").read_text().splitlines()} <= known
    assert "socket:" not in (tmp_path / "files").read_text()


def test_the_place_in_the_file_is_the_same_afterwards():
    """The process shares it with the service."""
    content = b"id\n" + b"".join(b"%d\n" % number for number in range(100_000))
    with file_of(content) as file:
        begin = file.read(10)
        preview_outside(file, AMPLE)
        assert begin + file.read() == content


def test_the_process_has_ended_when_nobody_reads_on():
    """Rows that nobody takes hold it up, and the service does not wait for them."""
    with file_of(b"id\n" + b"x\n" * 500_000) as file:
        with source_outside(file, Limits(seconds=5, memory=AMPLE.memory)) as source:
            assert next(source.rows()).line == 2
        assert preview_outside(file, AMPLE).headings == ["id"]


def test_a_process_for_a_table_in_csv_does_not_load_the_library_for_workbooks():
    """It would take longer than the rest of the start."""
    loaded = "import sys, bulkops.files.outside.child; print('openpyxl' in sys.modules, 'csv' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], check=True, capture_output=True, encoding="utf-8")
    assert done.stdout.split() == ["False", "True"]
