"""Find the field that a heading means, whatever people call it: by its wire path, or by its label in any language."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache

from django.conf import settings
from django.conf.locale import LANG_INFO
from django.utils.translation import gettext, override

from dimensions_site.elements.declaration.labels import fold_name
from dimensions_site.elements.declaration.maps import LanguageMapField, MapField
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.text.suggestions import close_names

_DESCRIPTIONS = "descriptions"
# The longest text that is tried as a label and a key, in characters; keys have up to 128.
_LONGEST = 400
# `Description de`, `description_de-CH`, `description.de`.
_WITH_LANGUAGE = re.compile(r"(.+)[\s._-]([A-Za-z]{2}(?:[-_][A-Za-z]{2})?)")

# `Description Norwegian`, `description_nor`, `DescriptionNOR`.
_WITH_LANGUAGE_NAME = re.compile(r"(.+?)(?:[\s._-]([^\W\d_]{3,})|(?<=[a-z])([A-Z]{3}))")
# ISO 639-2, with both codes where there are two.
_THREE_LETTERS = (
    "ara:ar bul:bg cat:ca ces:cs cze:cs dan:da deu:de ell:el eng:en est:et fin:fi fra:fr fre:fr ger:de gre:el heb:he "
    "hrv:hr hun:hu ita:it jpn:ja kor:ko lav:lv lit:lt nld:nl dut:nl nor:no pol:pl por:pt ron:ro rum:ro rus:ru slk:sk "
    "slo:sk slv:sl spa:es srp:sr swe:sv tur:tr ukr:uk zho:zh chi:zh"
)
# How alike a name must be to be taken for a known one.
_LIKENESS = 0.85
# A shorter name is the beginning of many words.
_SHORTEST = 4


class FieldNames:
    """The names of a dimension's fields: wire paths in all spellings, labels in all languages, and other usual ones."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        # Dictionaries instead of sets, because the order must not change from one process to the next.
        self._names: dict[str, dict[str, None]] = {}
        # The ends of names, such as `Debit account` of `Liquidity › Debit account`, which may fit several fields.
        self._ends: dict[str, dict[str, None]] = {}
        for path in wire.places:
            segments = path.split(".")
            self._add(path, [".".join(segments[start:]) for start in range(len(segments))])
        for spelling in wire.spellings.alternatives:
            self._add(wire.canonical_path(spelling), [spelling])
        # Of the names of descriptions that only some languages have.
        self._languages: dict[str, set[str]] = {}
        for path, names in wire.serializer.also_called.items():
            _before, _point, language = path.partition(f"{_DESCRIPTIONS}.")
            for name in names:
                self._add(_DESCRIPTIONS if language else path, [name], language)
        for code, _name in settings.LANGUAGES:
            with override(code):
                for place in wire.places.values():
                    self._add(place.path, [place.heading, *place.headings.all_of(place.path)], code)

    def find(self, name: str) -> list[str]:
        """Return the wire paths that `name` may mean; none for an unknown name, several for an ambiguous one.

        An entry of a map has its key, as in `descriptions.de`; a map without one has the path of the map.
        """
        text = name.strip()
        exact = self._wire.named(text)
        if exact is not None:
            return [exact.path]
        return self._called(text) or list(dict.fromkeys(self._entries(text, self._called)))

    def languages_of(self, name: str) -> Collection[str]:
        """Return the languages in which descriptions are called `name`; none if it is a wire path or names none."""
        return () if name.strip() in self._wire.places else self._languages.get(fold_name(name), ())

    def similar(self, name: str) -> list[str]:
        """Return the wire paths of the names most like the unknown `name`, all equally likely; often there are none."""
        text = name.strip()
        return list(dict.fromkeys(self._entries(text, self._near))) or self._near(text)

    def is_alike(self, name: str, path: str) -> bool:
        """Return whether `name` differs from a name of the field at `path` by no more than a slip of the pen."""
        known = (one for names in (self._names, self._ends) for one, paths in names.items() if path in paths)
        return not self.says_more(name) and any(
            SequenceMatcher(None, one, fold_name(name)).ratio() >= _LIKENESS for one in known
        )

    def says_more(self, name: str) -> bool:
        """Return whether `name` has more letters than a known name at its end, so that it is of something else."""
        text = fold_name(name)
        return any(text.startswith(one) and one != text for one in self._names if len(one) >= _SHORTEST)

    def _add(self, path: str, names: Sequence[str], language: str = "") -> None:
        """Add what the field at `path` is called, perhaps in one `language`: its name, then its ends."""
        place = self._wire.places.get(path)
        if place is not None:
            # Stored among the descriptions.
            path = _DESCRIPTIONS if place.is_default_description else path
            self._names.setdefault(fold_name(names[0]), {})[path] = None
            if path == _DESCRIPTIONS and language:
                self._languages.setdefault(fold_name(names[0]), set()).add(language)
            for name in names[1:]:
                self._ends.setdefault(fold_name(name), {})[path] = None

    def _called(self, text: str) -> list[str]:
        key = fold_name(text)
        return list(self._names.get(key) or self._ends.get(key) or ())

    def _near(self, text: str) -> list[str]:
        names = close_names(fold_name(text), tuple(self._names)) or close_names(fold_name(text), tuple(self._ends))
        return list(dict.fromkeys(path for name in names for path in (self._names.get(name) or self._ends[name])))

    def _entries(self, text: str, paths_of: Callable[[str], Iterable[str]]) -> Iterator[str]:
        """Yield the entries of maps that `text` may name, where `paths_of` returns the paths for a map's name."""
        for label, key, is_language in _split(text):
            for path in paths_of(label):
                leaf = self._wire.places[path].leaf
                if not isinstance(leaf, MapField) or (is_language and not isinstance(leaf, LanguageMapField)):
                    continue
                written = _language_codes().get(fold_name(key), key) if isinstance(leaf, LanguageMapField) else key
                if leaf.has_key(written):
                    yield f"{path}.{leaf.key_as_written(written)}"


def _split(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the names of a map and of its entry that `text` may consist of; and whether the entry is a language."""
    if len(text) > _LONGEST:
        return
    if text.endswith(")"):
        # The label itself may have parentheses, too, so each one may begin the key.
        for at in [at for at, character in enumerate(text) if character == "("]:
            yield text[:at].rstrip(), text[at + 1 : -1].strip(), False
    found = _WITH_LANGUAGE.fullmatch(text)
    if found is not None and found[2][:2].lower() in dict(settings.LANGUAGES):
        yield found[1], found[2], True
    named = _WITH_LANGUAGE_NAME.fullmatch(text)
    if named is not None and fold_name(named[2] or named[3]) in _language_codes():
        yield named[1], named[2] or named[3], True


@cache
def _language_codes() -> dict[str, str]:
    """Return the codes of languages by their names, in themselves and in the languages of pages, and by ISO 639-2."""
    known = {code: info for code, info in LANG_INFO.items() if len(code) == len("en") and "name" in info}
    names = {fold_name(info[kind]): code for code, info in known.items() for kind in ("name", "name_local")}
    for spoken, _name in settings.LANGUAGES:
        with override(spoken):
            names |= {fold_name(gettext(info["name"])): code for code, info in known.items()}
    return names | dict(pair.split(":") for pair in _THREE_LETTERS.split())


@cache
def names_of(wire: Wire) -> FieldNames:
    """Return the names of the fields of a dimension."""
    return FieldNames(wire)
