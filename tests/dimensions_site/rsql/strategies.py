"""Filters, rows and texts to search for."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import strategies as st

from dimensions_site.rsql.parser import And, Comparison, Node, Or
from tests.dimensions_site.rsql.sample.fields import STATUSES

# Letters whose case is not one to one, whose code points sort unlike letters, and characters with a meaning to some
# language that a filter passes through.
TRICKY = (
    *("", " ", "a", "A", "b", "Z", "é", "É", "e\u0301", "İ", "ı", "i\u0307", "I", "ß", "ẞ", "ss", "SS", "σ", "ς", "Σ"),
    *(
        "\u212a",
        "k",
        "K",
        "ſ",
        "µ",
        "μ",
        "ﬁ",
        "ΐ",
        "ŉ",
        "ԱՒ",
        "և",
        "Ж",
        "ж",
        "日本",
        "ก",
        "\uffee",
        "😀",
        "𐐀",
        "𐐨",
        "\u2028",
    ),
    *("'", '"', "\\", "\\\\", "%", "_", "*", "%%", "a%b", "a_b", "\\%", ";", ",", "(", ")", "=", "~", "<", "!", "\t"),
    *("\n", "a\nb", "\r\n", "\x01", "\x7f", "\x85"),
    *("and", "or", "null", "true", "$", ".", "{}", "[0]", "/", "--", "0", "-1", "01"),
)
_ANY_CHARACTER = st.characters(exclude_categories=("Cc", "Cs"))

texts = st.one_of(
    st.sampled_from(TRICKY),
    st.lists(st.sampled_from(TRICKY), min_size=2, max_size=3).map("".join),
    st.text(_ANY_CHARACTER, max_size=6),
)
unquoted = st.text(_ANY_CHARACTER.filter(lambda character: character not in "\"'();,=!~<> "), min_size=1, max_size=6)
keys = st.sampled_from(("en", "de", 'q"uote', "back\\slash", "ключ", "a.b", "ß", "$", "'", "😀", "0"))
integers = st.one_of(st.integers(-2, 2), st.sampled_from((-(2**31), 2**31 - 1)), st.integers(-(2**31), 2**31 - 1))
decimals = st.one_of(
    st.sampled_from(("0", "-0", "0.000", "1", "1.0", "01", "-1", "1.5", "9", "10", "-9", "-10", "0.1", "0.0000000001")),
    st.sampled_from(("999999999999999.9999999999", "-999999999999999.9999999999", "999999999999999.9999999998")),
    st.from_regex(r"-?[0-9]{1,15}(\.[0-9]{1,10})?", fullmatch=True, alphabet="-.0123456789"),
)
coefficients = st.one_of(decimals, st.sampled_from(("true", "false")))
truths = st.sampled_from(("true", "false"))
_EPOCH = datetime(2024, 2, 29, tzinfo=UTC)
instants = st.one_of(
    st.integers(-3, 3).map(lambda milliseconds: _EPOCH + timedelta(milliseconds=milliseconds)),
    st.sampled_from(
        (_EPOCH.replace(year=1970, day=1), datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC))
    ),
)


@st.composite
def instant_texts(draw: st.DrawFn) -> str:
    """An instant as somebody at some offset writes it."""
    minutes = draw(st.sampled_from((0, 60, -90, 840)))
    local = draw(instants).astimezone(timezone(timedelta(minutes=minutes)))
    text = local.isoformat(timespec="milliseconds")
    return draw(st.sampled_from((text, text[:-3] + text[-2:], text.replace("+00:00", "Z"))))


bundles = st.fixed_dictionaries(
    {},
    optional={
        "label": st.none() | texts,
        "limits": st.none() | st.fixed_dictionaries({}, optional={"strict": st.none() | st.booleans()}),
    },
)
rows = st.fixed_dictionaries(
    {
        "code": texts,
        "note": st.none() | texts,
        "status": st.none() | st.sampled_from((*STATUSES, "A")),
        "quantity": st.none() | integers,
        "amount": st.none() | decimals,
        "coefficient": st.none() | coefficients,
        "active": st.none() | st.booleans(),
        "changed": st.none() | instants,
        "names": st.none() | st.dictionaries(keys, st.none() | texts, max_size=3),
        "bundle": st.none() | bundles,
    }
)


def trees(leaves: st.SearchStrategy[Comparison]) -> st.SearchStrategy[Node]:
    """Filters with several of the `leaves`, in any order of "and" and "or"."""

    def groups(children: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        several = st.lists(children, min_size=2, max_size=3).map(tuple)
        return several.map(And) | several.map(Or)

    return st.recursive(leaves, groups, max_leaves=6)
