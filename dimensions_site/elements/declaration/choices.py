"""Values that are chosen from some: enums and booleans, and what people and other programs call them."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Literal

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, override
from msgspec import Meta

from dimensions_site.api.json.texts import KnownJson, json_text, shown_value
from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.labels import are_in_messages, fold_name, path_of, spoken_language
from dimensions_site.rsql.fields import CodePointTextField, ValueKind
from dimensions_site.text.suggestions import close_names, did_you_mean

# In the languages of the administration and of neighbours, as spreadsheet programs and people write them.
_YES = ("yes", "y", "true", "ja", "j", "wahr", "oui", "o", "vrai", "sì", "s", "vero", "verdadero", "waar", "sim", "1")
_NO = ("no", "n", "false", "nein", "falsch", "non", "faux", "falso", "nee", "onwaar", "não", "nej", "nei", "0")
YES_AND_NO = {fold_name(word): value for words, value in ((_YES, True), (_NO, False)) for word in words}


class EnumField(Leaf):
    """One of the values that the specification lists (contract C7).

    `spellings` maps further accepted values to the listed ones; `open_length` allows any other text with that many
    characters.
    """

    kind = ValueKind.ENUM

    def __init__(
        self,
        choices: type[models.TextChoices],
        *,
        spellings: Mapping[str, str] | None = None,
        open_length: int | None = None,
        **kwargs: Any,
    ) -> None:
        self.choices = choices
        # Django makes this list each time.
        self.words = tuple(choices.values)
        self.offered = self.words
        self.spellings = dict(spellings or {})
        self.open_length = open_length
        self.is_open = self.takes_any_text = open_length is not None
        super().__init__(**kwargs)

    @property
    def expected(self) -> str:
        listed = self.choices.labels if are_in_messages() else self.words
        values = {"values": ", ".join(map(str, listed)), "maximum": self.open_length}
        if self.open_length is None:
            return gettext("one of {values}").format(**values)
        return gettext("one of {values}, or text of at most {maximum} characters").format(**values)

    def in_words(self, value: Any) -> str:
        return str(dict(self.choices.choices).get(value, value))

    def from_words(self, text: str) -> Any:
        if self.is_open or text in self.words or text in self.spellings:
            return text
        known = _labels(self.choices)
        word = fold_name(text)
        found = known[spoken_language()].get(word) or {one for all in known.values() for one in all.get(word, ())}
        found = found or _usual_words(self).get(word, set())
        return next(iter(found)) if len(found) == 1 else text.strip()

    def is_surprising(self, text: str, value: Any) -> bool:
        # It is neither a value nor the label of one in any language.
        return not any(fold_name(text) in labels for labels in _labels(self.choices).values())

    def to_internal_value(self, data: Any) -> str:
        if self.open_length is not None:
            return self.checked_text(data, self.open_length)
        if isinstance(data, bool) and str(data).upper() in self.words:
            message = gettext('{name} must be {expected}; got {value}. It is a text: write "{text}".')
            self.reject(message, expected=self.expected, value=shown_value(data), text=str(data).upper())
        if not isinstance(data, str):
            self.refuse(data)
        value = self.spellings.get(data, data)
        if value not in self.words:
            known = self.words
            names = close_names(value, known)
            if are_in_messages():
                names = list(map(self.in_words, names)) or close_names(value, tuple(map(self.in_words, known)))
            hint = did_you_mean(names, in_quotes=False)
            message = gettext("{name} must be {expected}; got {value}.{hint}")
            self.reject(message, expected=self.expected, value=shown_value(data), hint=hint)
        return value

    @property
    def encode(self) -> Callable[[Any], str]:
        return KnownJson({value: json_text(value) for value in (None, *self.choices.values)}).__getitem__

    def fast_type(self) -> Any:
        if self.open_length is None or self.spellings:
            return Literal.__getitem__(self.words)
        return Annotated[str, Meta(max_length=self.open_length)]

    def model_field(self) -> "models.Field[Any, Any]":
        # Labels are translated, and so no part of the schema.
        return CodePointTextField(choices=[(value, value) for value in self.words], null=self.allow_null)

    def schema(self) -> dict[str, Any]:
        if self.open_length is not None:
            return {"type": "string", "maxLength": self.open_length, "example": self.choices.values[0]}
        return {"type": "string", "enum": list(self.choices.values), "title": self.choices.__name__}


@cache
def _labels(choices: type[models.TextChoices]) -> Mapping[str, Mapping[str, set[str]]]:
    """Return the values of the `choices` by folded label, for each language; values are labels in each, too."""
    labels: dict[str, dict[str, set[str]]] = {}
    for code, _name in settings.LANGUAGES:
        with override(code):
            labels[code] = _by_folded((str(label), value) for value, label in choices.choices)
    values = _by_folded((value, value) for value in choices.values)
    return {code: {**found, **values} for code, found in labels.items()}


@cache
def _usual_words(leaf: EnumField) -> Mapping[str, set[str]]:
    """Return the values of the leaf by what files of other programs call them."""
    called = getattr(leaf.root, "also_called", {})
    path = path_of(leaf)
    return _by_folded((word, value) for value in leaf.choices.values for word in called.get(f"{path}={value}", ()))


def _by_folded(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for text, value in pairs:
        found.setdefault(fold_name(text), set()).add(value)
    return found


class BooleanField(Leaf):
    """A JSON boolean; texts and numbers are rejected (contract C10)."""

    kind = ValueKind.BOOLEAN
    column_type = models.BooleanField
    offered = (True, False)

    @property
    def expected(self) -> str:
        return gettext("yes or no") if are_in_messages() else gettext("true or false")

    def to_internal_value(self, data: Any) -> bool:
        if isinstance(data, str) and data.lower() in ("true", "false"):
            self.reject(gettext("{name} must be true or false, without quotes; got {value}."), value=shown_value(data))
        if not isinstance(data, bool):
            self.refuse(data)
        return data

    @property
    def encode(self) -> Callable[[Any], str]:
        return {None: "null", True: "true", False: "false"}.__getitem__

    def in_words(self, value: Any) -> str:
        if isinstance(value, str):  # a text that is no truth value
            return super().in_words(value)
        return gettext("yes") if value else gettext("no")

    def from_cell(self, text: str) -> Any:
        return {"true": True, "false": False}.get(text.lower(), text)

    def takes_number(self, number: str) -> bool:
        return number in ("true", "false")

    def from_words(self, text: str) -> Any:
        return YES_AND_NO.get(fold_name(text), self.from_cell(text.strip()))

    def fast_type(self) -> Any:
        return bool

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}
