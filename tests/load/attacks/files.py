"""Files designed to take time or memory, sent to the form that starts an import."""

import functools
from collections import Counter
from uuid import uuid4

from tests.bulkops.files.formats.files import SHEET, STYLES, slow_workbook, with_parts, workbook
from tests.load.attacks.scene import Scene, repeatedly
from tests.services.service import Service

_ADDRESS = "/admin/bulkops/fileimport/add/"
# A form needs the same word in a cookie and in a header.
_TOKEN = "a" * 32
_CLIENTS = 6
# The result of a file, by the sentence that the form shows.
_REFUSALS = {
    b"Other files are being read": "come again",
    b"unfinished imports": "too many drafts",
    b"seconds to be read": "too slow",
    b"of memory to be read": "too large",
}


def format_code(scene: Scene) -> Counter[str]:
    """A workbook whose number format is one of megabytes."""
    return _uploads(scene, _workbook_of_format_code())


def attribute_names(scene: Scene) -> Counter[str]:
    """A workbook with millions of names of attributes."""
    return _uploads(scene, _workbook_of_attribute_names(scene.scale.attribute_names))


def shared_texts(scene: Scene) -> Counter[str]:
    """A workbook of all the texts that one may have, before its first row."""
    return _uploads(scene, _workbook_of_texts(scene.scale.shared_texts))


def _uploads(scene: Scene, content: bytes) -> Counter[str]:
    return repeatedly(
        _CLIENTS, scene.scale.seconds, lambda _: _upload(scene.attacker, scene.session, scene.target, content)
    )


def _upload(service: Service, session: str, target: str, content: bytes) -> str:
    """Send the file; return the status, and for a page with the form the result of the file."""
    boundary = uuid4().hex
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="target"\r\n\r\n{target}\r\n'
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.xlsx"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    answer = service.send(
        "POST",
        _ADDRESS,
        head.encode() + content + f"\r\n--{boundary}--\r\n".encode(),
        X_API_Key="",
        Content_Type=f"multipart/form-data; boundary={boundary}",
        Cookie=f"{session}; csrftoken={_TOKEN}",
        X_CSRFToken=_TOKEN,
    )
    if answer.status != 200:
        return str(answer.status)
    return next((f"200 {name}" for sentence, name in _REFUSALS.items() if sentence in answer.body), "200 refused")


@functools.cache
def _workbook_of_format_code() -> bytes:
    code = b'<numFmt numFmtId="200" formatCode="%s"/>' % (b"[" * 4_000_000)
    part = b"<styleSheet><numFmts>%s</numFmts></styleSheet>" % code
    return with_parts(workbook(["id"], ["1000"]), {STYLES: lambda _part: part})


@functools.cache
def _workbook_of_attribute_names(count: int) -> bytes:
    tags = (range(start, min(start + 100, count)) for start in range(0, count, 100))
    part = b"".join(b"<a %s/>" % b" ".join(b'n%d=""' % name for name in tag) for tag in tags)
    return with_parts(workbook(["id"], ["1000"]), {SHEET: lambda _part: b"<worksheet>%s</worksheet>" % part})


@functools.cache
def _workbook_of_texts(count: int) -> bytes:
    return slow_workbook(count)
