"""Filters as long as the contract allows reach the service through gunicorn."""

from urllib.parse import quote

import pytest

from tests.services.service import Service

FILTER_LENGTH = 4096
ADDRESS = "/dimensions/v1/northwind/account/elements-count?filter="


def filter_of(length: int, letter: str) -> str:
    """A filter of that many characters."""
    lead = 'descriptions.en=="'
    return f'{lead}{letter * (length - len(lead) - 1)}"'


@pytest.mark.contract("D4")
@pytest.mark.parametrize("letter", ["a", "ж", "现", "😀"], ids=["ASCII", "Cyrillic", "Han", "emoji"])
def test_a_filter_of_4096_characters_is_answered_in_any_script(service: Service, letter: str):
    """Percent-encoded as browsers do it, an emoji takes twelve bytes."""
    text = filter_of(FILTER_LENGTH, letter)
    assert len(text) == FILTER_LENGTH
    answer = service.send("GET", ADDRESS + quote(text))
    assert (answer.status, answer.body) == (200, b"0")


@pytest.mark.contract("D4")
def test_every_character_may_be_percent_encoded(service: Service):
    """The longest form of the longest filter."""
    encoded = "".join(f"%{byte:02x}" for byte in filter_of(FILTER_LENGTH, "😀").encode())
    answer = service.send("GET", ADDRESS + encoded)
    assert (answer.status, answer.body) == (200, b"0")


@pytest.mark.contract("D4", "B1")
@pytest.mark.parametrize("letter", ["a", "😀"])
def test_one_character_more_is_400_with_a_message(service: Service, letter: str):
    """The message has the limit; nothing on the way truncates the filter or closes the connection."""
    answer = service.send("GET", ADDRESS + quote(filter_of(FILTER_LENGTH + 1, letter)))
    assert answer.status == 400
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert "4096" in answer.json()["detail"].replace(",", "")
