"""Compressed answers as clients get them through nginx, as docs/deploy sets it up."""

import gzip
import json
from pathlib import Path

import pytest

from tests.services.fronted import fronted

pytestmark = pytest.mark.contract("M1", "C16")

ELEMENTS = "/dimensions/v1/northwind/currency/elements"
LONG = {"en": "Budget euro " * 40, "de": "Planeuro für das Jahr " * 40}


def test_an_element_that_was_read_compressed_is_changed_by_its_tag(prepared: tuple[str, str], tmp_path: Path):
    """It is compressed once, by the service, so that the tag stays strong; a client with the version gets 304."""
    body = {"id": "GZIP", "descriptions": LONG, "decimalNumbers": 2, "percentageDifference": "0"}
    accepting = {"Accept_Encoding": "gzip"}
    with fronted(*prepared, tmp_path) as (service, _):
        assert service.send("POST", ELEMENTS, body).status == 201
        read = service.send("GET", f"{ELEMENTS}/GZIP", **accepting)
        assert read.headers["Content-Encoding"] == "gzip"
        assert read.headers["Content-Length"] == str(len(read.body))
        assert json.loads(gzip.decompress(read.body))["descriptions"] == LONG
        tag = read.headers["ETag"]
        assert not tag.startswith("W/")
        assert service.send("GET", f"{ELEMENTS}/GZIP", If_None_Match=tag, **accepting).status == 304
        changed = service.send("PATCH", f"{ELEMENTS}/GZIP", {"decimalNumbers": 3}, If_Match=tag, **accepting)
        assert changed.status == 200
        assert service.send("PATCH", f"{ELEMENTS}/GZIP", {"decimalNumbers": 4}, If_Match=tag).status == 412
        listed = service.send("GET", ELEMENTS, **accepting)
        assert "GZIP" in [element["id"] for element in json.loads(gzip.decompress(listed.body))]
