"""What a key may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimensions_site.api.errors import Problem
from dimensions_site.idempotency.answers import checked_key
from tests.dimensions_site.idempotency.posts import CREATE, code, is_replayed, stored

printable = st.characters(min_codepoint=0x20, max_codepoint=0x7E)
# How a server decodes the bytes of a header.
latin = st.characters(max_codepoint=0xFF)


@given(st.text(printable, min_size=1, max_size=255).map(str.strip).filter(bool))
def test_any_printable_ascii_characters_are_a_key(key):
    assert checked_key(key) == key


@given(st.text(latin, max_size=300))
def test_anything_else_is_refused_and_nothing_fails(key):
    """Too long ones, empty ones, control characters, letters beyond ASCII."""
    if 1 <= len(key) <= 255 and key.isascii() and key.isprintable() and key == key.strip(" "):
        assert checked_key(key) == key
    else:
        with pytest.raises(Problem) as refusal:
            checked_key(key)
        assert (refusal.value.status_code, refusal.value.failures[0].path) == (400, "Idempotency-Key")


@pytest.mark.parametrize("key", ["a", "x" * 255, '"8e03978e-40d5-43e8-bc93-6894a57f9324"', "a, b; c=d/e?f%20~!"])
def test_a_key_is_taken_as_it_stands(alice, key):
    """With its quotes, and up to 255 characters."""
    assert CREATE.send(alice, key).status_code == 201
    assert is_replayed(CREATE.send(alice, key))
    assert code(CREATE.send(alice, key.swapcase() + "." if len(key) < 255 else key[1:])) == (400, "ALREADY_EXISTS")


@pytest.mark.contract("B1")
@pytest.mark.parametrize("key", ["", "x" * 256, "é", "a\tb", "\x7f"])
def test_another_one_is_refused_with_its_value_and_what_would_be_right(alice, key):
    """Nothing is done, as if it had no key."""
    refused = CREATE.send(alice, key)
    assert code(refused) == (400, "INVALID")
    (error,) = refused.json()["errors"]
    assert error["path"] == "Idempotency-Key"
    expected = f'Idempotency-Key must be 1 to 255 printable ASCII characters; got "{key[:100]}'
    assert error["message"].startswith(expected)
    assert not any(stored().values())
