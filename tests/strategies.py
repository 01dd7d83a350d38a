"""Any valid element as a client may send it, made from the declaration of its wire.

@given(elements(ACCOUNT_WIRE))           an account of a random id, in the spelling of responses
@given(elements(ACCOUNT_WIRE), st.randoms(use_true_random=False))
    respelled(payload, choice)           the same, in the specification's other spellings at random
@given(patches(ACCOUNT_WIRE))            any part of an element, with nulls where null clears
@given(json_values)                      any JSON
"""

import copy
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from random import Random
from typing import Any

from hypothesis import strategies as st

from dimensions_site.elements.declaration.choices import BooleanField, EnumField
from dimensions_site.elements.declaration.maps import DescriptionField, DescriptionsField, LanguageMapField, MapField
from dimensions_site.elements.declaration.numbers import CoefficientField, DecimalTextField, IntegerField
from dimensions_site.elements.declaration.serializers import Bundle, WireObject
from dimensions_site.elements.declaration.texts import IdField, TextField
from dimensions_site.elements.declaration.timestamps import TimestampField
from dimensions_site.elements.declaration.wire import Wire

# The specification's table of differences: the spelling of the field list, and that of the example payloads. An
# inner difference precedes those of the groups around it.
SPELLINGS = (
    ("alternativesDescriptions", "alternativeDescriptions"),
    ("conversion-conversionType", "conversion.conversionType"),
    *(
        (f"restrictions.customDimension{n}.restricted", f"restrictions.customDimension{n}.restriction")
        for n in range(1, 6)
    ),
    ("rules.consolidaton", "consolidation.rules"),
    ("consolidation.bankingData.icItemOld", "consolidation.bankingData.icIitemOld"),
    ("bankingData.consolidation", "consolidation.bankingData"),
    ("cashFlowPlanning.receivablePayble", "cashFlowPlanning.receivablePayable"),
    ("rules.accrual.debit", "rules.accrual.debitAccrual"),
    ("rules.accrual.credit", "rules.accrual.creditAccrual"),
    ("debitAccrual.Accrual", "rules.accrual.debitAccrual"),
    ("creditAccrual.Accrual", "rules.accrual.creditAccrual"),
    ("monthlySplittingRules.reference.referenceScenario", "monthlySplittingRules.reference.referenceSenario"),
    ("CtpElement", "restrictions.ctpRestriction"),
)

# A letter of any script, a space, a sign; no database can store halves of surrogate pairs and NUL.
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")


def texts(maximum: int, minimum: int = 0) -> st.SearchStrategy[str]:
    """Text of up to `maximum` characters: mostly short, sometimes as long as it may be."""
    short = st.text(characters, min_size=minimum, max_size=min(maximum, 12))
    longest = st.text(characters, min_size=1, max_size=3).map(lambda part: (part * maximum)[:maximum])
    return st.one_of(short, short, longest)


ids = (
    texts(128, minimum=1)
    .map(str.strip)
    .filter(lambda text: text not in {"", ".", ".."} and not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in text))
)
languages = st.from_regex(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,2}", fullmatch=True)
decimals = st.one_of(
    st.from_regex(r"-?[0-9]{1,15}([.][0-9]{1,10})?", fullmatch=True),
    st.integers(-(10**15) + 1, 10**15 - 1),
    st.integers(-(10**9), 10**9).map(lambda number: number / 8),
)
# Instants that exist in every time zone, as fine as the service keeps them (contract C11).
_FIRST, _LAST = map(datetime.fromisoformat, ("0001-01-02", "9999-12-30"))
instants = st.datetimes(_FIRST, _LAST, timezones=st.just(UTC)).map(
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)
offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@st.composite
def timestamps(draw: st.DrawFn, instant: datetime | None = None) -> str:
    """A way to write an instant in ISO 8601 (contract C11)."""
    moment = draw(instants) if instant is None else instant
    local = moment.astimezone(draw(offsets))
    precision = draw(st.sampled_from(("milliseconds", "microseconds")))
    return draw(
        st.sampled_from(
            (
                local.isoformat(timespec=precision),
                moment.isoformat(timespec=precision).replace("+00:00", "Z"),
                moment.isoformat(timespec=precision).replace("+00:00", "+0000"),
                moment.isoformat(timespec=precision).replace("+00:00", ""),
            )
        )
    )


@st.composite
def validities(draw: st.DrawFn) -> dict[str, str | None]:
    """A validity that does not end before it starts."""
    start, end = sorted((draw(instants), draw(instants)))
    validity = {"startDate": draw(st.none() | timestamps(start)), "endDate": draw(st.none() | timestamps(end))}
    return {name: date for name, date in validity.items() if draw(st.booleans())}


def language_maps() -> st.SearchStrategy[dict[str, str | None]]:
    """From languages to texts or null."""
    return st.dictionaries(languages, st.none() | texts(1000), max_size=3).map(one_tag_each)


def one_tag_each(texts: dict[str, str | None]) -> dict[str, str | None]:
    """The texts with one tag for each language, the last one."""
    return dict({tag.lower().replace("_", "-"): (tag, text) for tag, text in texts.items()}.values())


def descriptions() -> st.SearchStrategy[dict[str, str | None]]:
    """Non-blank descriptions, in English or another language."""
    said = st.dictionaries(languages | st.just("en"), texts(1000).filter(str.strip), min_size=1, max_size=2)
    return st.builds(lambda more, said: one_tag_each(more | said), language_maps(), said)


def enum_values(leaf: EnumField) -> st.SearchStrategy[str]:
    """All values of the enum in all their spellings, and any text where that is allowed."""
    listed = st.sampled_from([*leaf.choices.values, *leaf.spellings])
    return listed if leaf.open_length is None else listed | texts(leaf.open_length)


# Non-null values of a leaf; the first kind that fits counts.
_VALUES: tuple[tuple[type, Callable[[Any], st.SearchStrategy[Any]]], ...] = (
    (IdField, lambda leaf: ids),
    (DescriptionsField, lambda leaf: descriptions()),
    (LanguageMapField, lambda leaf: language_maps()),
    (MapField, lambda leaf: st.dictionaries(texts(128, minimum=1), st.none() | texts(1000), max_size=3)),
    (TextField, lambda leaf: texts(leaf.max_length, minimum=0 if leaf.allow_null else 1)),
    (EnumField, enum_values),
    (BooleanField, lambda leaf: st.booleans()),
    (IntegerField, lambda leaf: st.integers(leaf.minimum, leaf.maximum)),
    (CoefficientField, lambda leaf: decimals | st.booleans()),
    (DecimalTextField, lambda leaf: decimals),
    (TimestampField, lambda leaf: timestamps()),
)


def leaf_values(leaf: object) -> st.SearchStrategy[Any]:
    """The values of a leaf other than null."""
    return next(values(leaf) for kind, values in _VALUES if isinstance(leaf, kind))


def objects(declaration: WireObject, *, required: bool = True) -> st.SearchStrategy[dict[str, Any]]:
    """Objects of the wire: required members are there, others may be left out or null.

    With `required` false all members may be left out, as in a patch; required ones are still not null.
    """
    if set(declaration.fields) == {"startDate", "endDate"}:
        return validities()
    always: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for name, member in declaration.fields.items():
        if isinstance(member, DescriptionField):
            continue
        if member.read_only:
            optional[name] = json_values  # accepted, and ignored
        elif isinstance(member, WireObject):
            inner = objects(member, required=required)
            if needs(member):
                (always if required else optional)[name] = inner
            else:
                optional[name] = st.none() | inner
        elif member.required:
            (always if required else optional)[name] = leaf_values(member)
        else:
            optional[name] = (st.none() | leaf_values(member)) if member.allow_null else leaf_values(member)
    return st.fixed_dictionaries(always, optional=optional)


def needs(declaration: WireObject) -> bool:
    """Whether something in the object is required, so that it can be neither left out nor null."""
    return not isinstance(declaration, Bundle) and any(
        needs(member) if isinstance(member, WireObject) else member.required for member in declaration.fields.values()
    )


def elements(wire: Wire) -> st.SearchStrategy[dict[str, Any]]:
    """Valid elements of a dimension, in the spelling of responses."""
    return objects(wire.declaration)


def patches(wire: Wire) -> st.SearchStrategy[dict[str, Any]]:
    """Bodies of PATCH that suit every element: no `id` and `oid`, nothing required is cleared."""

    def unnamed(patch: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in patch.items() if name not in {"id", "oid", "updateInfo"}}

    return objects(wire.declaration, required=False).map(unnamed)


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(characters, max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(characters, max_size=8), inner, max_size=3),
    max_leaves=6,
)


def respelled(payload: dict[str, Any], choice: Random) -> dict[str, Any]:
    """A copy of an account in which `choice` puts some fields into the field list's spelling, or into both."""
    result = copy.deepcopy(payload)
    for listed, example in SPELLINGS:
        way = choice.choice(("example", "listed", "both"))
        if way != "example" and has(result, example) and has_room(result, listed):
            value = copy.deepcopy(get(result, example))
            if way == "listed":
                remove(result, example)
            put(result, listed, value)
    return result


def has(data: Any, path: str) -> bool:
    """Whether a dotted path is in the JSON `data`."""
    head, _, rest = path.partition(".")
    return isinstance(data, dict) and head in data and (not rest or has(data[head], rest))


def has_room(data: Any, path: str) -> bool:
    """Whether a value can be put at a dotted path: no group on the way is null."""
    head, _, rest = path.partition(".")
    return isinstance(data, dict) and (not rest or has_room(data.get(head, {}), rest))


def get(data: Any, path: str) -> Any:
    """The value at a dotted path; None when a group on the way is null."""
    head, _, rest = path.partition(".")
    inner = data[head]
    return get(inner, rest) if rest and inner is not None else inner


def put(data: dict[str, Any], path: str, value: Any) -> None:
    """Set the value at a dotted path, and the groups on the way."""
    head, _, rest = path.partition(".")
    if rest:
        put(data.setdefault(head, {}), rest, value)
    else:
        data[head] = value


def remove(data: dict[str, Any], path: str) -> None:
    """Remove the value at a dotted path."""
    *groups, name = path.split(".")
    for group in groups:
        data = data[group]
    del data[name]
