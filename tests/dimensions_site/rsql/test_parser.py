"""How the text of a filter is read."""

import pytest

from dimensions_site.rsql.operators import BY_SYMBOL
from dimensions_site.rsql.parser import And, Comparison, Node, Or, parse, write


def condition(selector: str, symbol: str, *values: str) -> Comparison:
    return Comparison(selector, BY_SYMBOL[symbol], values, position=1)


A, B, C = condition("a", "==", "1"), condition("b", "==", "2"), condition("c", "==", "3")


@pytest.mark.contract("D1")
@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a==1;b==2,c==3", Or((And((A, B)), C))),
        ("a==1,b==2;c==3", Or((A, And((B, C))))),
        ("a==1;(b==2,c==3)", And((A, Or((B, C))))),
        ("a==1;b==2;c==3", And((A, B, C))),
        ("a==1 and b==2 or c==3", Or((And((A, B)), C))),
        ("a==1\tor\tb==2\t and \tc==3", Or((A, And((B, C))))),
        ("((a==1))", A),
        (" ( a == 1 ) ; b == 2 ", And((A, B))),
    ],
)
def test_and_binds_before_or_and_parentheses_bind_before_both(text: str, tree: Node) -> None:
    """`;` and ` and ` are one thing, `,` and ` or ` another; blanks and tabs around them do not count."""
    assert parse(text) == tree


@pytest.mark.contract("D1")
@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("a=lt=1", "<"),
        ("a<1", "<"),
        ("a=le=1", "<="),
        ("a<=1", "<="),
        ("a=gt=1", ">"),
        ("a>1", ">"),
        ("a=ge=1", ">="),
        ("a>=1", ">="),
        ("a!=1", "!="),
        ("a=in=1", "=in="),
        ("a=out=1", "=out="),
        ("a=like=1", "=like="),
        ("a=ilike=1", "=ilike="),
        ("a=isnull=1", "=isnull="),
    ],
)
def test_every_operator_is_read_in_each_spelling(text: str, operator: str) -> None:
    """The signs and the words of an order are the same operator."""
    assert parse(text) == condition("a", operator, "1")


@pytest.mark.contract("D1")
@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a==x", ("x",)),
        ("a=='x'", ("x",)),
        ('a=="x"', ("x",)),
        ("a==''", ("",)),
        ("a=='(x;y,z) = !'", ("(x;y,z) = !",)),
        ('a=="it\'s"', ("it's",)),
        (r"a=='it\'s'", ("it's",)),
        (r'a=="\"\\\n"', ('"\\n',)),
        (r"a==x\y", (r"x\y",)),
        ("a==*%_", ("*%_",)),
        ("a=='x\ty'", ("x\ty",)),
        ("a==x\u00a0y", ("x\u00a0y",)),
        ("a=in=(x,'y', \"z\" )", ("x", "y", "z")),
        ("a=in=(x)", ("x",)),
        ("a=in=x", ("x",)),
    ],
)
def test_a_value_is_bare_or_in_either_quotes(text: str, values: tuple[str, ...]) -> None:
    """A backslash in quotes stands for the next character, outside quotes for itself."""
    node = parse(text)

    assert isinstance(node, Comparison)
    assert node.values == values


@pytest.mark.contract("D1")
@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("and==or", condition("and", "==", "or")),
        ("a== and ", condition("a", "==", "and")),
        ("a=in=( or , and )", condition("a", "=in=", "or", "and")),
        (
            "and==and and or==or or and==or",
            Or((And((condition("and", "==", "and"), condition("or", "==", "or"))), condition("and", "==", "or"))),
        ),
        ("android==1 or order==2", Or((condition("android", "==", "1"), condition("order", "==", "2")))),
    ],
)
def test_and_and_or_are_ordinary_words_where_a_field_or_a_value_stands(text: str, tree: Node) -> None:
    """Only between two conditions, with white space around, are they words of the language."""
    assert parse(text) == tree


def test_a_condition_knows_where_it_stands() -> None:
    """Positions count characters, not bytes, from 1."""
    node = parse("n=='é😀' and code==1")

    assert isinstance(node, And)
    assert [child.position for child in node.children if isinstance(child, Comparison)] == [1, 13]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (
            "nature == PROFIT_AND_LOSS and (id=in=('a b',c) or id=='')",
            'nature==PROFIT_AND_LOSS;(id=in=("a b",c),id=="")',
        ),
        ('id=="a\\"b"', 'id=="a\\"b"'),
    ],
)
def test_only_what_needs_quotes_has_them(text, written):
    assert write(parse(text)) == written
