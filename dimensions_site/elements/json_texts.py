"""Values as JSON text: as lists write them, and as error messages show them."""

import json
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any

import orjson

_SHOWN_LENGTH = 80


def shown(value: object) -> str:
    """A value as an error message shows it: as JSON, cut to a length that can be read."""
    # The standard encoder, because orjson refuses integers beyond 64 bits, and those are shown too.
    text = str(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]}…"


def json_text(value: object) -> str:
    """The JSON text of a stored value; `null` when it is unset."""
    return orjson.dumps(value).decode()


def text_as_json(value: str | None) -> str:
    """The same for a text, in a fifth of the time."""
    return "null" if value is None else encode_basestring(value)


class KnownJson(dict[Any, str]):
    """The JSON texts of the values that a leaf has nearly always, and of each other one when it is asked for."""

    def __missing__(self, value: object) -> str:
        return json_text(value)
